//! State of a path that a connection measures for a later one (RFC 9959).

use super::round::Round;
use narrows_contract::{Feedback, Saved, Sent};
use narrows_units::{Segments, Span};

/// Less than so many initial windows per round trip is not worth saving.
const LEAST_WINDOWS: f64 = 4.0;

/// The largest volume delivered in one round trip that the application did not limit, and the least
/// round trip.
#[derive(Clone, Debug)]
pub struct PathMemory {
    initial: f64,
    round: Round,
    /// Segments delivered when the round began.
    began: u64,
    /// The application limited a segment of it.
    limited: bool,
    /// A segment of it was acknowledged in slow start.
    slow: bool,
    best: f64,
    min_rtt: Span,
}

impl PathMemory {
    /// A connection with an initial window of `initial` segments.
    pub fn new(initial: f64) -> PathMemory {
        PathMemory {
            initial,
            round: Round::default(),
            began: 0,
            limited: true,
            slow: true,
            best: 0.0,
            min_rtt: Span::MAX,
        }
    }

    /// A segment leaves.
    pub fn on_sent(&mut self, sent: &Sent) {
        self.round.on_sent(sent.number);
    }

    /// An acknowledgement. In slow start half of what was delivered counts: the rest may be what
    /// overshoots.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>, slow_start: bool) {
        if let Some(rtt) = feedback.rtt {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        let Some(highest) = feedback.acked.iter().map(|acked| acked.number).max() else { return };
        if self.round.ends_with(highest) {
            // Segments that this acknowledgement delivers belong to the next round.
            let delivered = feedback.totals.delivered - feedback.acked.len() as u64;
            if !self.limited {
                let part = if self.slow { 0.5 } else { 1.0 };
                self.best = self.best.max(part * delivered.saturating_sub(self.began) as f64);
            }
            (self.began, self.limited, self.slow) = (delivered, false, false);
        }
        self.slow |= slow_start;
        self.limited |= feedback.acked.iter().any(|acked| acked.app_limited);
    }

    /// A safe retreat: what was seen before is not the path's.
    pub fn forget(&mut self) {
        self.best = 0.0;
    }

    /// The measured state, if it is worth saving.
    pub fn saved(&self) -> Option<Saved> {
        (self.best >= LEAST_WINDOWS * self.initial && self.min_rtt < Span::MAX).then_some(Saved {
            rtt: self.min_rtt,
            window: Segments::new(self.best),
            age: Span::ZERO,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Totals;
    use crate::testing::{acked, acked_one, at};
    use narrows_units::Bytes;

    /// A connection whose rounds have `volume` segments each.
    fn after(rounds: &[(u64, bool)], limited: bool) -> Option<f64> {
        let mut memory = PathMemory::new(10.0);
        let mut next = 0;
        let mut delivered = 0;
        for (volume, slow_start) in rounds {
            let numbers = next..next + volume;
            next += volume;
            for number in numbers.clone() {
                memory.on_sent(&Sent::new(at(0), number, Bytes::new(1448), 1));
            }
            for number in numbers {
                delivered += 1;
                let one =
                    [if limited { acked_one(number, false) } else { acked(number..number + 1)[0] }];
                let feedback = Feedback {
                    acked: &one,
                    rtt: Some(Span::from_millis(40)),
                    totals: Totals { delivered, ..Totals::default() },
                    ..Feedback::at(at(50))
                };
                memory.on_feedback(&feedback, *slow_start);
            }
        }
        memory.saved().map(|saved| saved.window.get())
    }

    #[test]
    fn the_largest_round_counts_and_half_of_it_in_slow_start() {
        let rounds = [(10, true), (100, true), (200, true), (60, false), (10, false)];
        // A round ends with the first acknowledgement of the next one.
        assert_eq!(after(&rounds, false), Some(100.0));
        assert_eq!(after(&[(10, false), (120, false), (10, false)], false), Some(120.0));
    }

    #[test]
    fn little_and_what_the_application_limited_is_not_saved() {
        assert_eq!(after(&[(10, false), (39, false), (10, false)], false), None);
        assert_eq!(after(&[(10, false), (40, false), (10, false)], false), Some(40.0));
        assert_eq!(after(&[(10, false), (120, false), (10, false)], true), None);
    }
}
