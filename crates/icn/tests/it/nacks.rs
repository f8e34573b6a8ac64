//! Consumers under Nacks, timeouts and lost paths.

use crate::common::{CONTENT, at, consumer, data, kbps, nack, path_of, run, segment_of};
use narrows_icn::{AnyConsumer, Hint, Interest, Interned, InternedContent, NackReason, Packet};
use narrows_units::{Rate, Span, Time};
use narrows_wire::Rates;

const RTT: Span = Span::from_millis(50);

fn times(sent: &[(Time, Interest<Interned>)]) -> Vec<u64> {
    sent.iter().map(|(time, _)| time.since(Time::ZERO).as_micros() / 1000).collect()
}

#[test]
fn the_first_interest_is_repeated_after_1_2_4_and_8_seconds() {
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(30_000)), RTT, |_, _| None);
    assert_eq!(times(&sent), [0, 1000, 3000, 7000, 15_000, 23_000]);
    assert!(
        sent.iter().all(|(_, interest)| segment_of(interest) == 0 && path_of(interest).is_none())
    );
    let nonces: std::collections::BTreeSet<_> =
        sent.iter().map(|(_, interest)| interest.nonce).collect();
    assert_eq!(nonces.len(), sent.len(), "each has a nonce of its own");
    assert_eq!(
        (consumer.counters().retransmissions, consumer.counters().timeouts, consumer.in_flight()),
        (5, 5, 1)
    );
}

#[test]
fn a_nacked_first_interest_leaves_again_at_the_rate_of_the_nack() {
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(1000)), RTT, |now, interest| {
        let reply = if now < at(200) {
            nack(interest, NackReason::Congestion, kbps(100, 0))
        } else {
            data(interest, 1, kbps(8, 0))
        };
        Some(reply)
    });
    // 80 ms for Data of 1000 B at 100 kbit/s.
    assert_eq!(times(&sent), [0, 130, 260]);
}

#[test]
fn a_first_interest_without_a_route_waits_its_second() {
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(4000)), RTT, |_, interest| {
        Some(nack(interest, NackReason::NoRoute, Rates::UNLIMITED))
    });
    assert_eq!(times(&sent), [0, 1000, 3000]);
    assert_eq!(consumer.counters().nacks.no_route, 3);
}

/// A consumer that knows these paths, and has sent `after` Interests since.
fn knowing(
    name: &str,
    paths: &[u64],
    rates: Rates,
) -> (AnyConsumer<InternedContent>, Interest<Interned>) {
    let mut consumer = consumer(name, None);
    consumer.poll(at(0));
    let mut interest = consumer.interest().unwrap();
    let mut now = at(0);
    for path in paths {
        now += RTT;
        consumer.handle(now, &data(&interest, *path, rates));
        interest = consumer.interest().unwrap();
        assert!(consumer.interest().is_none());
    }
    (consumer, interest)
}

#[test]
fn lower_rates_of_a_nack_apply_and_higher_ones_do_not() {
    let (mut consumer, interest) = knowing("mircc?probe=0", &[1], kbps(1000, 500));
    assert_eq!(path_of(&interest), Some(1));
    consumer.handle(at(60), &nack(&interest, NackReason::Congestion, kbps(400, 700)));
    let subflow = consumer.subflows().next().unwrap();
    assert_eq!(subflow.rates, kbps(400, 500));
    // The same segment again, in its turn: 20 ms after the Interest at 50 ms.
    assert_eq!(consumer.due(), Some(at(70)));
    consumer.poll(at(70));
    let again = consumer.interest().unwrap();
    assert!(again.name == interest.name && again.nonce != interest.nonce);
    consumer.handle(at(80), &nack(&interest, NackReason::Congestion, kbps(1, 1)));
    assert_eq!(
        consumer.counters().unsolicited,
        1,
        "the nonce is not that of the Interest in flight"
    );
    consumer.handle(at(120), &data(&again, 1, kbps(900, 800)));
    assert_eq!(consumer.rates().0, Rate::from_kbps(900), "Data holds at once");
    assert_eq!(
        consumer.take_rtt(),
        Some(RTT),
        "the first Interest was refused, so that this answers the second"
    );
}

#[test]
fn a_nack_without_a_path_counts_only_if_one_path_is_known() {
    let lowest = |paths: &[u64]| {
        let (mut consumer, interest) = knowing("single?probe=1", paths, kbps(1000, 0));
        assert_eq!(path_of(&interest), None);
        consumer.handle(at(1000), &nack(&interest, NackReason::Congestion, kbps(100, 0)));
        consumer.subflows().map(|subflow| subflow.rates.primary).min().unwrap()
    };
    assert_eq!(lowest(&[1]), Rate::from_kbps(100));
    assert_eq!(lowest(&[1, 2]), Rate::from_kbps(1000));
}

#[test]
fn retransmissions_after_nacks_are_paced() {
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(4000)), Span::from_millis(1), |now, interest| {
        let refused = (at(1000)..at(1900)).contains(&now);
        Some(if refused {
            nack(interest, NackReason::Congestion, kbps(1000, 0))
        } else {
            data(interest, 1, kbps(1000, 0))
        })
    });
    assert!(sent.windows(2).skip(1).all(|pair| pair[1].0.since(pair[0].0) >= Span::from_millis(8)));
    assert!(consumer.counters().nacks.congestion > 100);
    assert_eq!(consumer.counters().nacks.congestion, consumer.counters().retransmissions);
}

#[test]
fn a_label_that_no_longer_leads_anywhere_ends_its_subflow() {
    let (mut consumer, interest) = knowing("mircc?probe=0&strict=true", &[1], kbps(1000, 0));
    assert!(interest.steer.strict && interest.steer.hint == Hint::Hash(1));
    consumer.handle(at(60), &nack(&interest, NackReason::InvalidLabel, Rates::UNLIMITED));
    assert_eq!((consumer.subflows().count(), consumer.rates().0), (0, Rate::ZERO));
    // A path is looked for at once.
    let first = consumer.interest().unwrap();
    assert!(first.name == interest.name && first.steer.hint == Hint::None && !first.steer.strict);
    assert!(consumer.interest().is_none());
    assert_eq!(consumer.due(), Some(at(1060)));
}

#[test]
fn a_segment_is_given_up_after_200_ms_as_often_as_others_are_answered() {
    let mut consumer = consumer("single", None);
    let sent = run(&mut consumer, (at(0), at(2000)), RTT, |_, interest| {
        (segment_of(interest) != 40).then(|| data(interest, 1, kbps(1000, 0)))
    });
    let late: Vec<_> = sent
        .iter()
        .filter(|(_, interest)| segment_of(interest) == 40)
        .map(|(time, _)| *time)
        .collect();
    let waits: Vec<_> =
        late.windows(2).map(|pair| pair[1].since(pair[0]).as_micros() / 1000).collect();
    // Each ends with the next slot of 8 ms.
    assert_eq!(waits.len(), 8);
    assert!(waits.iter().all(|wait| (200..=208).contains(wait)), "{waits:?}");
    assert_eq!(consumer.rates().0, Rate::from_mbps(1), "no rate changes");
    assert_eq!((consumer.counters().timeouts, consumer.in_flight()), (8, 6));
}

#[test]
fn while_nothing_is_answered_the_wait_doubles() {
    // An Interest every 100 ms, of which those after 1 s are not answered; a path is given up after
    // 8 round trips of 200 ms.
    let mut consumer = consumer("single?probe=0&probes=0", None);
    let slow = Span::from_millis(200);
    let sent = run(&mut consumer, (at(0), at(2500)), slow, |now, interest| {
        (now < at(1000)).then(|| data(interest, 1, kbps(80, 0)))
    });
    let first = segment_of(&sent.iter().find(|(time, _)| *time >= at(1000)).unwrap().1);
    let times: Vec<_> = sent
        .iter()
        .filter(|(_, interest)| segment_of(interest) == first)
        .map(|(time, _)| *time)
        .collect();
    let waits: Vec<_> = times.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    // Both end with the next slot of 100 ms. Interests that left before the first timeout do not
    // double it again when they time out.
    assert!(
        waits.len() >= 2 && waits[1] >= waits[0] * 3 / 2 && waits[1] <= waits[0] * 2,
        "{waits:?}"
    );
}

#[test]
fn a_path_that_only_refuses_is_kept() {
    let mut consumer = consumer("single", None);
    let sent = run(&mut consumer, (at(0), at(6000)), RTT, |now, interest| {
        Some(if now < at(1000) {
            data(interest, 1, kbps(1000, 0))
        } else {
            nack(interest, NackReason::Congestion, kbps(1000, 0))
        })
    });
    assert_eq!(consumer.subflows().map(|subflow| subflow.id).collect::<Vec<_>>(), [1]);
    let last =
        sent.iter().rev().take(50).filter(|(_, interest)| path_of(interest) == Some(1)).count();
    assert!(last > 40, "it is steered to all along: {last} of 50");
}

#[test]
fn a_refusal_without_a_rate_is_not_repeated_at_once() {
    let mut consumer = consumer("single", None);
    let sent = run(&mut consumer, (at(0), at(4000)), RTT, |_, interest| {
        Some(nack(interest, NackReason::Congestion, Rates::UNLIMITED))
    });
    assert_eq!(sent.iter().map(|(time, _)| *time).collect::<Vec<_>>(), [at(0), at(1000), at(3000)]);
}

#[test]
fn a_path_without_data_for_a_second_is_forgotten() {
    let mut consumer = consumer("single", None);
    let mut probes = 0;
    run(&mut consumer, (at(0), at(5000)), RTT, |now, interest| {
        let path = path_of(interest).unwrap_or_else(|| {
            probes += 1;
            if now < at(2000) { 1 + probes % 2 } else { 1 }
        });
        (path == 1 || now < at(2000)).then(|| data(interest, path, kbps(1000, 0)))
    });
    assert_eq!(consumer.subflows().map(|subflow| subflow.id).collect::<Vec<_>>(), [1]);
}

#[test]
fn after_an_outage_it_starts_anew_and_lets_nothing_be_missing() {
    let mut consumer = consumer("mircc", Some(500));
    let outage = at(1000)..at(8000);
    let sent = run(&mut consumer, (at(0), at(60_000)), RTT, |now, interest| {
        (!outage.contains(&now)).then(|| data(interest, 1, kbps(1000, 100)))
    });
    assert!(consumer.finished());
    assert_eq!(consumer.counters().data.primary + consumer.counters().data.secondary, 500);
    // The path is forgotten at about 2 s; one Interest a time then, at 1, 2 and 4 s of distance,
    // the last after the outage.
    let alone: Vec<_> =
        sent.iter().filter(|(time, _)| (at(2100)..at(9500)).contains(time)).collect();
    let first = alone.iter().take(4).map(|(time, _)| *time).collect::<Vec<_>>();
    let second = Span::from_secs(1);
    assert!(
        first[1].since(first[0]) == second * 2 && first[2].since(first[1]) == second * 4,
        "{first:?}"
    );
}

#[test]
fn what_was_not_asked_for_is_counted_and_dropped() {
    let (mut consumer, interest) = knowing("mircc?probe=0", &[1], kbps(1000, 500));
    consumer.handle(
        at(55),
        &data(&Interest { name: Interned::segment(1, 1, 0), ..interest.clone() }, 9, kbps(1, 1)),
    );
    consumer.handle(
        at(55),
        &data(&Interest { name: Interned::segment(1, 0, 77), ..interest.clone() }, 9, kbps(1, 1)),
    );
    consumer.handle(at(55), &Packet::from(interest.clone()));
    assert_eq!((consumer.counters().unsolicited, consumer.subflows().count()), (3, 1));
    consumer.handle(at(56), &data(&interest, 1, kbps(1000, 500)));
    consumer.handle(at(57), &data(&interest, 1, kbps(1000, 500)));
    assert_eq!((consumer.counters().duplicates, consumer.counters().data.primary), (1, 2));
}

#[test]
fn stopped_it_asks_for_nothing_more() {
    let (mut consumer, interest) = knowing("mircc?probe=0", &[1], kbps(1000, 500));
    consumer.stop();
    consumer.handle(at(60), &nack(&interest, NackReason::Congestion, kbps(1000, 500)));
    assert!(consumer.due().is_none() && consumer.interest().is_none() && !consumer.finished());
    assert_eq!(interest.name, narrows_icn::Content::name(&CONTENT, 1));
}
