//! The neighbours that a forwarder on real links meets: they come and go, do not follow rates, have
//! no route, or are on this host.

use super::net::*;
use narrows_icn::*;
use narrows_units::{Rate, Span};

const A: FaceId = FaceId(0);
const B: FaceId = FaceId(1);
const UP: FaceId = FaceId(2);
const AWAY: FaceId = FaceId(3);

fn name(segment: u32) -> Interned {
    Interned::segment(1, 1, segment)
}

/// A and B ask; UP and AWAY are next hops of everything. Nobody follows rates.
fn node_of(config: NodeConfig, away: &FaceConfig) -> Node<Interned> {
    let mut node = Node::new(NodeConfig { strategy: "best-route".parse().unwrap(), ..config });
    let plain = |label| FaceConfig { rates: false, ..link(label) };
    for label in 1..=3 {
        node.add_face(ms(0), &plain(label));
    }
    node.add_face(ms(0), away);
    node.route(Interned::prefix(1), vec![UP, AWAY]);
    node
}

fn node() -> Node<Interned> {
    node_of(NodeConfig::default(), &FaceConfig { rates: false, ..link(4) })
}

fn ask(
    node: &mut Node<Interned>,
    at: u64,
    from: FaceId,
    interest: Interest<Interned>,
) -> Vec<(FaceId, Packet<Interned>)> {
    node.handle(ms(at), from, Packet::from(interest), &mut Spare::default());
    actions(node)
}

fn faces(sent: &[(FaceId, Packet<Interned>)]) -> Vec<FaceId> {
    sent.iter().map(|(face, _)| *face).collect()
}

#[test]
fn a_face_that_goes_takes_what_waits_for_it_and_leads_to_it() {
    let mut node = node();
    ask(&mut node, 0, A, interest(name(1), 1));
    ask(&mut node, 0, A, interest(name(2), 2));
    ask(&mut node, 0, B, interest(name(2), 3));
    assert_eq!(node.pending(), 2);
    node.remove_face(ms(1), A);
    assert_eq!(node.pending(), 1, "B waits for the second");
    assert_eq!(faces(&ask(&mut node, 2, UP, interest(name(9), 9))), [AWAY]);
    node.handle(ms(3), UP, Packet::from(data(name(2))), &mut Spare::default());
    assert_eq!(faces(&actions(&mut node)), [B]);
    node.remove_face(ms(4), UP);
    assert_eq!(faces(&ask(&mut node, 4, B, interest(name(3), 4))), [AWAY], "the other next hop");
    node.remove_face(ms(5), AWAY);
    let sent = ask(&mut node, 5, B, interest(name(4), 5));
    assert_eq!(as_nack(&sent[0].1).reason, NackReason::NoRoute);
    assert_eq!(node.add_face(ms(6), &link(9)), AWAY, "the number is free again");
    assert!(node.face(AWAY).counters.interests_out == 0 && node.pending() == 1);
}

#[test]
fn a_face_that_goes_takes_what_its_shaper_holds() {
    let shaped = FaceConfig {
        capacity_in: Some(Rate::from_mbps(1)),
        capacity_out: Some(Rate::from_mbps(1)),
        law: Some("mircc".parse().unwrap()),
        shaper: Some(ShaperConfig::default()),
        ..link(4)
    };
    let mut node = node_of(NodeConfig::default(), &shaped);
    node.route(Interned::prefix(1), vec![AWAY]);
    for segment in 0..10 {
        ask(&mut node, 0, A, interest(name(segment), segment));
    }
    assert!(node.face(AWAY).waiting >= 8);
    node.remove_face(ms(1), AWAY);
    node.poll(ms(2000));
    assert!(node.action().is_none(), "nothing leaves by a face that is gone");
    assert_eq!(node.add_face(ms(2000), &link(7)), AWAY);
    node.poll(ms(5000));
    assert!(node.action().is_none() && node.pending() == 0 && node.due().is_none());
}

#[test]
fn multicast_asks_everybody_and_the_first_answer_serves() {
    let mut node = node();
    node.set_strategy(Interned::content(1, 1), &"multicast".parse().unwrap());
    assert_eq!(faces(&ask(&mut node, 0, A, interest(name(1), 1))), [AWAY, UP]);
    assert_eq!(
        faces(&ask(&mut node, 0, A, interest(Interned::segment(1, 2, 1), 1))),
        [UP],
        "the prefix's strategy only"
    );
    let refused = Nack {
        interest: interest(name(1), 1),
        reason: NackReason::NoRoute,
        rates: narrows_wire::Rates::UNLIMITED,
        route: Route::default(),
    };
    node.handle(ms(1), UP, Packet::from(refused), &mut Spare::default());
    assert!(actions(&mut node).is_empty(), "the other one may still answer");
    node.handle(ms(2), AWAY, Packet::from(data(name(1))), &mut Spare::default());
    assert_eq!(faces(&actions(&mut node)), [A]);
    assert!(
        node.unset_strategy(&Interned::content(1, 1))
            && !node.unset_strategy(&Interned::content(1, 1))
    );
    assert_eq!(faces(&ask(&mut node, 3, A, interest(name(2), 2))), [UP]);
}

#[test]
fn the_least_severe_reason_returns() {
    let mut node = node();
    node.set_strategy(Interned::prefix(1), &"multicast".parse().unwrap());
    for (first, second, told) in [
        (NackReason::NoRoute, NackReason::Congestion, NackReason::Congestion),
        (NackReason::Congestion, NackReason::NoRoute, NackReason::Congestion),
        (NackReason::NoRoute, NackReason::Duplicate, NackReason::Duplicate),
    ] {
        ask(&mut node, 0, A, interest(name(1), 1));
        node.handle(ms(0), UP, nack(interest(name(1), 1), first), &mut Spare::default());
        assert!(actions(&mut node).is_empty());
        node.handle(ms(0), AWAY, nack(interest(name(1), 1), second), &mut Spare::default());
        let sent = actions(&mut node);
        assert_eq!((sent[0].0, as_nack(&sent[0].1).reason), (A, told));
    }
}

#[test]
fn best_route_asks_the_next_neighbour_where_there_is_no_route_and_not_where_there_is_congestion() {
    let mut node = node();
    ask(&mut node, 0, A, interest(name(1), 1));
    node.handle(ms(1), UP, nack(interest(name(1), 1), NackReason::NoRoute), &mut Spare::default());
    assert_eq!(faces(&actions(&mut node)), [AWAY]);
    node.handle(
        ms(2),
        AWAY,
        nack(interest(name(1), 1), NackReason::NoRoute),
        &mut Spare::default(),
    );
    let sent = actions(&mut node);
    assert_eq!(
        (sent[0].0, as_nack(&sent[0].1).reason, node.pending()),
        (A, NackReason::NoRoute, 0),
        "nobody is asked twice"
    );
    ask(&mut node, 3, A, interest(name(2), 2));
    node.handle(
        ms(4),
        UP,
        nack(interest(name(2), 2), NackReason::Congestion),
        &mut Spare::default(),
    );
    assert_eq!(as_nack(&actions(&mut node)[0].1).reason, NackReason::Congestion);
}

/// NFD's best route: 10 ms, then 20, at most 250; each time another next hop, and then the one
/// asked longest ago.
#[test]
fn a_neighbour_that_repeats_is_heard_ever_less_often() {
    let mut node = node();
    assert_eq!(faces(&ask(&mut node, 0, A, interest(name(1), 1))), [UP]);
    let mut forwarded = Vec::new();
    for at in 1..700 {
        let sent = ask(&mut node, at, A, interest(name(1), 1 + at as u32));
        forwarded.extend(sent.iter().map(|(face, _)| (at, *face)));
    }
    let expected = [(10, AWAY), (30, UP), (70, AWAY), (150, UP), (310, AWAY), (560, UP)];
    assert_eq!(forwarded, expected);
    assert_eq!(node.counters().suppressed, 699 - expected.len() as u64);
    assert_eq!(node.pending(), 1);
}

#[test]
fn an_interest_repeated_while_it_waits_is_exchanged() {
    let shaped = FaceConfig {
        capacity_in: Some(Rate::from_mbps(1)),
        capacity_out: Some(Rate::from_mbps(1)),
        shaper: Some(ShaperConfig::default()),
        ..link(4)
    };
    let mut node = node_of(NodeConfig::default(), &shaped);
    node.route(Interned::prefix(1), vec![AWAY]);
    assert_eq!(ask(&mut node, 0, A, interest(name(1), 1)).len(), 1);
    assert!(
        ask(&mut node, 0, A, interest(name(2), 2)).is_empty()
            && ask(&mut node, 0, A, interest(name(2), 3)).is_empty()
    );
    assert_eq!(node.face(AWAY).waiting, 1, "one copy");
    node.poll(ms(1000));
    let sent = actions(&mut node);
    assert_eq!(sent.len(), 1);
    assert_eq!((as_interest(&sent[0].1).name, as_interest(&sent[0].1).nonce), (name(2), 3));
    node.handle(
        ms(1010),
        AWAY,
        nack(interest(name(2), 3), NackReason::Congestion),
        &mut Spare::default(),
    );
    assert_eq!(as_nack(&actions(&mut node)[0].1).interest.nonce, 3);
}

#[test]
fn an_interest_that_comes_again_after_its_entry_has_ended_is_a_loop() {
    for (dead_nonces, looped) in [(false, 0), (true, 1)] {
        let mut node = node_of(NodeConfig { dead_nonces, ..NodeConfig::default() }, &link(4));
        let short = Interest { lifetime: Span::from_millis(100), ..interest(name(1), 7) };
        ask(&mut node, 0, A, short.clone());
        node.poll(ms(500));
        assert_eq!(node.pending(), 0);
        ask(&mut node, 500, B, short);
        assert_eq!(node.counters().duplicate, looped);
        // The entry may have ended again, while one for another Interest is pending.
        node.poll(ms(700));
        assert_eq!(
            ask(&mut node, 700, B, interest(name(1), 8)).len(),
            1,
            "another nonce is another Interest"
        );
        ask(&mut node, 710, A, interest(name(1), 7));
        assert_eq!(
            (node.counters().duplicate, node.counters().aggregated),
            (2 * looped, 1 - looped)
        );
    }
}

#[test]
fn limits_hold_for_all_faces_and_for_lifetimes() {
    let config =
        NodeConfig { pit_limit: 3, longest_lifetime: Span::from_secs(60), ..NodeConfig::default() };
    let mut node = node_of(config, &link(4));
    for (segment, from) in [(1, A), (2, B), (3, A)] {
        ask(
            &mut node,
            0,
            from,
            Interest { lifetime: Span::from_secs(1 << 30), ..interest(name(segment), segment) },
        );
    }
    let sent = ask(&mut node, 0, B, interest(name(4), 4));
    assert_eq!(as_nack(&sent[0].1).reason, NackReason::Congestion);
    assert_eq!((node.pending(), node.counters().table_full), (3, 1));
    node.poll(ms(61_000));
    assert_eq!(node.pending(), 0);
}

#[test]
fn neighbours_that_want_no_nacks_get_none() {
    let mut node = node_of(NodeConfig::default(), &FaceConfig { nacks: Nacking::Never, ..link(4) });
    assert!(ask(&mut node, 0, AWAY, interest(Interned::segment(5, 1, 1), 1)).is_empty());
    ask(&mut node, 0, AWAY, interest(name(1), 1));
    node.handle(
        ms(0),
        UP,
        nack(interest(name(1), 1), NackReason::Congestion),
        &mut Spare::default(),
    );
    assert!(actions(&mut node).is_empty() && node.pending() == 0);
    assert_eq!(node.counters().unreported, 2);
}

#[test]
fn an_interest_may_name_its_face() {
    let mut node = node();
    let steered = |face| Interest {
        steer: Steer { hint: Hint::Face(face), strict: false },
        ..interest(Interned::segment(7, 7, face.0), 1)
    };
    // A neighbour that follows no rates may steer neither.
    assert_eq!(as_nack(&ask(&mut node, 0, A, steered(AWAY))[0].1).reason, NackReason::NoRoute);
    let app = node.add_face(ms(0), &application(9));
    let sent = ask(&mut node, 0, app, steered(AWAY));
    assert_eq!((faces(&sent), as_interest(&sent[0].1).steer.hint), (vec![AWAY], Hint::None));
    assert_eq!(
        as_nack(&ask(&mut node, 0, app, steered(FaceId(77)))[0].1).reason,
        NackReason::NoRoute
    );
}

#[test]
fn the_content_store_keeps_to_bytes_and_erases_by_prefix() {
    let mut node = node_of(
        NodeConfig {
            cache: CacheLimits { bytes: DATA + DATA + DATA, ..CacheLimits::packets(100) },
            ..NodeConfig::default()
        },
        &link(4),
    );
    for segment in 1..=5 {
        ask(&mut node, 0, A, interest(name(segment), segment));
        node.handle(ms(0), UP, Packet::from(data(name(segment))), &mut Spare::default());
        actions(&mut node);
    }
    assert_eq!(node.cached(), 3);
    assert_eq!(node.erase_cached(&Interned::content(1, 1), 2), 2);
    assert_eq!(node.cached(), 1);
    assert_eq!(
        faces(&ask(&mut node, 1, B, interest(name(5), 9))),
        [B],
        "the last in the order of names is left"
    );
    node.set_cache_limits(CacheLimits { serve: false, ..node.cache_limits() });
    assert_eq!(faces(&ask(&mut node, 2, B, interest(name(5), 10))), [UP]);
    node.set_cache_limits(CacheLimits::OFF);
    assert_eq!(node.cached(), 0);
}

#[test]
fn an_interest_goes_to_the_network_that_it_names() {
    let mut node = node();
    node.route(Interned::prefix(8), vec![AWAY]);
    let via = |names: &[u32]| Some(names.iter().map(|name| Interned::prefix(*name)).collect());
    let elsewhere = Interned::segment(5, 1, 1);
    assert_eq!(
        faces(&ask(&mut node, 0, A, Interest { via: via(&[7, 8]), ..interest(elsewhere, 1) })),
        [AWAY]
    );
    assert_eq!(
        as_nack(&ask(&mut node, 0, A, Interest { via: via(&[7]), ..interest(elsewhere, 2) })[0].1)
            .reason,
        NackReason::NoRoute
    );
    assert_eq!(
        faces(&ask(&mut node, 0, A, Interest { via: via(&[8]), ..interest(name(1), 3) })),
        [AWAY]
    );
    assert_eq!(
        faces(&ask(&mut node, 0, A, Interest { via: via(&[7]), ..interest(name(1), 4) })),
        [UP],
        "another Interest"
    );
    assert_eq!(node.pending(), 3);
    node.handle(ms(1), AWAY, Packet::from(data(elsewhere)), &mut Spare::default());
    assert_eq!(faces(&actions(&mut node)), [A]);
}
