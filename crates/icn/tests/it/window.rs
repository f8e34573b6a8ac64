//! Consumers that a congestion controller drives.

use crate::common::{CONTENT, at, data, kbps, nack, run, segment_of, setup, window};
use narrows_icn::{AnyConsumer, Interest, Interned, Method, NackReason, Packet};
use narrows_units::{Span, Time};

const RTT: Span = Span::from_millis(100);

fn reply(interest: &Interest<Interned>) -> Option<Packet<Interned>> {
    Some(data(interest, 1, kbps(0, 0)))
}

/// How many Interests left in each round trip.
fn by_round(sent: &[(Time, Interest<Interned>)], rounds: u64) -> Vec<usize> {
    (0..rounds)
        .map(|round| {
            sent.iter().filter(|(time, _)| time.as_nanos() / RTT.as_nanos() == round).count()
        })
        .collect()
}

#[test]
fn newreno_doubles_until_a_nack_and_then_adds_one_per_round() {
    let mut consumer = window("newreno", None);
    // 10, 20, 40, 80: the 100th Interest, of segment 99 in the fourth round, returns as a Nack.
    let mut refused = false;
    let sent = run(&mut consumer, (at(0), at(1999)), RTT, |_, interest| {
        if segment_of(interest) == 99 && !refused {
            refused = true;
            return Some(nack(interest, NackReason::Congestion, kbps(0, 0)));
        }
        reply(interest)
    });
    let rounds = by_round(&sent, 20);
    // 29 segments come before the Nack, and the window is 109: half of it is left, which the 51
    // segments after it reach in proportion (RFC 6937): 2 * 29 + 51 / 2.
    assert_eq!(rounds[..5], [10, 20, 40, 80, 58 + 25]);
    assert!(rounds[5..].iter().copied().eq(54..69), "{rounds:?}");
    let counters = consumer.counters();
    assert_eq!((counters.nacks.congestion, counters.retransmissions, counters.timeouts), (1, 1, 0));
    assert_eq!(consumer.srtt(), RTT);
}

#[test]
fn a_mark_halves_without_a_loss() {
    let mut consumer = window("newreno?ecn", None);
    let sent = run(&mut consumer, (at(0), at(999)), RTT, |_, interest| {
        let marked = segment_of(interest) == 30;
        reply(interest).map(|packet| match packet {
            Packet::Data(data) => Packet::from(narrows_icn::Data { marked, ..*data }),
            other => other,
        })
    });
    let rounds = by_round(&sent, 10);
    assert_eq!(rounds[..3], [10, 20, 40]);
    assert!((20..=24).contains(&rounds[5]), "{rounds:?}");
    assert_eq!((consumer.counters().retransmissions, consumer.counters().nacks.total()), (0, 0));
}

#[test]
fn an_interest_that_three_later_ones_overtake_is_asked_for_again() {
    let mut consumer = window("newreno", Some(20));
    let mut dropped = false;
    let sent = run(&mut consumer, (at(0), at(5000)), RTT, |_, interest| {
        let drop = segment_of(interest) == 4 && !dropped;
        dropped |= drop;
        if drop { None } else { reply(interest) }
    });
    let again: Vec<_> = sent
        .iter()
        .filter(|(_, interest)| segment_of(interest) == 4)
        .map(|(time, _)| *time)
        .collect();
    assert_eq!(again, [at(0), at(100)]);
    assert!(consumer.finished());
    assert_eq!((consumer.counters().data.primary, consumer.counters().timeouts), (20, 0));
}

#[test]
fn bbr_has_its_rate_samples_and_paces() {
    let mut consumer = window("bbr", None);
    // A link of 8 Mbit/s: one Data packet per millisecond.
    let mut free = at(0);
    let mut under_way = std::collections::VecDeque::new();
    let mut now = at(0);
    let mut came = 0;
    consumer.poll(now);
    while now < at(10_000) {
        while let Some(interest) = consumer.interest() {
            free = free.max(now) + Span::from_millis(1);
            under_way.push_back((free + RTT, interest));
        }
        let arrival = under_way.front().map_or(Time::NEVER, |(at, _)| *at);
        let due = consumer.due().unwrap_or(Time::NEVER);
        now = arrival.min(due);
        if arrival <= now {
            let (_, interest) = under_way.pop_front().unwrap();
            consumer.handle(now, &data(&interest, 1, kbps(0, 0)));
            came += u64::from(now >= at(5000));
        } else {
            consumer.poll(now);
        }
    }
    assert!((4800..=5000).contains(&came), "{came}");
    assert!(
        consumer.srtt() < RTT * 2 && consumer.rates().0.as_mbps() > 7.0,
        "{} {}",
        consumer.srtt(),
        consumer.rates().0
    );
}

#[test]
fn immediate_nacks_cause_no_endless_retransmissions() {
    let mut consumer = window("newreno", Some(5));
    let sent = run(&mut consumer, (at(0), at(10_000)), Span::ZERO, |now, interest| {
        if now < at(2000) {
            Some(nack(interest, NackReason::Congestion, kbps(0, 0)))
        } else {
            reply(interest)
        }
    });
    assert!(consumer.finished() && sent.len() < 100, "{}", sent.len());
}

#[test]
fn controllers_that_need_router_signals_are_refused_by_name() {
    let method = Method::Window("xcp".parse().unwrap());
    let error = AnyConsumer::new(&method, &setup(), CONTENT, None, at(0)).err().unwrap();
    assert_eq!(
        error.to_string(),
        "xcp needs throughput feedback from routers, which a consumer cannot give it; it can give delivery rate samples, application limits at each acknowledgement, pacing, ECN counts per code point, \
         tags per transmission, the amount of data in flight"
    );
}
