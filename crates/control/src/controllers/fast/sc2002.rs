//! The version of the SC2002 demonstration: one packet towards a target with each packet
//! acknowledged, in every other round trip. Jin, Wei and Low, "FAST II: Algorithms and
//! Performance", slides 10 to 15 and 21 to 24.
//!
//! The slides say: every other round trip; a target is computed for each acknowledgement; the
//! window moves one packet towards it; it falls no faster than rate halving and rises no faster
//! than slow start. So slow start is no part of the algorithm. The formula of the target is a
//! picture; this one is the later law with γ = 1/2.
//!
//! Window pacing delays the increments: by a timer, until the end of a burst of acknowledgements,
//! or both. Decrements take effect at once, since the slides speak of increments. With window
//! pacing the size of an increase is decided at the beginning of its round trip, over which it is
//! spread evenly (ours).

use super::increase::{Increase, Pace, Spreading};
use super::law::{AckView, MIN_WINDOW, WindowLaw};
use super::periodic::target;
use narrows_units::Time;

/// The law of 2002.
#[derive(Clone, Debug)]
pub struct Stepwise {
    /// The window at the beginning of the round trip in progress, if the window moves in it.
    start: Option<f64>,
    /// The latest target.
    target: f64,
    spreading: Spreading,
    increase: Increase,
}

impl Stepwise {
    /// Increments are delayed by `spreading`.
    pub fn new(spreading: Spreading) -> Stepwise {
        Stepwise {
            start: None,
            target: f64::INFINITY,
            spreading,
            increase: Increase::new(spreading),
        }
    }

    /// Ends a round trip, at a window of `w`: the window moves in every other one. Returns the
    /// window.
    fn end_round(&mut self, w: f64, seen: &AckView<'_>) -> f64 {
        let held = self.increase.end_round();
        // A window that is not used need not grow.
        let w = if seen.limited > 0.0 { self.bounded(w, held) } else { w };
        self.start = if self.start.is_none() { Some(w) } else { None };
        w
    }

    /// A window of `w` grown by `packets`, up to the target.
    fn bounded(&self, w: f64, packets: f64) -> f64 {
        (w + packets).min(self.target.max(w))
    }
}

impl WindowLaw for Stepwise {
    fn on_ack(&mut self, mut w: f64, seen: &AckView<'_>) -> f64 {
        let grown = self.increase.on_ack(seen.now, seen.limited);
        if seen.round.ended {
            w = self.end_round(w, seen);
        }
        let (Some(start), Some((base, rtt))) = (self.start, seen.delay.mean()) else { return w };
        self.target =
            target(0.5, start, start, base, rtt, seen.alpha).max(start / 2.0).max(MIN_WINDOW);
        if w >= self.target {
            self.increase.cancel();
            return (w - seen.packets).max(self.target);
        }
        if self.spreading == Spreading::None {
            return (w + seen.limited).min(self.target);
        }
        if seen.round.ended && seen.limited > 0.0 {
            let pace = Pace {
                packets: seen.round.packets as f64,
                acks: seen.round.acks as f64,
                rtt,
                base,
            };
            self.increase.spread(seen.now, self.target - w, &pace);
        }
        self.bounded(w, grown)
    }

    fn suspend(&mut self) {
        self.start = None;
        self.increase.cancel();
    }

    fn next_timer(&self) -> Option<Time> {
        self.increase.next_timer()
    }

    fn on_timer(&mut self, now: Time, w: f64) -> f64 {
        let grown = self.increase.on_timer(now);
        self.bounded(w, grown)
    }
}
