//! How consumers follow rates: pace, start, hold, distribution, probes.

mod common;

use common::{at, consumer, data, kbps, of_class, run};
use narrows_icn::Class;
use narrows_units::{Bytes, Rate, Span};

const RTT: Span = Span::from_millis(50);

#[test]
fn the_first_data_sets_the_pace() {
    // 1 Mbit/s of Data of 1000 B: one every 8 ms, the first of them as soon as the rate is known.
    let mut consumer = consumer("single", Some(10));
    let sent = run(&mut consumer, (at(0), at(1000)), RTT, |_, interest| Some(data(interest, 1, kbps(1000, 0))));
    let times: Vec<_> = sent.iter().map(|(time, _)| *time).collect();
    let mut expected = vec![at(0)];
    expected.extend((0..9).map(|k| at(50 + 8 * k)));
    assert_eq!(times, expected);
    assert!(consumer.finished() && consumer.due().is_none());
    let counters = consumer.counters();
    assert_eq!((counters.interests.primary, counters.data.primary, counters.goodput), (10, 10, Bytes::new(10_000)));
    assert_eq!((consumer.srtt(), consumer.in_flight()), (RTT, 0));
    assert_eq!(consumer.rates(), (Rate::from_mbps(1), Rate::ZERO));
}

#[test]
fn secondary_interests_wait_for_four_round_trips() {
    let mut consumer = consumer("mircc", None);
    let sent = run(&mut consumer, (at(0), at(1050)), RTT, |_, interest| Some(data(interest, 1, kbps(1000, 500))));
    let first = sent.iter().find(|(_, interest)| interest.class == Class::Secondary).unwrap().0;
    assert_eq!(first, at(50 + 4 * 50));
    // 8 ms between primary ones from 50 ms on, 16 ms between secondary ones from 250 ms on.
    assert_eq!(of_class(&sent, Class::Primary), 1 + 1000 / 8 + 1);
    assert_eq!(of_class(&sent, Class::Secondary), 800 / 16 + 1);
    assert_eq!(consumer.rates(), (Rate::from_mbps(1), Rate::from_kbps(500)));
}
