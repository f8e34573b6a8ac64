//! The shaper as neighbours see it: what leaves when, and who returns as a Nack.

use crate::node::net::*;
use narrows_icn::*;
use narrows_units::{Span, Time};
use proptest::prelude::*;

const DOWN: FaceId = FaceId(0);
const UP: FaceId = FaceId(1);

/// Up, a link of 10 Mbit/s: alone, Interests of 100 B leave at 0.98 Mbit/s for Data of 1000 B, one
/// in 816 us.
fn node(limit: usize) -> Node<Interned> {
    node_of(NodeConfig::default(), limit)
}

fn node_of(config: NodeConfig, limit: usize) -> Node<Interned> {
    let mut node = Node::new(config);
    node.add_face(Time::ZERO, &link(1));
    let shaper = Some(ShaperConfig { limit, ..ShaperConfig::default() });
    let law = Some("mircc".parse().unwrap());
    node.add_face(
        Time::ZERO,
        &FaceConfig {
            capacity_in: Some(mbps(10)),
            capacity_out: Some(mbps(10)),
            shaper,
            law,
            ..link(2)
        },
    );
    node.route(Interned::prefix(1), vec![UP]);
    // Sizes become known.
    node.handle(
        ms(0),
        DOWN,
        Packet::from(interest(Interned::segment(1, 9, 9), 1)),
        &mut Spare::default(),
    );
    node.handle(ms(0), UP, Packet::from(data(Interned::segment(1, 9, 9))), &mut Spare::default());
    actions(&mut node);
    node
}

fn ask(node: &mut Node<Interned>, now: Time, segment: u32, class: Class) {
    node.handle(
        now,
        DOWN,
        Packet::from(Interest { class, ..interest(Interned::segment(1, 1, segment), segment) }),
        &mut Spare::default(),
    );
}

/// Polls at every due time up to `until`, and collects what is sent when.
fn run(node: &mut Node<Interned>, until: Time) -> Vec<(Time, FaceId, Packet<Interned>)> {
    let mut sent = Vec::new();
    while let Some(due) = node.due().filter(|due| *due <= until) {
        node.poll(due);
        sent.extend(actions(node).into_iter().map(|(face, packet)| (due, face, packet)));
    }
    sent
}

#[test]
fn held_interests_leave_in_their_gaps() {
    let mut node = node(100);
    let begin = ms(50);
    node.poll(begin);
    for segment in 0..4 {
        ask(&mut node, begin, segment, Class::Primary);
    }
    assert_eq!(
        (actions(&mut node).len(), node.face(UP).waiting, node.face(UP).waiting_data),
        (1, 3, DATA * 3)
    );
    let left: Vec<u64> =
        run(&mut node, ms(60)).iter().map(|(at, ..)| at.since(begin).as_nanos()).collect();
    // 800 bits at 0.98 Mbit/s: 816.326 us.
    assert_eq!(left, [816_327, 1_632_654, 2_448_981]);
}

/// Shows MIRCC slide 14: "Forwarders preferentially drop Secondary traffic under congestion"
#[test]
fn an_evicted_interest_goes_back_with_the_links_rates_and_leaves_no_entry() {
    let mut node = node(2);
    let now = ms(50);
    for (segment, class) in
        [(0, Class::Primary), (1, Class::Secondary), (2, Class::Secondary), (3, Class::Secondary)]
    {
        ask(&mut node, now, segment, class);
    }
    let sent = actions(&mut node);
    let rates = node.face(UP).rates.expect("a law");
    let refused = as_nack(&sent.last().expect("a Nack").1);
    assert_eq!(
        (refused.interest.nonce, refused.reason, refused.rates, refused.route),
        (3, NackReason::Congestion, rates, Route::default())
    );
    ask(&mut node, now, 4, Class::Primary);
    let sent = actions(&mut node);
    assert_eq!(
        (sent.len(), sent[0].0, as_nack(&sent[0].1).interest.nonce),
        (1, DOWN, 2),
        "the youngest secondary one gives way"
    );
    assert_eq!((node.pending(), node.face(DOWN).pending), (3, 3));
    let counters = node.face(UP).counters;
    assert_eq!((counters.evicted, counters.refused, counters.most_waiting), (1, [0, 2], 2));
}

#[test]
fn a_full_table_refuses_with_the_rates_of_the_link_ahead() {
    let mut node = node_of(NodeConfig { pit_per_face: 1, ..NodeConfig::default() }, 100);
    ask(&mut node, ms(50), 0, Class::Primary);
    ask(&mut node, ms(50), 1, Class::Primary);
    let sent = actions(&mut node);
    let refused = as_nack(&sent[1].1);
    let rates = node.face(UP).rates.expect("a law");
    assert_eq!(
        (refused.reason, refused.rates, node.counters().table_full),
        (NackReason::Congestion, rates, 1)
    );
}

#[test]
fn data_that_nobody_asked_for_does_not_count_for_the_inflation() {
    let mut node = node(100);
    for segment in 0..4 {
        ask(&mut node, ms(50), segment, Class::Primary);
    }
    node.handle(
        ms(50),
        UP,
        Packet::from(Data { size: DATA * 9, ..data(Interned::segment(1, 5, 5)) }),
        &mut Spare::default(),
    );
    assert_eq!(
        (node.counters().unsolicited, node.face(UP).counters.data_in, node.face(UP).waiting_data),
        (1, 2, DATA * 3)
    );
}

#[test]
fn what_waits_until_nobody_waits_for_it_does_not_leave() {
    let mut node = node(100);
    let now = ms(50);
    ask(&mut node, now, 0, Class::Primary);
    let short =
        Interest { lifetime: Span::from_micros(500), ..interest(Interned::segment(1, 1, 1), 1) };
    node.handle(now, DOWN, Packet::from(short), &mut Spare::default());
    ask(&mut node, now, 2, Class::Primary);
    actions(&mut node);
    let left = run(&mut node, ms(52));
    assert_eq!(
        left.iter().map(|(_, _, packet)| as_interest(packet).nonce).collect::<Vec<_>>(),
        [2]
    );
    assert_eq!(left[0].0.since(now).as_nanos(), 816_327, "in the place of the one that did not");
    assert_eq!(node.counters().stale, 1);
}

#[test]
fn a_link_that_comes_up_again_lets_interests_leave() {
    let mut node = node(100);
    node.set_capacity(ms(40), UP, Some(mbps(0)), Some(mbps(10)));
    ask(&mut node, ms(50), 0, Class::Primary);
    ask(&mut node, ms(50), 1, Class::Primary);
    actions(&mut node);
    let leaves = |sent: Vec<(Time, FaceId, Packet<Interned>)>| sent.len();
    assert_eq!(leaves(run(&mut node, ms(500))), 0);
    node.set_capacity(ms(500), UP, Some(mbps(10)), Some(mbps(10)));
    assert_eq!(leaves(run(&mut node, ms(510))), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Data that comes back for the Interests of any window, whatever is asked on both sides, fits
    /// what was booked for it, but for one packet.
    #[test]
    fn the_way_back_is_never_booked_twice(
        asks in prop::collection::vec((0u64..3000, any::<bool>(), any::<bool>()), 1..150),
        capacity_in in 1u64..50,
        capacity_out in 1u64..50,
    ) {
        let mut node = node(20);
        node.set_capacity(ms(0), UP, Some(mbps(capacity_in)), Some(mbps(capacity_out)));
        let mut now = ms(10);
        let mut left: Vec<Time> = Vec::new();
        for (segment, (gap, secondary, reverse)) in asks.into_iter().enumerate() {
            let next = now + Span::from_micros(gap);
            left.extend(run(&mut node, next).iter().filter(|(_, face, _)| *face == UP).map(|(at, ..)| *at));
            now = next;
            let class = if secondary { Class::Secondary } else { Class::Primary };
            if reverse {
                // The other side asks for what is not here: that is what the shaper goes by.
                node.handle(now, UP, Packet::from(interest(Interned::segment(7, 1, segment as u32), segment as u32)), &mut Spare::default());
            }
            ask(&mut node, now, segment as u32, class);
            left.extend(actions(&mut node).iter().filter(|(face, packet)| *face == UP && matches!(packet, Packet::Interest(_))).map(|_| now));
        }
        left.extend(run(&mut node, now + Span::from_millis(100)).iter().filter(|(_, face, _)| *face == UP).map(|(at, ..)| *at));
        for (first, begin) in left.iter().enumerate() {
            for (last, end) in left.iter().enumerate().skip(first) {
                let bits = (last - first) as f64 * 8000.0;
                let booked = 0.98 * capacity_in as f64 * 1e6 * end.since(*begin).as_secs_f64();
                prop_assert!(bits <= booked * (1.0 + 1e-9), "{bits} bits of Data from {begin} to {end}, {booked} booked");
            }
        }
    }
}
