//! Helpers for unit tests of controllers.

use crate::{Acked, Controller, Feedback, Sent, Setup, Tag, Totals};
use narrows_units::{Bytes, Span, Time};

/// `ms` milliseconds after the start.
pub fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// The segments `numbers`, sent while the window was the limit.
pub fn acked(numbers: std::ops::Range<u64>) -> Vec<Acked> {
    numbers.map(|number| acked_one(number, true)).collect()
}

/// One segment.
pub fn acked_one(number: u64, window_limited: bool) -> Acked {
    Acked {
        number,
        bytes: Bytes::new(1448),
        sent_at: Time::ZERO,
        rtt: Span::ZERO,
        tag: Tag::default(),
        app_limited: !window_limited,
        window_limited,
    }
}

/// Acknowledges `acked` at `now`.
pub fn acknowledge(controller: &mut dyn Controller, now: Time, acked: &[Acked]) {
    controller.on_feedback(&acknowledging(now, acked));
}

/// The acknowledgement of `acked` at `now`, which are the last that were sent, by bursts that
/// filled the window if the window was what limited them.
pub fn acknowledging(now: Time, acked: &[Acked]) -> Feedback<'_> {
    let una = acked.last().map_or(0, |last| last.number + 1);
    Feedback {
        acked,
        una,
        next: una,
        cwnd_limited: acked.iter().any(|acked| acked.window_limited),
        totals: Totals { sent: una, delivered: una, lost: 0 },
        ..Feedback::at(now)
    }
}

/// Sends segments `numbers` at `now`, with something already in flight.
pub fn send(controller: &mut dyn Controller, now: Time, numbers: std::ops::Range<u64>) {
    for number in numbers {
        controller.on_sent(&Sent::new(now, number, Bytes::new(1448), 1));
    }
}

/// Ethernet-sized segments and an initial window of `window` segments.
pub fn setup(window: f64) -> Setup {
    Setup { initial_window: narrows_units::Segments::new(window), ..Setup::default() }
}

/// Asserts that two numbers are equal but for rounding: to 9 digits, or 1e-9.
#[track_caller]
pub fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value}, not {expected}");
}

/// The named inner value of a controller.
///
/// # Panics
///
/// It has none of that name.
pub fn inspect(controller: &dyn Controller, wanted: &str) -> f64 {
    let mut found = None;
    controller.inspect(&mut |name, value| {
        if name == wanted {
            found = Some(value);
        }
    });
    found.unwrap_or_else(|| panic!("no value {wanted}"))
}
