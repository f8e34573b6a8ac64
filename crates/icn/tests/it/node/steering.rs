//! Interests follow paths that Data has shown, or find some.

use crate::node::net::*;
use narrows_icn::*;
use narrows_units::{Rate, Time};
use narrows_wire::Labels;
use std::collections::BTreeMap;

const FORMS: [HintForm; 4] =
    [HintForm::Labels, HintForm::Hashes, HintForm::Random, HintForm::Bloom];

/// Two diamonds, one after the other: 0 - {1, 2} - 3 - {4, 5} - 6, the consumer at 0 and the
/// producer at 6. Four paths.
fn diamonds(form: HintForm) -> (Net, FaceId) {
    let mut net = Net::new(7, form, 3);
    let consumer = net.application(0);
    let mut next_hops: BTreeMap<usize, Vec<FaceId>> = BTreeMap::new();
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6)] {
        let (face, _) = net.link(a, b, &link(1));
        next_hops.entry(a).or_default().push(face);
    }
    let producer = net.application(6);
    next_hops.insert(6, vec![producer]);
    for (node, hops) in next_hops {
        net.nodes[node].route(Interned::prefix(1), hops);
    }
    (net, consumer)
}

/// The route of the Data that answers an Interest with this hint.
fn fetch(net: &mut Net, consumer: FaceId, segment: u32, steer: Steer) -> Route {
    net.send(
        ms(0),
        0,
        consumer,
        Packet::from(Interest { steer, ..interest(Interned::segment(1, 1, segment), segment) }),
    );
    net.produce(ms(0));
    let received = net.take();
    assert_eq!(received.len(), 1);
    as_data(&received[0].2).route
}

#[test]
fn every_form_finds_all_paths_and_follows_each_of_them() {
    for form in FORMS {
        let (mut net, consumer) = diamonds(form);
        let mut paths: BTreeMap<u64, Hint> = BTreeMap::new();
        for segment in 0..200 {
            let route = fetch(&mut net, consumer, segment, Steer::default());
            paths.insert(route.id, route.hint);
        }
        assert_eq!(paths.len(), 4, "{form:?}");
        for (number, (id, hint)) in paths.iter().enumerate() {
            for turn in 0..20 {
                let steer = Steer { hint: *hint, strict: true };
                let route = fetch(&mut net, consumer, 1000 + 100 * number as u32 + turn, steer);
                assert_eq!((route.id, route.hint), (*id, *hint), "{form:?}");
            }
        }
        assert!(
            net.nodes.iter().all(|node| node.counters().invalid_label == 0 && node.pending() == 0)
        );
    }
}

#[test]
fn labels_are_those_of_the_faces_the_data_came_by_the_last_hop_on_top() {
    let (mut net, consumer) = diamonds(HintForm::Labels);
    let Hint::Labels(mut labels) = fetch(&mut net, consumer, 1, Steer::default()).hint else {
        panic!("no labels")
    };
    assert_eq!(labels.hops(), 4, "one for each link, none for applications");
    let nodes: Vec<u16> =
        std::iter::from_fn(|| labels.pop()).map(|label| label / 100 - 1).collect();
    assert!(matches!(nodes[..], [0, 1 | 2, 3, 4 | 5]), "{nodes:?}");
}

/// A node with a face down and three up, of which two are next hops.
fn split(form: HintForm, strategy: &str, capacities: [u64; 2]) -> (Node<Interned>, FaceId) {
    let mut node = Node::new(NodeConfig {
        form,
        seed: 5,
        strategy: strategy.parse().unwrap(),
        ..NodeConfig::default()
    });
    let face = |node: &mut Node<Interned>, label, capacity: Option<Rate>| {
        node.add_face(Time::ZERO, &FaceConfig { capacity_out: capacity, ..link(label) })
    };
    let down = face(&mut node, 1, None);
    let up = [
        face(&mut node, 2, Some(mbps(capacities[0]))),
        face(&mut node, 3, Some(mbps(capacities[1]))),
    ];
    face(&mut node, 4, None);
    node.route(Interned::prefix(1), up.to_vec());
    (node, down)
}

/// A path by one hop, named by a label.
fn labelled(label: u16) -> Hint {
    let mut labels = Labels::default();
    assert!(labels.push(label));
    Hint::Labels(labels)
}

#[test]
fn a_missing_path_is_nacked_if_strict_and_else_replaced() {
    let mut unknown = Bloom::default();
    unknown.insert(12345);
    // Label 4 is a face, but no next hop; label 9 is nothing; label 1 is where it came from.
    let hints = [
        (HintForm::Labels, labelled(4)),
        (HintForm::Labels, labelled(9)),
        (HintForm::Labels, labelled(1)),
        (HintForm::Hashes, Hint::Hash(99)),
        (HintForm::Bloom, Hint::Bloom(unknown)),
    ];
    for (form, hint) in hints {
        let (mut node, down) = split(form, "best-route", [1, 1]);
        let steered = |segment, strict| {
            Packet::from(Interest {
                steer: Steer { hint, strict },
                ..interest(Interned::segment(1, 1, segment), 7)
            })
        };
        node.handle(ms(0), down, steered(1, true), &mut Spare::default());
        let sent = actions(&mut node);
        assert_eq!(
            (sent[0].0, as_nack(&sent[0].1).reason),
            (down, NackReason::InvalidLabel),
            "{form:?}"
        );
        assert_eq!((node.pending(), node.counters().invalid_label), (0, 1));
        node.handle(ms(0), down, steered(2, false), &mut Spare::default());
        let sent = actions(&mut node);
        assert_eq!((sent[0].0, node.counters().fallback), (FaceId(1), 1));
        if form != HintForm::Bloom {
            assert_eq!(
                as_interest(&sent[0].1).steer.hint,
                Hint::None,
                "what is left of the path leads elsewhere"
            );
        }
    }
}

#[test]
fn a_label_is_taken_off_by_the_node_that_it_is_for() {
    let (mut node, down) = split(HintForm::Labels, "weighted", [1, 1]);
    let mut labels = Labels::default();
    assert!(labels.push(77) && labels.push(3));
    let steer = Steer { hint: Hint::Labels(labels), strict: true };
    node.handle(
        ms(0),
        down,
        Packet::from(Interest { steer, ..interest(Interned::segment(1, 1, 1), 7) }),
        &mut Spare::default(),
    );
    let sent = actions(&mut node);
    let Hint::Labels(left) = as_interest(&sent[0].1).steer.hint else { panic!("no labels") };
    assert_eq!((sent[0].0, left.hops(), left.top()), (FaceId(2), 1, Some(77)));
}

#[test]
fn an_interest_that_joins_another_does_not_take_its_own_path() {
    let (mut node, down) = split(HintForm::Labels, "weighted", [1, 1]);
    let second = node.add_face(Time::ZERO, &link(5));
    let to = |label| Interest {
        steer: Steer { hint: labelled(label), strict: false },
        ..interest(Interned::segment(1, 1, 1), label.into())
    };
    node.handle(ms(0), down, Packet::from(to(2)), &mut Spare::default());
    node.handle(ms(0), second, Packet::from(to(3)), &mut Spare::default());
    assert_eq!(actions(&mut node).iter().map(|(face, _)| *face).collect::<Vec<_>>(), [FaceId(1)]);
    assert_eq!((node.counters().aggregated, node.counters().diverted), (1, 1));
}

/// Shows MIRCC slide 12: "Forwarders with multiple next hops choose probabilistically"
#[test]
fn discovery_takes_next_hops_in_proportion_to_their_capacities() {
    for form in FORMS {
        let (mut node, down) = split(form, "weighted", [10, 30]);
        let draws = 10_000;
        let count = |node: &mut Node<Interned>, segments: std::ops::Range<u32>| {
            for segment in segments {
                node.handle(
                    ms(0),
                    down,
                    Packet::from(interest(Interned::segment(1, 1, segment), segment)),
                    &mut Spare::default(),
                );
            }
            actions(node).iter().filter(|(face, _)| *face == FaceId(1)).count() as f64
                / f64::from(draws)
        };
        // Binomial: a standard deviation of sqrt(0.25 * 0.75 / 10,000) = 0.0043, of which four are
        // allowed.
        let share = count(&mut node, 0..draws);
        assert!((share - 0.25).abs() < 0.0173, "{form:?}: {share}");
        node.set_capacity(ms(0), FaceId(1), None, Some(mbps(90)));
        let share = count(&mut node, draws..2 * draws);
        assert!((share - 0.75).abs() < 0.0173, "{form:?}: {share}");
    }
}

#[test]
fn best_route_takes_the_first_unless_it_came_from_there() {
    let (mut node, down) = split(HintForm::Labels, "best-route", [1, 100]);
    for segment in 0..100 {
        node.handle(
            ms(0),
            down,
            Packet::from(interest(Interned::segment(1, 1, segment), segment)),
            &mut Spare::default(),
        );
    }
    assert!(actions(&mut node).iter().all(|(face, _)| *face == FaceId(1)));
    node.handle(
        ms(0),
        FaceId(1),
        Packet::from(interest(Interned::segment(1, 1, 200), 200)),
        &mut Spare::default(),
    );
    assert_eq!(actions(&mut node)[0].0, FaceId(2));
}
