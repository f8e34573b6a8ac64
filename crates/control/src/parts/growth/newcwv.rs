//! Congestion window validation (RFC 7661, experimental): a window of which less than half is used
//! is kept for five minutes and does not grow, and a loss lowers it to what was used.
//!
//! The text of the RFC was not at hand; XNU's code agrees with the rules here, and adds three
//! segments and, in slow start of QUIC, a quarter of the window, which are left out.
//!
//! Choices made here:
//! * a loss leaves the controller's own part of what was used, where the RFC has a half;
//! * the window is kept over idleness: its restart is off, which the RFC replaces.

use crate::parts::windowed::WindowedMax;
use narrows_contract::Feedback;
use narrows_units::{Span, Time};

/// A window that was not in use for so long is halved (NVP).
const KEPT: Span = Span::from_secs(300);
/// Least sampling period of pipeACK.
const LEAST_PERIOD: Span = Span::from_secs(1);

/// Measured use of the window.
#[derive(Clone, Debug)]
pub struct NewCwv {
    initial: f64,
    /// The largest volume acknowledged per round trip, by time in µs (pipeACK); `None` at the
    /// start and after a timeout, when the window counts as used.
    pipe: Option<WindowedMax<u64, u64>>,
    /// The present measurement: when it began, and the count of segments delivered then.
    measuring: Option<(Time, u64)>,
    /// When less than half of the window began to be in use.
    unused_since: Option<Time>,
}

impl NewCwv {
    /// A connection with an initial window of `initial` segments.
    pub fn new(initial: f64) -> NewCwv {
        NewCwv { initial, pipe: None, measuring: None, unused_since: None }
    }

    /// An acknowledgement.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let delivered = feedback.totals.delivered;
        let (began, before) = *self.measuring.get_or_insert((feedback.now, delivered));
        if feedback.srtt.is_zero() || feedback.now.since(began) < feedback.srtt {
            return;
        }
        self.measuring = Some((feedback.now, delivered));
        self.note(feedback.now, delivered - before, feedback.srtt);
    }

    fn note(&mut self, now: Time, volume: u64, srtt: Span) {
        let at = now.since(Time::ZERO).as_micros();
        let period = (srtt * 3).max(LEAST_PERIOD).as_micros();
        self.pipe.get_or_insert_with(|| WindowedMax::new(at, volume)).update(period, at, volume);
    }

    /// Segments acknowledged per round trip at most; `None` if unknown.
    pub fn pipe(&self) -> Option<f64> {
        self.pipe.as_ref().map(|pipe| pipe.get() as f64)
    }

    /// True if half of a window of `window` segments is in use, or may be.
    pub fn is_validated(&self, window: f64) -> bool {
        self.pipe().is_none_or(|pipe| pipe >= window / 2.0)
    }

    /// Window and threshold at `now` in place of these, once the window was not in use for five
    /// minutes.
    pub fn decay(&mut self, now: Time, window: f64, threshold: f64) -> Option<(f64, f64)> {
        if self.is_validated(window) {
            self.unused_since = None;
            return None;
        }
        let since = *self.unused_since.get_or_insert(now);
        if now.since(since) < KEPT {
            return None;
        }
        self.unused_since = Some(now);
        Some((self.initial.max(window / 2.0).min(window), threshold.max(0.75 * window)))
    }

    /// The retransmission timer expired.
    pub fn on_timeout(&mut self) {
        *self = NewCwv::new(self.initial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    fn using(volume: u64) -> NewCwv {
        let mut cwv = NewCwv::new(10.0);
        cwv.note(at(1_000), volume, Span::from_millis(100));
        cwv
    }

    #[test]
    fn half_of_the_window_is_enough() {
        assert!(NewCwv::new(10.0).is_validated(100.0), "unknown");
        assert!(!using(49).is_validated(100.0));
        assert!(using(50).is_validated(100.0));
    }

    #[test]
    fn after_five_minutes_the_window_halves_and_the_threshold_remembers_it() {
        let mut cwv = using(30);
        assert_eq!(cwv.decay(at(1_000), 100.0, 20.0), None);
        assert_eq!(cwv.decay(at(300_999), 100.0, 20.0), None);
        assert_eq!(cwv.decay(at(301_000), 100.0, 20.0), Some((50.0, 75.0)));
        assert_eq!(cwv.decay(at(301_001), 100.0, 20.0), None);
        let mut small = using(1);
        small.decay(at(0), 12.0, 80.0);
        assert_eq!(small.decay(at(300_000), 12.0, 80.0), Some((10.0, 80.0)));
    }

    #[test]
    fn the_largest_volume_of_three_round_trips_counts() {
        let mut cwv = NewCwv::new(10.0);
        for (ms, volume) in [(0, 5), (500, 40), (1_000, 30), (1_600, 20)] {
            cwv.note(at(ms), volume, Span::from_millis(500));
        }
        assert_eq!(cwv.pipe(), Some(40.0));
        cwv.note(at(2_100), 10, Span::from_millis(500));
        assert_eq!(cwv.pipe(), Some(30.0), "40 is older than 1.5 s");
    }
}
