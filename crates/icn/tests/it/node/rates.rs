//! Rates stamped into Data and Nacks, the input of laws, and neighbours that do not understand
//! rates.

use crate::node::net::*;
use narrows_icn::*;
use narrows_path::RateLaw;
use narrows_units::{Span, Time};
use narrows_wire::{Labels, Rates};

fn name(segment: u32) -> Interned {
    Interned::segment(1, 1, segment)
}

/// A face with a law on a link of 10 Mbit/s, without a shaper.
fn ruled(label: u16) -> FaceConfig {
    FaceConfig {
        capacity_in: Some(mbps(10)),
        capacity_out: Some(mbps(10)),
        law: Some("mircc".parse().unwrap()),
        ..link(label)
    }
}

/// Faces down and up; the route leads up.
fn node(down: &FaceConfig, up: &FaceConfig) -> (Node<Interned>, FaceId, FaceId) {
    let mut node = Node::new(NodeConfig::default());
    let down = node.add_face(Time::ZERO, down);
    let up = node.add_face(Time::ZERO, up);
    node.route(Interned::prefix(1), vec![up]);
    (node, down, up)
}

/// The packets sent downstream for this Data.
fn answered(
    node: &mut Node<Interned>,
    (down, up): (FaceId, FaceId),
    data: Data<Interned>,
) -> Data<Interned> {
    node.handle(ms(0), down, Packet::from(interest(data.name, 1)), &mut Spare::default());
    node.handle(ms(0), up, Packet::from(data), &mut Spare::default());
    as_data(&actions(node)[1].1).clone()
}

/// Shows MIRCC slide 7: "Forwarder stamps each Data msg with its interface R(t) if R(t) <
/// received_value"
#[test]
fn data_carries_the_lowest_rates_of_the_links_it_crossed_class_by_class() {
    let (mut node, down, up) = node(&ruled(1), &ruled(2));
    let own = node.face(up).rates.expect("a law");
    assert_eq!(own.primary, mbps(10), "an idle link offers all it has");
    let limited = answered(&mut node, (down, up), data(name(1)));
    assert_eq!(
        (limited.rates, limited.route.limit),
        (own, extend(0, 0, 2)),
        "the link names itself"
    );
    let other = Rates { primary: mbps(3), secondary: mbps(100) };
    let route = Route { limit: 9, ..Route::default() };
    let stamped = answered(&mut node, (down, up), Data { rates: other, route, ..data(name(2)) });
    assert_eq!(stamped.rates, Rates { primary: mbps(3), secondary: own.secondary });
    assert_ne!(stamped.route.id, 0);
    assert_eq!(stamped.route.limit, 9, "the link that told less");
}

#[test]
fn a_face_without_a_law_stamps_nothing() {
    let (mut node, down, up) = node(&ruled(1), &link(2));
    assert_eq!(answered(&mut node, (down, up), data(name(1))).rates, Rates::UNLIMITED);
    assert_eq!(node.face(up).rates, None);
}

#[test]
fn towards_a_face_that_knows_no_rates_none_are_sent() {
    let plain = FaceConfig { rates: false, ..link(1) };
    let (mut node, down, up) = node(&plain, &ruled(2));
    let stamped = answered(&mut node, (down, up), data(name(1)));
    assert_eq!((stamped.rates, stamped.route), (Rates::UNLIMITED, Route::default()));
    // Nor is what comes from there believed: the Interest goes on unmarked.
    let claims =
        Interest { class: Class::Secondary, srtt: Span::from_millis(5), ..interest(name(2), 1) };
    node.handle(ms(0), down, Packet::from(claims), &mut Spare::default());
    let sent = actions(&mut node);
    assert_eq!(
        (as_interest(&sent[0].1).class, as_interest(&sent[0].1).srtt),
        (Class::Primary, Span::ZERO)
    );
}

#[test]
fn behind_a_face_that_knows_no_rates_rates_and_paths_begin_anew() {
    let plain = FaceConfig { rates: false, ..ruled(2) };
    let (mut node, down, up) = node(&link(1), &plain);
    let claims =
        Interest { class: Class::Secondary, srtt: Span::from_millis(5), ..interest(name(1), 1) };
    node.handle(ms(0), down, Packet::from(claims), &mut Spare::default());
    assert_eq!(as_interest(&actions(&mut node)[0].1).class, Class::Primary);
    let lie = Rates { primary: mbps(1), secondary: mbps(1) };
    node.handle(
        ms(0),
        up,
        Packet::from(Data {
            rates: lie,
            route: Route { id: 77, hint: Hint::None, limit: 9 },
            ..data(name(1))
        }),
        &mut Spare::default(),
    );
    let sent = actions(&mut node);
    let stamped = as_data(&sent[0].1);
    assert_eq!(stamped.rates, node.face(up).rates.expect("a law"), "of our own link alone");
    assert_eq!(stamped.route.id, extend(0, 0, 2));
}

#[test]
fn the_path_of_an_applications_data_begins_here() {
    let producer = FaceConfig { application: true, ..link(2) };
    let (mut node, down, up) = node(&link(1), &producer);
    let route = Route { id: 77, hint: labels(), limit: 9 };
    assert_eq!(
        answered(&mut node, (down, up), Data { route, ..data(name(1)) }).route,
        Route::default()
    );
}

fn labels() -> Hint {
    let mut labels = Labels::default();
    assert!(labels.push(5));
    Hint::Labels(labels)
}

#[test]
fn nacks_are_stamped_on_their_way_down() {
    let (mut node, down, up) = node(&link(1), &ruled(2));
    node.handle(ms(0), down, Packet::from(interest(name(1), 1)), &mut Spare::default());
    let rates = Rates { primary: mbps(2), secondary: mbps(1000) };
    let nack = Nack {
        interest: interest(name(1), 1),
        reason: NackReason::Congestion,
        rates,
        route: Route::default(),
    };
    node.handle(ms(0), up, Packet::from(nack), &mut Spare::default());
    let sent = actions(&mut node);
    let own = node.face(up).rates.expect("a law");
    let told = as_nack(&sent[1].1);
    assert_eq!((told.rates, told.route.id), (rates.min(own), extend(0, 0, 2)));
}

/// Polls until the law of `face` has ticked after `now`, and returns when.
fn tick(node: &mut Node<Interned>, now: Time) -> Time {
    let due = node.due().expect("a law ticks for ever");
    assert!(due > now);
    node.poll(due);
    due
}

#[test]
fn the_law_counts_what_is_offered_whatever_becomes_of_it() {
    let shaper = Some(ShaperConfig { limit: 2, ..ShaperConfig::default() });
    let (mut node, down, up) = node(&link(1), &FaceConfig { shaper, ..ruled(2) });
    // Sizes are known: an Interest of 100 B for Data of 1000 B.
    answered(&mut node, (down, up), data(name(0)));
    let first = node.due().expect("a tick");
    node.poll(first);
    for segment in 1..=6 {
        let class = if segment <= 2 { Class::Secondary } else { Class::Primary };
        node.handle(
            first,
            down,
            Packet::from(Interest {
                class,
                lifetime: Span::from_secs(9),
                ..interest(name(segment), segment)
            }),
            &mut Spare::default(),
        );
    }
    // Joins an entry: is not offered.
    let third = node.add_face(first, &link(3));
    node.handle(first, third, Packet::from(interest(name(1), 99)), &mut Spare::default());
    let counters = *node.face(up).counters;
    assert!(
        counters.refused[0] + counters.refused[1] >= 2 && counters.interests_out >= 2,
        "{counters:?}"
    );
    let arrivals = loop {
        let now = tick(&mut node, first);
        if node.face(up).arrivals[1] > 0.0 {
            let dt = now.since(first).as_secs_f64();
            break node.face(up).arrivals.map(|bits| bits * dt);
        }
    };
    // Bits of Data: four primary Interests and two secondary ones, 8000 bits each.
    assert!(
        (arrivals[0] - 32_000.0).abs() < 1e-6 && (arrivals[1] - 16_000.0).abs() < 1e-6,
        "{arrivals:?}"
    );
}

#[test]
fn laws_of_a_node_tick_out_of_step() {
    let mut node: Node<Interned> = Node::new(NodeConfig::default());
    let mut first = Vec::new();
    for label in 1..=20 {
        let mut alone: Node<Interned> =
            Node::new(NodeConfig { id: label.into(), ..NodeConfig::default() });
        alone.add_face(Time::ZERO, &ruled(label));
        first.push(alone.due().expect("a tick").as_nanos());
        node.add_face(Time::ZERO, &ruled(label));
    }
    let interval = 100e6;
    let mean = first.iter().sum::<u64>() as f64 / 20.0;
    // Uniform: the mean of 20 has a standard deviation of 0.29 / sqrt(20) = 0.065 intervals.
    assert!((mean / interval - 0.5).abs() < 0.26, "{mean}");
    first.sort();
    first.dedup();
    assert_eq!(first.len(), 20);
}

#[test]
fn a_reported_round_trip_counts_for_60_s_at_most_and_for_little_more_than_the_link_measures() {
    let (mut node, down, up) = node(&link(1), &ruled(2));
    let mean = |node: &Node<Interned>| {
        let mut found = 0.0;
        node.face(up)
            .law
            .expect("a law")
            .inspect(&mut |name, value| found = if name == "rtt_s" { value } else { found });
        found
    };
    let exchange = |node: &mut Node<Interned>, now: Time, segment: u32| {
        let slow = Interest { srtt: Span::from_secs(3600), ..interest(name(segment), segment) };
        node.handle(now, down, Packet::from(slow), &mut Spare::default());
        node.handle(
            now + Span::from_millis(10),
            up,
            Packet::from(data(name(segment))),
            &mut Spare::default(),
        );
        actions(node);
    };
    let begin = tick(&mut node, ms(0));
    exchange(&mut node, begin, 1);
    let next = tick(&mut node, begin + Span::from_millis(10));
    // A quarter of the way from 0.1 s to 60 s.
    assert!((mean(&node) - (0.1 + 59.9 / 4.0)).abs() < 1e-9, "{}", mean(&node));
    exchange(&mut node, next, 2);
    tick(&mut node, next + Span::from_millis(10));
    // Eight times 10 ms and a second.
    assert!((mean(&node) - (15.075 + (1.08 - 15.075) / 4.0)).abs() < 1e-9, "{}", mean(&node));
}

#[test]
fn a_law_ticks_once_however_late_it_is() {
    let (mut node, _, up) = node(&link(1), &ruled(2));
    let now = ms(60_000);
    node.poll(now);
    let law = node.face(up).law.expect("a law").interval();
    assert_eq!(node.due(), Some(now + law));
}
