//! Parts of controllers that answer the amount of marks, not only that there was one.

use crate::parts::round::LongRound;
use crate::{CaState, Congestion, Feedback};
use narrows_units::Span;

/// The share of packets that were marked, averaged over windows of data: α of RFC 8257 section 3.3
/// and of draft-briscoe-iccrg-prague-congestion-control.
///
/// The receiver counts packets per code point; RFC 8257 counts bytes, which are the same for
/// full-sized segments.
#[derive(Clone, Debug)]
pub struct MarkedShare {
    alpha: f64,
    gain: f64,
    /// Windows without a mark do not lower α before the first mark.
    waits: bool,
    round: LongRound,
    /// Packets of this round that arrived marked, and all that could have been.
    marked: u32,
    capable: u32,
}

impl MarkedShare {
    /// α is `initial`, and moves by `gain` of the difference once per round trip, but not more
    /// often than once in `least`.
    pub fn new(initial: f64, gain: f64, least: Span) -> MarkedShare {
        MarkedShare {
            alpha: initial,
            gain,
            waits: false,
            round: LongRound::new(least),
            marked: 0,
            capable: 0,
        }
    }

    /// The same, but α stays until there has been a mark: without one nothing is known of the
    /// path's marking.
    pub fn waiting_for_a_mark(self) -> MarkedShare {
        MarkedShare { waits: true, ..self }
    }

    /// α, from 0 to 1.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// A segment leaves.
    pub fn on_sent(&mut self, number: u64) {
        self.round.on_sent(number);
    }

    /// An acknowledgement was processed.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let ecn = feedback.ecn;
        self.marked += ecn.ce;
        self.capable += ecn.ce + ecn.ect0 + ecn.ect1;
        if highest(feedback).is_some_and(|highest| self.round.ends_with(highest, feedback.now)) {
            self.waits &= self.marked == 0;
            if !self.waits && self.capable > 0 {
                self.alpha += self.gain * (self.marked as f64 / self.capable as f64 - self.alpha);
            }
            (self.marked, self.capable) = (0, 0);
        }
    }
}

/// The highest segment that an acknowledgement delivers.
pub fn highest(feedback: &Feedback<'_>) -> Option<u64> {
    feedback.acked.iter().map(|acked| acked.number).max()
}

/// Tells losses from marks. The transport lets the reduction for a mark serve losses of the same
/// window; a controller that gives way little for a mark must still answer them.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    repairing: bool,
}

impl Losses {
    /// True while losses are repaired.
    pub fn repairing(&self) -> bool {
        self.repairing
    }

    /// True if a reduction for losses is due now. Timeouts come by themselves.
    pub fn begin_with(&mut self, feedback: &Feedback<'_>) -> bool {
        let recovering = feedback.ca_state == CaState::Recovery;
        let before = std::mem::replace(
            &mut self.repairing,
            recovering || feedback.ca_state == CaState::Loss,
        );
        feedback.congestion == Some(Congestion::Loss) || (recovering && !before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EcnDelta;
    use crate::testing::{acked, at};

    /// A round of ten segments, all acknowledged together with `ce` of them marked.
    fn round(share: &mut MarkedShare, round: u64, ce: u32) -> f64 {
        let numbers = round * 10..round * 10 + 10;
        numbers.clone().for_each(|number| share.on_sent(number));
        let ecn = EcnDelta { ce, ect0: 10 - ce, ..EcnDelta::default() };
        share.on_feedback(&Feedback {
            acked: &acked(numbers),
            ecn,
            ..Feedback::at(at(10 * round))
        });
        share.alpha()
    }

    #[test]
    fn alpha_moves_by_a_sixteenth_of_the_difference_per_window() {
        let mut share = MarkedShare::new(1.0, 1.0 / 16.0, Span::ZERO);
        assert_eq!(round(&mut share, 0, 0), 0.9375);
        assert_eq!(round(&mut share, 1, 5), 0.9375 + (0.5 - 0.9375) / 16.0);
        let before = share.alpha();
        assert_eq!(round(&mut share, 2, 10), before + (1.0 - before) / 16.0);
    }

    #[test]
    fn acknowledgements_within_a_window_add_up() {
        let mut share = MarkedShare::new(0.0, 0.25, Span::ZERO);
        round(&mut share, 0, 0);
        (10..20).for_each(|number| share.on_sent(number));
        for (number, ce) in [(8, 1), (9, 1), (10, 0)] {
            let ecn = EcnDelta { ce, ect0: 1 - ce, ..EcnDelta::default() };
            share.on_feedback(&Feedback {
                acked: &acked(number..number + 1),
                ecn,
                ..Feedback::at(at(20))
            });
        }
        assert_eq!(share.alpha(), 0.25 * 2.0 / 3.0);
    }

    #[test]
    fn a_path_that_never_marked_leaves_alpha() {
        let mut share = MarkedShare::new(1.0, 0.5, Span::from_millis(20)).waiting_for_a_mark();
        assert_eq!([0, 1, 2].map(|number| round(&mut share, number, 0)), [1.0; 3]);
        // Rounds of 10 ms make windows of 20 ms: of those that end at 40 ms 2 in 20 are marked.
        assert_eq!(round(&mut share, 3, 2), 1.0);
        assert_eq!(round(&mut share, 4, 0), 0.55);
        assert_eq!(round(&mut share, 5, 0), 0.55);
        assert_eq!(round(&mut share, 6, 0), 0.275);
    }

    #[test]
    fn losses_beside_marks_are_seen_once() {
        let mut losses = Losses::default();
        let mut at_state = |ca_state, congestion| {
            losses.begin_with(&Feedback { ca_state, congestion, ..Feedback::at(at(1)) })
        };
        assert!(!at_state(CaState::Cwr, Some(Congestion::Mark)));
        assert!(at_state(CaState::Recovery, None), "served by the reduction for the mark");
        assert!(!at_state(CaState::Recovery, None));
        assert!(at_state(CaState::Recovery, Some(Congestion::Loss)), "a recovery follows another");
        assert!(!at_state(CaState::Open, None));
        assert!(!at_state(CaState::Loss, None), "after a timeout");
    }
}
