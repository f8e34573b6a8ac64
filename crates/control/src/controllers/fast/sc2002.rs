//! The version of the SC2002 demonstration: towards a target by one packet per packet acknowledged, in every other round trip.
//!
//! Known of it (Low, FAST TCP slides, 2002): every other round trip; a target is computed for each acknowledgement; the window moves one packet towards it; it does
//! not fall faster than the rate is halved, nor rise faster than in slow start, which is therefore no part of it: nothing but this law raises the window. The target's
//! formula was a picture; this one is the later law with γ = 1/2.

use super::law::{Law, MIN_WINDOW, Seen};
use super::periodic::target;

/// One packet at a time.
#[derive(Clone, Debug, Default)]
pub struct Stepwise {
    /// The window at the beginning of the round in progress, if the window moves in it.
    start: Option<f64>,
}

impl Law for Stepwise {
    fn on_ack(&mut self, w: f64, seen: &Seen<'_>) -> f64 {
        if seen.round.ended {
            self.start = if self.start.is_none() { Some(w) } else { None };
        }
        let (Some(start), Some((base, rtt))) = (self.start, seen.delay.mean()) else { return w };
        let target = target(0.5, start, start, base, rtt, seen.alpha).max(start / 2.0).max(MIN_WINDOW);
        if w < target { (w + seen.limited).min(target) } else { (w - seen.packets).max(target) }
    }

    fn suspend(&mut self) {
        self.start = None;
    }
}
