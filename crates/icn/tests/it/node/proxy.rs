//! The proxy of a neighbour that does not follow rates: the pace of its Interests, and what becomes
//! of those too many.

use crate::node::net::*;
use narrows_icn::*;
use narrows_units::{Rate, Span, Time};
use narrows_wire::Rates;

const APP: FaceId = FaceId(0);
const FOLLOWER: FaceId = FaceId(1);
const UP: FaceId = FaceId(2);

/// An application without rates, one with, and a link of 10 Mbit/s. Data has told the first one of
/// 1 Mbit/s at 0 ms: 8 ms for 1000 B.
fn node(limit: usize, shaper: usize) -> Node<Interned> {
    let mut node = Node::new(NodeConfig::default());
    let plain = FaceConfig {
        rates: false,
        nacks: Nacking::ExceptCongestion,
        proxy: Some(ProxyConfig { limit }),
        ..application(1)
    };
    node.add_face(Time::ZERO, &plain);
    node.add_face(Time::ZERO, &application(2));
    let shaper = Some(ShaperConfig { limit: shaper, ..ShaperConfig::default() });
    let law = Some("mircc".parse().unwrap());
    node.add_face(
        Time::ZERO,
        &FaceConfig {
            capacity_in: Some(mbps(10)),
            capacity_out: Some(mbps(10)),
            shaper,
            law,
            ..link(3)
        },
    );
    node.route(Interned::prefix(1), vec![UP]);
    ask(&mut node, ms(0), APP, 1000);
    let slow = Rates { primary: Rate::from_mbps(1), secondary: Rate::ZERO };
    node.handle(
        ms(0),
        UP,
        Packet::from(Data { rates: slow, ..data(segment(1000)) }),
        &mut Spare::default(),
    );
    let sent = actions(&mut node);
    assert_eq!(
        sent.iter().map(|(face, _)| *face).collect::<Vec<_>>(),
        [UP, APP],
        "the first one passes at once"
    );
    node
}

fn segment(number: u32) -> Interned {
    Interned::segment(1, 1, number)
}

fn ask(node: &mut Node<Interned>, now: Time, from: FaceId, number: u32) {
    node.handle(now, from, Packet::from(interest(segment(number), number)), &mut Spare::default());
}

/// Polls at every due time up to `until`, and returns when Interests left with which nonces.
fn run(node: &mut Node<Interned>, until: Time) -> Vec<(u64, u32)> {
    let mut left = Vec::new();
    while let Some(due) = node.due().filter(|due| *due <= until) {
        node.poll(due);
        for (face, packet) in actions(node) {
            assert_eq!(face, UP);
            left.push((due.since(Time::ZERO).as_micros(), as_interest(&packet).nonce));
        }
    }
    left
}

#[test]
fn interests_leave_at_the_rate_in_data_and_what_waits_is_not_offered() {
    let mut node = node(1000, 100);
    (0..5).for_each(|number| ask(&mut node, ms(50), APP, number));
    assert_eq!(actions(&mut node).len(), 1, "a pause is not made up for");
    assert_eq!(
        (node.face(APP).proxied, node.face(UP).waiting, node.face(UP).counters.interests_out),
        (4, 0, 2)
    );
    assert_eq!(run(&mut node, ms(100)), [(58_000, 1), (66_000, 2), (74_000, 3), (82_000, 4)]);
    assert_eq!((node.face(APP).counters.proxied, node.face(APP).counters.proxy_full), (4, 0));
}

/// At 8 ms per Interest the second one leaves at 58 ms. Data at 55 ms tells of 4 Mbit/s, less
/// than 3 ms per Interest: its turn is over.
#[test]
fn a_turn_that_a_faster_rate_puts_into_the_past_is_now() {
    let mut node = node(1000, 100);
    (0..3).for_each(|number| ask(&mut node, ms(50), APP, number));
    assert_eq!((actions(&mut node).len(), node.due()), (1, Some(ms(58))));
    let fast = Rates { primary: Rate::from_mbps(4), secondary: Rate::ZERO };
    let data = Packet::from(Data { rates: fast, ..data(segment(0)) });
    node.handle(ms(55), UP, data, &mut Spare::default());
    assert_eq!((actions(&mut node).len(), node.due()), (1, Some(ms(55))));
    let left = run(&mut node, ms(58));
    assert!(left.len() == 2 && left[0] == (55_000, 1) && left[1].1 == 2, "{left:?}");
}

#[test]
fn a_second_after_the_latest_data_the_rate_of_the_link_holds() {
    let mut node = node(1000, 100);
    let now = ms(1500);
    run(&mut node, now);
    let link = node.face(UP).rates.expect("a law").primary;
    assert_eq!(link, mbps(10), "an idle link grants all of it");
    (0..3).for_each(|number| ask(&mut node, now, APP, number));
    actions(&mut node);
    // 8000 bits at 10 Mbit/s; the shaper is slower by its headroom, and has the second one wait.
    let left = run(&mut node, now + Span::from_millis(2));
    assert_eq!(left.len(), 2);
    assert!(left[0].0 >= 1_500_800 && left[1].0 >= 1_501_600 && left[1].0 < 1_502_000, "{left:?}");
}

#[test]
fn too_many_are_dropped_without_a_word() {
    let mut few = node(3, 100);
    (0..6).for_each(|number| ask(&mut few, ms(50), APP, number));
    assert_eq!(actions(&mut few).len(), 1);
    assert_eq!(
        (
            few.face(APP).proxied,
            few.face(APP).counters.proxy_full,
            few.pending(),
            few.face(APP).counters.nacks_out
        ),
        (3, 2, 4, 0)
    );
    // The k-th that waits has waited for 8 k ms: after 2 s, half of its lifetime, 250 of them.
    let mut long = node(1000, 100);
    (0..300).for_each(|number| ask(&mut long, ms(50), APP, number));
    assert_eq!((long.face(APP).proxied, long.face(APP).counters.proxy_full), (250, 49));
}

#[test]
fn a_neighbour_without_a_route_is_told_and_one_of_congestion_is_not() {
    let mut node = node(1000, 100);
    node.handle(
        ms(1),
        APP,
        Packet::from(interest(Interned::segment(2, 1, 1), 1)),
        &mut Spare::default(),
    );
    assert_eq!(as_nack(&actions(&mut node)[0].1).reason, NackReason::NoRoute);
    ask(&mut node, ms(50), APP, 1);
    actions(&mut node);
    node.handle(
        ms(51),
        UP,
        nack(interest(segment(1), 1), NackReason::Congestion),
        &mut Spare::default(),
    );
    assert!(actions(&mut node).is_empty());
    assert_eq!((node.counters().unreported, node.pending()), (1, 0));
}

#[test]
fn a_repeated_interest_takes_the_place_of_the_one_that_waits() {
    let mut node = node(1000, 100);
    (0..3).for_each(|number| ask(&mut node, ms(50), APP, number));
    actions(&mut node);
    node.handle(ms(52), APP, Packet::from(interest(segment(1), 77)), &mut Spare::default());
    assert_eq!((node.face(APP).proxied, node.counters().retransmitted), (2, 1));
    assert_eq!(run(&mut node, ms(100)), [(58_000, 77), (66_000, 2)]);
}

#[test]
fn what_the_shaper_would_refuse_stays_at_the_head() {
    let mut node = node(1000, 1);
    // One leaves, one waits in the shaper, which is full then.
    (100..102).for_each(|number| ask(&mut node, ms(50), FOLLOWER, number));
    (0..2).for_each(|number| ask(&mut node, ms(50), APP, number));
    actions(&mut node);
    assert_eq!((node.face(APP).proxied, node.face(UP).counters.refused), (2, [0, 0]));
    let nonces: Vec<u32> = run(&mut node, ms(100)).iter().map(|(_, nonce)| *nonce).collect();
    assert_eq!((nonces, node.face(UP).counters.refused), (vec![101, 0, 1], [0, 0]));
}

#[test]
fn who_follows_rates_does_not_wait_for_somebody_elses_pace() {
    let mut node = node(1000, 100);
    (0..3).for_each(|number| ask(&mut node, ms(50), APP, number));
    actions(&mut node);
    node.handle(ms(51), FOLLOWER, Packet::from(interest(segment(2), 88)), &mut Spare::default());
    assert_eq!(as_interest(&actions(&mut node)[0].1).name, segment(2));
    assert_eq!((node.face(APP).proxied, node.counters().aggregated), (1, 1));
}

#[test]
fn what_waits_goes_with_its_face_unless_others_want_it() {
    let mut node = node(1000, 100);
    let other = node.add_face(ms(1), &FaceConfig { rates: false, ..application(4) });
    (0..3).for_each(|number| ask(&mut node, ms(50), APP, number));
    node.handle(ms(51), other, Packet::from(interest(segment(2), 88)), &mut Spare::default());
    actions(&mut node);
    node.remove_face(ms(52), APP);
    let left: Vec<Interned> =
        actions(&mut node).iter().map(|(_, packet)| as_interest(packet).name).collect();
    assert_eq!((left, node.pending()), (vec![segment(2)], 1));
}
