//! What a node does with Interests, Data and refusals, packet by packet.

use crate::net::*;
use narrows_icn::*;
use narrows_path::Rates;
use narrows_units::Time;

const A: FaceId = FaceId(0);
const B: FaceId = FaceId(1);
const UP: FaceId = FaceId(2);

fn name(segment: u32) -> Interned {
    Interned::segment(1, 1, segment)
}

/// A node with two faces down, and two up, of which the first has the route.
fn node_with(config: NodeConfig) -> Node<Interned> {
    let mut node = Node::new(config);
    for label in 1..=4 {
        node.add_face(Time::ZERO, &link(label));
    }
    node.route(Interned::prefix(1), vec![UP]);
    node
}

fn node() -> Node<Interned> {
    node_with(NodeConfig::default())
}

#[test]
fn an_interest_goes_up_and_its_data_comes_down() {
    let mut node = node();
    node.handle(ms(0), A, Packet::Interest(interest(name(1), 7)));
    let sent = actions(&mut node);
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].0, as_interest(&sent[0].1).nonce, as_interest(&sent[0].1).hop_limit), (UP, 7, 63));
    assert_eq!((node.pending(), node.face(A).pending), (1, 1));
    node.handle(ms(10), UP, Packet::Data(data(name(1))));
    let sent = actions(&mut node);
    assert_eq!((sent.len(), sent[0].0), (1, A));
    assert_eq!(as_data(&sent[0].1).name, name(1));
    assert_eq!((node.pending(), node.face(A).pending), (0, 0));
    node.handle(ms(11), UP, Packet::Data(data(name(1))));
    assert!(actions(&mut node).is_empty(), "nobody waits any more");
    assert_eq!(node.counters().unsolicited, 1);
}

#[test]
fn a_second_asker_joins_and_both_get_the_same() {
    let mut node = node();
    node.handle(ms(0), A, Packet::Interest(interest(name(1), 7)));
    node.handle(ms(1), B, Packet::Interest(interest(name(1), 8)));
    assert_eq!(actions(&mut node).len(), 1, "one Interest goes up");
    assert_eq!(node.counters().aggregated, 1);
    let rates = Rates { primary: mbps(5), secondary: mbps(3) };
    node.handle(ms(10), UP, Packet::Data(Data { rates, ..data(name(1)) }));
    let sent = actions(&mut node);
    assert_eq!(sent.iter().map(|(face, _)| *face).collect::<Vec<_>>(), [A, B]);
    assert!(sent.iter().all(|(_, packet)| as_data(packet).rates == rates && as_data(packet).route == as_data(&sent[0].1).route));
}
