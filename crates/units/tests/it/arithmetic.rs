//! Quantities against values worked out by hand.

use narrows_units::{Bytes, Depth, Rate, Span, Time};
use proptest::prelude::*;

#[test]
fn sending_times() {
    assert_eq!(Rate::from_mbps(100).time_for(Bytes::new(1_500)), Span::from_micros(120));
    assert_eq!(Rate::from_mbps(3).time_for(Bytes::new(1_500)), Span::from_millis(4));
    assert_eq!(Rate::from_bps(7).time_for(Bytes::new(1)), Span::from_nanos(1_142_857_142));
    assert_eq!(Rate::ZERO.time_for(Bytes::new(1)), Span::MAX);
    // Past 2^64 bit-nanoseconds.
    assert_eq!(Rate::from_mbps(8_000).time_for(Bytes::new(10_000_000_000)), Span::from_secs(10));
    assert_eq!(Rate::from_bps(1).time_for(Bytes::MAX), Span::MAX);
}

#[test]
fn amounts_in_a_time() {
    assert_eq!(Rate::from_mbps(100).bytes_in(Span::from_millis(30)), Bytes::new(375_000));
    assert_eq!(Rate::from_bps(1).bytes_in(Span::from_secs(15)), Bytes::new(1));
    assert_eq!(Rate::from_bps(1).bytes_in_ceil(Span::from_secs(15)), Bytes::new(2));
    assert_eq!(Rate::from_bps(1).bytes_in_ceil(Span::from_nanos(1)), Bytes::new(1));
    assert_eq!(Rate::from_bps(u64::MAX).bytes_in(Span::MAX), Bytes::MAX);
}

#[test]
fn rates_of_amounts() {
    assert_eq!(Rate::of(Bytes::new(1_500), Span::from_millis(1)), Rate::from_mbps(12));
    assert_eq!(Rate::of(Bytes::new(1), Span::from_secs(3)), Rate::from_bps(2));
    assert_eq!(Rate::of(Bytes::new(1_500), Span::ZERO), Rate::ZERO);
    assert_eq!(Rate::of(Bytes::MAX, Span::from_nanos(1)), Rate::from_bps(u64::MAX));
    assert_eq!(Rate::from_bytes_per_sec(125_000.0), Rate::from_mbps(1));
    assert_eq!(Rate::from_bytes_per_sec(-1.0), Rate::ZERO);
    assert_eq!(Rate::from_bytes_per_sec(f64::NAN), Rate::ZERO);
}

#[test]
fn buffers() {
    let resolve =
        |depth: Depth| depth.resolve(Rate::from_mbps(100), Span::from_millis(30)).map(Bytes::get);
    assert_eq!(resolve(Depth::Bytes(Bytes::new(5))), Some(5));
    assert_eq!(resolve(Depth::Packets(5)), None);
    assert_eq!(resolve(Depth::Time(Span::from_millis(60))), Some(750_000));
    assert_eq!(resolve(Depth::Time(Span::from_nanos(1))), Some(1));
    assert_eq!(resolve(Depth::MilliBdp(1_000)), Some(375_000));
    assert_eq!(resolve(Depth::MilliBdp(1_500)), Some(562_500));
    assert_eq!(resolve(Depth::MilliBdp(1)), Some(375));
    assert_eq!(
        Depth::MilliBdp(u64::MAX).resolve(Rate::from_bps(u64::MAX), Span::MAX),
        Some(Bytes::MAX)
    );
    assert!(
        Depth::Packets(0).is_zero()
            && Depth::Time(Span::ZERO).is_zero()
            && Depth::MilliBdp(0).is_zero()
    );
    assert!(!Depth::Bytes(Bytes::new(1)).is_zero());
}

#[test]
fn times() {
    let second = Time::ZERO + Span::from_secs(1);
    assert_eq!(second.since(Time::ZERO), Span::from_secs(1));
    assert_eq!(Time::ZERO.since(second), Span::ZERO);
    assert_eq!(Time::ZERO - Span::from_nanos(1), Time::ZERO);
    assert_eq!(Time::NEVER + Span::from_nanos(1), Time::NEVER);
    assert_eq!(Span::from_millis(3) - Span::from_millis(5), Span::ZERO);
    assert_eq!(Span::from_millis(3) * 4 / 6, Span::from_millis(2));
    assert_eq!(Span::from_secs_f64(0.0015), Span::from_micros(1_500));
    assert_eq!(Span::from_secs_f64(f64::NAN), Span::ZERO);
    assert_eq!(Bytes::MAX.bits(), u64::MAX);
}

proptest! {
    /// Nothing arrives before it was sent in full, and no more than a nanosecond later.
    #[test]
    fn time_and_amount_agree(bps in 1u64..1_000_000_000_000, size in 0u64..1_000_000_000) {
        let rate = Rate::from_bps(bps);
        let size = Bytes::new(size);
        let took = rate.time_for(size);
        prop_assert!(rate.bytes_in(took) <= size);
        prop_assert!(rate.bytes_in_ceil(took + Span::from_nanos(1)) >= size);
    }

    #[test]
    fn the_two_divisions_agree(bps in 1u64.., size in any::<u64>()) {
        let exact = size as u128 * 8_000_000_000 / bps as u128;
        let expected = u64::try_from(exact).unwrap_or(u64::MAX);
        prop_assert_eq!(Rate::from_bps(bps).time_for(Bytes::new(size)).as_nanos(), expected);
    }
}
