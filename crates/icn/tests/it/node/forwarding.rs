//! The forwarding pipelines, packet by packet.

use crate::node::net::*;
use narrows_icn::*;
use narrows_units::{Span, Time};
use narrows_wire::{Labels, Rates};

const A: FaceId = FaceId(0);
const B: FaceId = FaceId(1);
const UP: FaceId = FaceId(2);
const OTHER: FaceId = FaceId(3);

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
    node.handle(ms(0), A, Packet::from(interest(name(1), 7)), &mut Spare::default());
    let sent = actions(&mut node);
    assert_eq!(sent.len(), 1);
    assert_eq!(
        (sent[0].0, as_interest(&sent[0].1).nonce, as_interest(&sent[0].1).hop_limit),
        (UP, 7, 63)
    );
    assert_eq!((node.pending(), node.face(A).pending), (1, 1));
    node.handle(ms(10), UP, Packet::from(data(name(1))), &mut Spare::default());
    let sent = actions(&mut node);
    assert_eq!((sent.len(), sent[0].0), (1, A));
    assert_eq!(as_data(&sent[0].1).name, name(1));
    assert_eq!((node.pending(), node.face(A).pending), (0, 0));
    node.handle(ms(11), UP, Packet::from(data(name(1))), &mut Spare::default());
    assert!(actions(&mut node).is_empty(), "nobody waits any more");
    assert_eq!(node.counters().unsolicited, 1);
}

#[test]
fn a_second_face_is_aggregated_and_both_get_the_same_data() {
    let mut node = node();
    node.handle(ms(0), A, Packet::from(interest(name(1), 7)), &mut Spare::default());
    node.handle(ms(1), B, Packet::from(interest(name(1), 8)), &mut Spare::default());
    assert_eq!(actions(&mut node).len(), 1, "one Interest goes up");
    assert_eq!(node.counters().aggregated, 1);
    let rates = Rates { primary: mbps(5), secondary: mbps(3) };
    node.handle(ms(10), UP, Packet::from(Data { rates, ..data(name(1)) }), &mut Spare::default());
    let sent = actions(&mut node);
    assert_eq!(sent.iter().map(|(face, _)| *face).collect::<Vec<_>>(), [A, B]);
    assert!(sent.iter().all(|(_, packet)| as_data(packet).rates == rates
        && as_data(packet).route == as_data(&sent[0].1).route));
}

#[test]
fn an_interest_that_comes_again_goes_up_again() {
    let mut node = node();
    node.handle(ms(0), A, Packet::from(interest(name(1), 7)), &mut Spare::default());
    node.handle(ms(100), A, Packet::from(interest(name(1), 8)), &mut Spare::default());
    let nonces: Vec<u32> =
        actions(&mut node).iter().map(|(_, packet)| as_interest(packet).nonce).collect();
    assert_eq!(nonces, [7, 8]);
    assert_eq!((node.counters().retransmitted, node.pending(), node.face(A).pending), (1, 1, 1));
    // The Nack of the first one does not concern the second.
    node.handle(
        ms(110),
        UP,
        nack(interest(name(1), 7), NackReason::Congestion),
        &mut Spare::default(),
    );
    assert!(actions(&mut node).is_empty());
    node.handle(
        ms(120),
        UP,
        nack(interest(name(1), 8), NackReason::Congestion),
        &mut Spare::default(),
    );
    assert_eq!(as_nack(&actions(&mut node)[0].1).interest.nonce, 8);
    assert_eq!((node.pending(), node.face(A).pending), (0, 0));
}

#[test]
fn a_duplicate_interest_is_returned_with_a_nack() {
    let mut node = node();
    node.handle(ms(0), A, Packet::from(interest(name(1), 7)), &mut Spare::default());
    node.handle(ms(1), B, Packet::from(interest(name(1), 7)), &mut Spare::default());
    let sent = actions(&mut node);
    assert_eq!((sent.len(), sent[1].0), (2, B));
    assert_eq!(
        (as_nack(&sent[1].1).reason, as_nack(&sent[1].1).interest.nonce),
        (NackReason::Duplicate, 7)
    );
    assert_eq!((node.face(B).pending, node.counters().duplicate), (0, 1));
}

#[test]
fn a_nack_reaches_every_waiting_face_with_its_own_interest() {
    let mut node = node();
    node.handle(ms(0), A, Packet::from(interest(name(1), 7)), &mut Spare::default());
    node.handle(ms(1), B, Packet::from(interest(name(1), 8)), &mut Spare::default());
    actions(&mut node);
    node.handle(ms(2), UP, nack(interest(name(1), 7), NackReason::NoRoute), &mut Spare::default());
    let sent = actions(&mut node);
    let told: Vec<_> = sent
        .iter()
        .map(|(face, packet)| (*face, as_nack(packet).interest.nonce, as_nack(packet).reason))
        .collect();
    assert_eq!(told, [(A, 7, NackReason::NoRoute), (B, 8, NackReason::NoRoute)]);
    assert_eq!((node.pending(), node.face(B).pending), (0, 0));
    assert_eq!(as_nack(&sent[0].1).interest.hop_limit, 64, "as it came");
}

#[test]
fn a_nack_waits_while_another_face_may_still_answer() {
    let mut node = node();
    node.handle(ms(0), A, Packet::from(interest(name(1), 7)), &mut Spare::default());
    node.route(Interned::prefix(1), vec![OTHER]);
    node.handle(ms(1), A, Packet::from(interest(name(1), 8)), &mut Spare::default());
    actions(&mut node);
    node.handle(
        ms(2),
        OTHER,
        nack(interest(name(1), 8), NackReason::Congestion),
        &mut Spare::default(),
    );
    assert!(actions(&mut node).is_empty());
    node.handle(ms(3), UP, Packet::from(data(name(1))), &mut Spare::default());
    assert_eq!(actions(&mut node).len(), 1);
}

#[test]
fn without_a_route_an_interest_is_returned_with_a_nack() {
    let mut node = node();
    node.handle(
        ms(0),
        A,
        Packet::from(interest(Interned::segment(2, 1, 1), 7)),
        &mut Spare::default(),
    );
    // The only route leads back to where it came from.
    node.handle(ms(0), UP, Packet::from(interest(name(1), 8)), &mut Spare::default());
    let sent = actions(&mut node);
    assert!(sent.iter().all(|(_, packet)| as_nack(packet).reason == NackReason::NoRoute));
    assert_eq!((sent[0].0, sent[1].0, node.pending(), node.counters().no_route), (A, UP, 0, 2));
    assert!(node.unroute(&Interned::prefix(1)) && !node.unroute(&Interned::prefix(1)));
    node.handle(ms(0), A, Packet::from(interest(name(1), 9)), &mut Spare::default());
    assert_eq!(as_nack(&actions(&mut node)[0].1).reason, NackReason::NoRoute);
}

#[test]
fn the_hop_limit_ends_at_a_link_and_not_before_an_application() {
    let mut node = node();
    let producer = node.add_face(Time::ZERO, &application(5));
    node.route(Interned::prefix(2), vec![producer]);
    for (name, hop_limit, goes) in [
        (name(1), 0, false),
        (name(1), 1, false),
        (name(2), 2, true),
        (Interned::segment(2, 1, 1), 0, false),
        (Interned::segment(2, 1, 1), 1, true),
    ] {
        node.handle(
            ms(0),
            A,
            Packet::from(Interest { hop_limit, ..interest(name, 7) }),
            &mut Spare::default(),
        );
        assert_eq!(actions(&mut node).len(), usize::from(goes), "{name:?} with {hop_limit}");
    }
    assert_eq!((node.counters().hop_limit, node.pending()), (3, 2));
}

#[test]
fn an_entry_ends_with_its_lifetime() {
    let mut node = node();
    let short = |nonce| Interest { lifetime: Span::from_millis(50), ..interest(name(1), nonce) };
    node.handle(ms(0), A, Packet::from(short(7)), &mut Spare::default());
    actions(&mut node);
    node.handle(ms(50), UP, Packet::from(data(name(1))), &mut Spare::default());
    assert!(actions(&mut node).is_empty(), "too late by nothing");
    let due = node.due().expect("the entry is to be cleared");
    assert!(due > ms(50) && due <= ms(67), "{due}");
    node.handle(ms(50), A, Packet::from(short(8)), &mut Spare::default());
    assert_eq!((actions(&mut node).len(), node.counters().retransmitted), (1, 0), "a new one");
    // Its owner's time is over, that of another who joined is not.
    node.handle(ms(60), B, Packet::from(interest(name(1), 9)), &mut Spare::default());
    node.handle(ms(100), UP, Packet::from(data(name(1))), &mut Spare::default());
    assert_eq!(actions(&mut node).iter().map(|(face, _)| *face).collect::<Vec<_>>(), [B]);
    assert_eq!(
        (node.pending(), node.face(A).pending, node.counters().expired, node.due()),
        (0, 0, 1, None)
    );
}

#[test]
fn data_answers_interests_in_prefixes_of_its_name_but_each_face_once() {
    let mut node = node();
    let below = Interest { can_be_prefix: true, ..interest(Interned::content(1, 1), 7) };
    node.handle(ms(0), A, Packet::from(below.clone()), &mut Spare::default());
    node.handle(ms(0), A, Packet::from(interest(name(1), 8)), &mut Spare::default());
    node.handle(
        ms(0),
        A,
        Packet::from(Interest { must_be_fresh: true, ..interest(name(1), 9) }),
        &mut Spare::default(),
    );
    node.handle(ms(0), B, Packet::from(Interest { nonce: 10, ..below }), &mut Spare::default());
    node.handle(
        ms(0),
        B,
        Packet::from(interest(Interned::content(1, 1), 11)),
        &mut Spare::default(),
    );
    assert_eq!((actions(&mut node).len(), node.pending()), (4, 4));
    node.handle(ms(1), UP, Packet::from(data(name(1))), &mut Spare::default());
    let mut served: Vec<FaceId> = actions(&mut node).iter().map(|(face, _)| *face).collect();
    served.sort();
    assert_eq!(
        (served, node.pending()),
        (vec![A, B], 1),
        "the one that asks for exactly its prefix is left"
    );
}

#[test]
fn a_flood_fills_only_what_its_face_may() {
    let mut node = node_with(NodeConfig { pit_per_face: 10, ..NodeConfig::default() });
    for segment in 0..1000 {
        node.handle(
            ms(0),
            A,
            Packet::from(interest(name(segment), segment)),
            &mut Spare::default(),
        );
    }
    let sent = actions(&mut node);
    let refused = sent
        .iter()
        .filter(|(face, packet)| *face == A && as_nack(packet).reason == NackReason::Congestion)
        .count();
    assert_eq!((node.pending(), refused, node.counters().table_full), (10, 990, 990));
    node.handle(ms(0), B, Packet::from(interest(name(2000), 1)), &mut Spare::default());
    assert_eq!(actions(&mut node)[0].0, UP, "others have room");
    node.handle(ms(1), UP, Packet::from(data(name(3))), &mut Spare::default());
    node.handle(ms(1), A, Packet::from(interest(name(3000), 1)), &mut Spare::default());
    assert_eq!(actions(&mut node).last().expect("an Interest").0, UP, "an answer makes room");
}

#[test]
fn a_loop_ends_in_a_nack() {
    let mut net = Net::new(3, HintForm::Labels, 1);
    let consumer = net.application(0);
    let ring: Vec<_> =
        [(0, 1), (1, 2), (2, 0)].iter().map(|(a, b)| net.link(*a, *b, &link(1)).0).collect();
    for (node, face) in ring.into_iter().enumerate() {
        net.nodes[node].route(Interned::prefix(1), vec![face]);
    }
    net.send(ms(0), 0, consumer, Packet::from(interest(name(1), 7)));
    let received = net.take();
    assert_eq!((received.len(), as_nack(&received[0].2).reason), (1, NackReason::Duplicate));
    assert_eq!(
        (net.crossed, net.nodes.iter().map(Node::pending).sum::<usize>()),
        (6, 0),
        "three hops and back"
    );
}

#[test]
fn a_cache_answers_without_rates_and_routes_of_another_time() {
    let mut node =
        node_with(NodeConfig { cache: CacheLimits::packets(2), ..NodeConfig::default() });
    node.handle(ms(0), A, Packet::from(interest(name(1), 7)), &mut Spare::default());
    let route = Route { id: 5, hint: Hint::Labels(Labels::default()), limit: 0 };
    let rates = Rates { primary: mbps(5), secondary: mbps(3) };
    node.handle(
        ms(1),
        UP,
        Packet::from(Data { rates, route, marked: true, ..data(name(1)) }),
        &mut Spare::default(),
    );
    let first = actions(&mut node);
    assert_eq!(as_data(&first[1].1).rates, rates);
    node.handle(ms(2), B, Packet::from(interest(name(1), 8)), &mut Spare::default());
    let sent = actions(&mut node);
    let answer = as_data(&sent[0].1);
    assert_eq!(
        (sent[0].0, answer.rates, answer.route, answer.marked),
        (B, Rates::UNLIMITED, Route::default(), false)
    );
    assert_eq!((node.pending(), node.counters().cache_hits), (0, 1));
    // Data that asks not to be kept is not.
    node.handle(ms(3), A, Packet::from(interest(name(2), 7)), &mut Spare::default());
    node.handle(
        ms(4),
        UP,
        Packet::from(Data { no_cache: true, ..data(name(2)) }),
        &mut Spare::default(),
    );
    node.handle(ms(5), B, Packet::from(interest(name(2), 8)), &mut Spare::default());
    assert_eq!(actions(&mut node).last().expect("an Interest").0, UP);
}
