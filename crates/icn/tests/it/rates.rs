//! How consumers follow rates: pace, start, hold, distribution, probes.

use crate::common::{at, consumer, data, kbps, nack, of_class, path_of, run, segment_of};
use narrows_icn::{Class, Data, Hint, Interest, Interned, NackReason, Packet, Steer};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::collections::BTreeSet;

const RTT: Span = Span::from_millis(50);

#[test]
fn the_first_data_sets_the_pace() {
    // 1 Mbit/s of Data of 1000 B: one every 8 ms, the first of them as soon as the rate is known.
    let mut consumer = consumer("single", Some(10));
    let sent = run(&mut consumer, (at(0), at(1000)), RTT, |_, interest| {
        Some(data(interest, 1, kbps(1000, 0)))
    });
    let times: Vec<_> = sent.iter().map(|(time, _)| *time).collect();
    let mut expected = vec![at(0)];
    expected.extend((0..9).map(|k| at(50 + 8 * k)));
    assert_eq!(times, expected);
    assert!(consumer.finished() && consumer.due().is_none());
    let counters = consumer.counters();
    assert_eq!(
        (counters.interests.primary, counters.data.primary, counters.goodput),
        (10, 10, Bytes::new(10_000))
    );
    assert_eq!((consumer.srtt(), consumer.in_flight()), (RTT, 0));
    assert_eq!(consumer.rates(), (Rate::from_mbps(1), Rate::ZERO));
}

/// Three at once without a path. A silent network times all three out after 1 s, and the next three
/// after 2 s more.
///
/// Shows MIRCC slide 12: "Interests without path identifiers must be sent initially/periodically"
#[test]
fn several_interests_may_look_for_paths_at_once() {
    let mut patient = consumer("mircc?first=3", Some(10));
    let sent = run(&mut patient, (at(0), at(2500)), RTT, |_, _| None);
    let times: Vec<_> = sent
        .iter()
        .map(|(time, interest)| (*time, segment_of(interest), path_of(interest)))
        .collect();
    let burst = |ms| (0..3).map(move |segment| (at(ms), segment, None));
    assert_eq!(times, burst(0).chain(burst(1000)).collect::<Vec<_>>());
    assert_eq!((patient.counters().timeouts, patient.counters().retransmissions), (3, 3));
    // Once a path is known the rest of a burst is as any other Interest, and counts in the pace.
    let mut answered = consumer("mircc?first=3", Some(10));
    let sent = run(&mut answered, (at(0), at(1000)), RTT, |_, interest| {
        Some(data(interest, 1, kbps(1000, 0)))
    });
    let times: Vec<_> = sent.iter().map(|(time, _)| *time).collect();
    assert_eq!(times[..5], [at(0), at(0), at(0), at(50), at(58)]);
    assert!(answered.finished() && answered.counters().timeouts == 0);
}

#[test]
fn secondary_interests_wait_for_four_round_trips() {
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(1050)), RTT, |_, interest| {
        Some(data(interest, 1, kbps(1000, 500)))
    });
    let first = sent.iter().find(|(_, interest)| interest.class == Class::Secondary).unwrap().0;
    assert_eq!(first, at(50 + 4 * 50));
    // 8 ms between primary ones from 50 ms on, 16 ms between secondary ones from 250 ms on.
    assert_eq!(of_class(&sent, Class::Primary), 1 + 1000 / 8 + 1);
    assert_eq!(of_class(&sent, Class::Secondary), 800 / 16 + 1);
    assert_eq!(consumer.rates(), (Rate::from_mbps(1), Rate::from_kbps(500)));
}

/// Answers by the path that an Interest names, or by `default`.
fn by_path(
    rates: &[(u64, Rates)],
    default: u64,
) -> impl FnMut(Time, &Interest<Interned>) -> Option<Packet<Interned>> {
    move |_, interest| {
        let path = path_of(interest).unwrap_or(default);
        let (_, rates) = rates.iter().find(|(known, _)| *known == path)?;
        Some(data(interest, path, *rates))
    }
}

/// Answers by path, where Interests that name no path take one after another.
fn by_turns(
    rates: &[(u64, Rates)],
) -> impl FnMut(Time, &Interest<Interned>) -> Option<Packet<Interned>> {
    let mut turn = 0;
    move |_, interest| {
        let path = path_of(interest).unwrap_or_else(|| {
            turn += 1;
            rates[turn % rates.len()].0
        });
        let (_, rates) = rates.iter().find(|(known, _)| *known == path)?;
        Some(data(interest, path, *rates))
    }
}

/// Interests steered over each path from `from` on.
fn steered(
    sent: &[(Time, Interest<Interned>)],
    from: Time,
    class: Class,
    paths: &[u64],
) -> Vec<usize> {
    let late = sent.iter().filter(|(time, interest)| *time >= from && interest.class == class);
    let named: Vec<_> = late.filter_map(|(_, interest)| path_of(interest)).collect();
    paths.iter().map(|path| named.iter().filter(|named| *named == path).count()).collect()
}

const PATHS: [u64; 3] = [1, 2, 3];

#[test]
fn primary_interests_are_spread_in_proportion_and_no_path_is_asked_for_more_than_its_rate() {
    // 5, 5 and 100 Mbit/s: 100 Mbit/s in all, of which the paths get 100 * R / 110. Each of the
    // first two then gets 4.54 of its 5 Mbit/s; if both cross one link of 5 Mbit/s it is asked for
    // 9.1, which only the network can see.
    let rates = [(1, kbps(5000, 0)), (2, kbps(5000, 0)), (3, kbps(100_000, 0))];
    let mut consumer = consumer("best-subflow?probe=0.01", None);
    let sent = run(&mut consumer, (at(0), at(5000)), RTT, by_turns(&rates));
    let second = at(4000);
    let named = steered(&sent, second, Class::Primary, &PATHS);
    let all: usize = named.iter().sum();
    // 12,500 Interests in a second at 100 Mbit/s of 1000 B, 1 % of them probes.
    assert!((12_300..12_440).contains(&all), "{all}");
    assert!(
        named[0].abs_diff(all / 22) <= 1
            && named[1].abs_diff(all / 22) <= 1
            && named[2].abs_diff(all * 10 / 11) <= 2,
        "{named:?}"
    );
    for (steered, (_, rates)) in named.iter().zip(rates) {
        assert!(*steered as f64 * 8000.0 <= rates.primary.as_bps() as f64);
    }
    assert_eq!(consumer.rates().0, Rate::from_mbps(100));
}

#[test]
fn distribution_is_as_even_as_can_be() {
    let rates = [(1, kbps(1000, 0)), (2, kbps(3000, 0))];
    let mut consumer = consumer("best-subflow?probe=0&probes=2", None);
    let sent = run(&mut consumer, (at(0), at(4000)), RTT, by_turns(&rates));
    let named: Vec<_> = sent
        .iter()
        .filter(|(time, _)| *time >= at(2000))
        .filter_map(|(_, interest)| path_of(interest))
        .collect();
    let within = |k: usize| {
        named
            .windows(k)
            .map(|run| run.iter().filter(|path| **path == 1).count())
            .all(|count| count == k / 4)
    };
    assert!(within(4) && within(8), "one of every four");
}

#[test]
fn the_primary_rate_is_the_best_and_the_secondary_rate_the_sum() {
    let rates = [(1, kbps(1000, 400)), (2, kbps(3000, 200))];
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(5000)), RTT, by_turns(&rates));
    assert_eq!(consumer.rates(), (Rate::from_mbps(3), Rate::from_kbps(600)));
    let paths: Vec<_> = consumer.subflows().map(|subflow| (subflow.id, subflow.hint)).collect();
    assert!(
        paths.len() == 2
            && paths.contains(&(1, Hint::Hash(1)))
            && paths.contains(&(2, Hint::Hash(2)))
    );
    // 75 a second in all, by 400 : 200.
    let named = steered(&sent, at(4000), Class::Secondary, &PATHS[..2]);
    assert!(named[0].abs_diff(50) <= 1 && named[1].abs_diff(25) <= 1, "{named:?}");
    let received: Vec<_> = consumer
        .subflows()
        .map(|subflow| (subflow.received.primary + subflow.received.secondary).get())
        .collect();
    assert_eq!(received.iter().sum::<u64>(), consumer.counters().goodput.get());
}

#[test]
fn summed_over_its_subflows_a_flow_takes_20_where_another_takes_15() {
    // Section 4.1 of the paper: a link that many flows share allows 15; A has two paths to it
    // through links of 10, E has one through a fast one.
    let a = [(1, kbps(10_000, 0)), (2, kbps(10_000, 0))];
    let e = [(1, kbps(15_000, 0))];
    let pace = |name: &str, rates: &[(u64, Rates)]| {
        let mut consumer = consumer(name, None);
        let sent = run(&mut consumer, (at(0), at(4000)), RTT, by_turns(rates));
        let interests = sent.iter().filter(|(time, _)| (at(3000)..at(4000)).contains(time)).count();
        (interests as u64 * 8000).div_ceil(10_000) * 10
    };
    assert_eq!((pace("total-per-subflow", &a), pace("total-per-subflow", &e)), (20_000, 15_000));
    assert_eq!((pace("best-subflow", &a), pace("best-subflow", &e)), (10_000, 15_000));
}

#[test]
fn three_in_a_hundred_primary_interests_are_probes_within_the_budget() {
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(100_000)), RTT, by_path(&[(1, kbps(2000, 0))], 1));
    // 250 a second: the budget is the rate's, probes included.
    let primary = of_class(&sent, Class::Primary);
    assert!(primary.abs_diff(1 + 250 * 100) <= 13, "{primary}");
    let probes = sent.iter().skip(1).filter(|(_, interest)| path_of(interest).is_none()).count();
    assert_eq!(probes as u64, consumer.counters().probes);
    // Binomial: 750 with a standard deviation of 27; the second without a probe is too rare to
    // matter (0.97^250 = 0.0005).
    assert!((750 - 4 * 27..750 + 4 * 27).contains(&probes), "{probes}");
}

#[test]
fn slow_flows_probe_once_a_second() {
    let mut consumer = consumer("mircc?probe=0", None);
    let sent = run(&mut consumer, (at(0), at(60_000)), RTT, by_path(&[(1, kbps(80, 0))], 1));
    let probes = sent.iter().skip(1).filter(|(_, interest)| path_of(interest).is_none()).count();
    assert!((54..=60).contains(&probes), "{probes}");
}

#[test]
fn the_path_that_data_took_counts_whatever_the_interest_named() {
    let mut consumer = consumer("mircc", None);
    let mut interests = 0;
    run(&mut consumer, (at(0), at(3000)), RTT, |_, interest| {
        interests += 1;
        Some(data(interest, if interests <= 20 { 1 } else { 2 }, kbps(1000, 0)))
    });
    // Interests that name the first path come back by the second, so the first is silent and
    // forgotten.
    assert_eq!(consumer.subflows().map(|subflow| subflow.id).collect::<Vec<_>>(), [2]);
}

#[test]
fn without_multipath_every_rate_counts_whatever_its_path() {
    let mut consumer = consumer("single?multipath=false", None);
    let mut interests = 0u64;
    let sent = run(&mut consumer, (at(0), at(3000)), RTT, |_, interest| {
        interests += 1;
        Some(data(interest, interests % 2, kbps(1000 * (1 + interests % 2), 0)))
    });
    assert!(sent.iter().all(|(_, interest)| interest.steer == Steer::default()));
    assert_eq!((consumer.subflows().count(), consumer.counters().probes), (1, 0));
}

#[test]
fn interests_carry_the_round_trip_and_data_its_size() {
    let mut consumer = consumer("single", None);
    let sent = run(&mut consumer, (at(0), at(1000)), RTT, |_, interest| {
        match data(interest, 1, kbps(1000, 0)) {
            Packet::Data(data) => Some(Packet::from(Data { size: Bytes::new(2000), ..*data })),
            other => Some(other),
        }
    });
    assert!(sent[0].1.srtt.is_zero() && sent[1].1.srtt == RTT);
    // Expected to be of 1000 B, Data is of 2000 B: one Interest every 16 ms from the first answer
    // on.
    assert_eq!(sent[2].0.since(sent[1].0), Span::from_millis(16));
    assert_eq!(consumer.latest_rtt(), Some(RTT));
}

#[test]
fn the_smoothed_round_trip_follows_one_that_grows_beyond_the_timeout() {
    // From 20 ms, with a timeout of 200 ms, to three times the timeout: as behind a standing queue.
    let mut consumer = consumer("single", None);
    run(&mut consumer, (at(0), at(2000)), Span::from_millis(20), by_turns(&[(1, kbps(1000, 0))]));
    assert_eq!(consumer.srtt(), Span::from_millis(20));
    let longer = Span::from_millis(600);
    let sent = run(&mut consumer, (at(2000), at(8000)), longer, by_turns(&[(1, kbps(1000, 0))]));
    assert!(consumer.srtt().as_secs_f64() > 0.95 * longer.as_secs_f64(), "{}", consumer.srtt());
    let mut names = BTreeSet::new();
    let repeated: Vec<_> = sent
        .iter()
        .filter(|(_, interest)| !names.insert(segment_of(interest)))
        .map(|(time, _)| *time)
        .collect();
    assert!(repeated.first().is_some_and(|first| *first < at(3000)), "the first ones time out");
    assert!(
        repeated.last().is_some_and(|last| *last < at(3500)),
        "none does once the round trip is known: {:?}",
        repeated.last()
    );
}

#[test]
fn a_refused_interest_does_not_make_the_round_trip_of_the_next_one_ambiguous() {
    let mut consumer = consumer("single", None);
    let mut refused = BTreeSet::new();
    run(&mut consumer, (at(0), at(2000)), RTT, |_, interest| {
        let again = !refused.insert(segment_of(interest));
        Some(if again {
            data(interest, 1, kbps(1000, 0))
        } else {
            nack(interest, NackReason::Congestion, kbps(1000, 0))
        })
    });
    assert_eq!(consumer.srtt(), RTT);
}

#[test]
fn a_secondary_rate_that_is_zero_in_between_lets_nothing_through_for_that_time() {
    // A secondary Interest in 160 ms, in 50 ms of each 500 ms.
    let mut consumer = consumer("mircc?probe=0&probes=0", None);
    let sent = run(&mut consumer, (at(0), at(5000)), RTT, |now, interest| {
        let granted = now.since(Time::ZERO).as_micros() / 1000 % 500 < 50;
        Some(data(interest, 1, kbps(1000, if granted { 50 } else { 0 })))
    });
    assert_eq!(of_class(&sent, Class::Secondary), 0);
    // While it stays, one each 160 ms.
    let sent = run(&mut consumer, (at(5000), at(6700)), RTT, |_, interest| {
        Some(data(interest, 1, kbps(1000, 50)))
    });
    assert_eq!(of_class(&sent, Class::Secondary), 10);
}
