//! Intervals for tests of presets.

use crate::Interval;
use narrows_units::{Bytes, Span, Time};

/// 100 ms in which 40 packets left, 30 arrived and 10 were lost, with this mean round trip.
pub(super) fn interval(rtt: Option<u64>) -> Interval {
    Interval {
        now: Time::ZERO,
        length: Span::from_millis(100),
        sent: 40,
        delivered: 30,
        delivered_bytes: Bytes::new(30 * 1448),
        lost: 10,
        marked: 0,
        timeouts: 0,
        rtt: rtt.map(|ms| (Span::from_millis(ms), Span::from_millis(ms))),
        gradient: 0.25,
        srtt: Span::from_millis(100),
        least_rtt: Span::from_millis(50),
        in_flight: 3,
        app_limited: false,
        window: 10.0,
        pacing: None,
        mss: Bytes::new(1448),
        packet: Bytes::new(1500),
    }
}
