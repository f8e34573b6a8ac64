//! Reductions that a start makes in place of the controller: the first one after Rapid Start, the
//! safe retreat of Careful Resume, and the one of a window that was not validated (RFC 7661).

use super::rapid::RapidCut;
use super::resume::Retreat;
use narrows_contract::{CaState, Feedback, Sent};
use narrows_units::Time;

/// A reduction in progress.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    kind: CutKind,
    began: Time,
}

/// A reduction by its rule.
#[derive(Clone, Copy, Debug)]
pub enum CutKind {
    /// After Rapid Start.
    Rapid(RapidCut),
    /// After a jump.
    Retreat(Retreat),
    /// Of a window that was not validated.
    Unused(UnusedCut),
}

/// Window and threshold after a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutEnd {
    /// Segments that may be in flight.
    pub window: f64,
    /// Slow start ends here.
    pub threshold: f64,
}

/// The reduction of a window of which little was used (RFC 7661 section 4.4.1): the part `beta` of
/// what was used, and at the end less what had to be sent again.
#[derive(Clone, Copy, Debug)]
pub struct UnusedCut {
    /// Segments used: the largest volume acknowledged per round trip, or the flight.
    pub used: f64,
    /// The part that the controller leaves; 1/2 in the RFC.
    pub beta: f64,
    /// Segments sent again since.
    pub resent: f64,
}

impl Cut {
    /// One that begins at `now`.
    pub fn new(kind: CutKind, now: Time) -> Cut {
        Cut { kind, began: now }
    }

    /// Segments that may be in flight now, at least one.
    pub fn window(&self) -> f64 {
        let window = match self.kind {
            CutKind::Rapid(rapid) => rapid.window,
            CutKind::Retreat(retreat) => retreat.window,
            CutKind::Unused(unused) => unused.beta * unused.used,
        };
        window.max(1.0)
    }

    /// True for a safe retreat.
    pub fn is_retreat(&self) -> bool {
        matches!(self.kind, CutKind::Retreat(_))
    }

    /// A segment leaves.
    pub fn on_sent(&mut self, sent: &Sent) {
        if let CutKind::Unused(unused) = &mut self.kind
            && sent.retransmission
        {
            unused.resent += 1.0;
        }
    }

    /// An acknowledgement, also the one that made the reduction begin (`first`). True if the
    /// reduction is over: the transport has ended its recovery, and for a retreat the jump is
    /// acknowledged.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>, first: bool) -> bool {
        let recovering = matches!(feedback.ca_state, CaState::Recovery | CaState::Cwr)
            && (first || (feedback.ended.is_none() && feedback.congestion.is_none()));
        match &mut self.kind {
            CutKind::Rapid(rapid) => {
                let before = |sent_at: Time| sent_at < self.began;
                let acked = feedback.acked.iter().filter(|acked| before(acked.sent_at)).count();
                let lost = feedback.lost.iter().filter(|lost| before(lost.sent_at)).count();
                rapid.on_fates(acked as f64, lost as f64);
                !recovering
            }
            // The retreat has counted what came with the congestion.
            CutKind::Retreat(retreat) => !first && retreat.on_feedback(feedback) && !recovering,
            CutKind::Unused(_) => !recovering,
        }
    }

    /// Window and threshold if it ends now.
    pub fn end(&self) -> CutEnd {
        let window = self.window();
        match self.kind {
            CutKind::Rapid(_) => CutEnd { window, threshold: window },
            CutKind::Retreat(retreat) => CutEnd { window, threshold: retreat.threshold() },
            CutKind::Unused(unused) => {
                let window = unused.beta * (unused.used - unused.resent).max(0.0);
                CutEnd { window, threshold: window }
            }
        }
    }
}
