//! Links never send more than they could, between any two instants and to the byte.

use narrows_path::{Link, LinkChange, LinkConfig, Packet, RateSource, Trace};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Header};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
struct Sized(u64);

impl Packet for Sized {
    fn size(&self) -> Bytes {
        Bytes::new(self.0)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
    fn flow(&self) -> u64 {
        0
    }
}

fn traced(text: &str) -> Link<Sized> {
    let trace = Trace::parse(text).expect("a trace");
    Link::new(
        &LinkConfig {
            rate: RateSource::trace(Arc::new(trace), Span::from_secs(1)),
            ..LinkConfig::default()
        },
        1,
        "link",
    )
}

fn us(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

fn sent(link: &mut Link<Sized>, at: Time) -> Bytes {
    link.settle(at);
    link.transmitted(at)
}

#[test]
fn a_trace_that_ends_in_an_outage_keeps_the_rest_of_a_packet() {
    // 12 Mbit/s: 1500 bytes in a millisecond.
    let mut link = traced("0,12\n0.0025,0");
    for _ in 0..4 {
        link.offer(Time::ZERO, Sized(1500));
    }
    let sent = [1_000, 1_500, 2_500, 9_000].map(|at| sent(&mut link, us(at)).get());
    assert_eq!(sent, [1500, 2250, 3750, 3750]);
    assert_eq!((link.counters().departed, link.due()), (2, Some(us(1_000))));
}

#[test]
fn packets_that_share_an_opportunity_have_sent_their_own_part_of_it() {
    let mut link = traced("1\n2\n3\n4");
    for _ in 0..3 {
        link.offer(Time::ZERO, Sized(1000));
    }
    // After each opportunity 1500 bytes more, of which the first packet had 1000 and the second
    // 500.
    let sent = [999, 1_000, 1_999, 2_000, 3_000].map(|at| sent(&mut link, us(at)).get());
    assert_eq!(sent, [0, 1500, 1500, 3000, 3000]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_link_sends_more_than_it_could(
        kind in 0..3u8,
        pieces in vec((1..3_000u64, 0..30_000_000u64), 1..6),
        // The events, one after the other: after so many nanoseconds a packet of this size comes,
        // or (size 0) the link is looked at.
        happens in vec((prop_oneof![0..2_000u64, 0..3_000_000u64], prop_oneof![Just(0), 1..2_000u64]), 1..120),
    ) {
        let lasts = pieces.iter().map(|(lasts, _)| *lasts);
        let starts: Vec<u64> = std::iter::once(0).chain(lasts.scan(0, |sum, lasts| { *sum += lasts; Some(*sum) })).take(pieces.len()).collect();
        let mut changes: Vec<(Time, Rate)> = Vec::new();
        let mut link = match kind {
            0 => traced(&starts.iter().map(|ms| format!("{}\n", ms / 100 + 1)).collect::<String>()),
            1 => {
                let line = |(ms, (_, bps)): (&u64, &(u64, u64))| format!("{}.{:03},{}\n", ms / 1000, ms % 1000, *bps as f64 / 1e6);
                traced(&starts.iter().zip(&pieces).map(line).collect::<String>())
            }
            _ => {
                changes = starts.iter().zip(&pieces).map(|(ms, (_, bps))| (us(ms * 1000), Rate::from_bps(*bps))).collect();
                Link::new(&LinkConfig { rate: RateSource::Constant(changes[0].1), ..LinkConfig::default() }, 1, "link")
            }
        };
        changes.reverse();
        let mut now = Time::ZERO;
        let mut before = (0, 0);
        for (after, size) in happens {
            now += Span::from_nanos(after);
            while let Some((at, rate)) = changes.pop_if(|(at, _)| *at <= now) {
                link.change(at, LinkChange::Rate(rate));
            }
            while link.pop(now).is_some() {}
            if size > 0 {
                link.offer(now, Sized(size));
            }
            let sent = sent(&mut link, now).get();
            let could = link.capacity(now).unwrap().get();
            prop_assert!(sent >= before.0, "{sent} after {}", before.0);
            prop_assert!(sent - before.0 <= could - before.1, "{sent} of {could} after {before:?}");
            before = (sent, could);
        }
    }
}
