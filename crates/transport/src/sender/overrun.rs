//! A controller that sends more than can be kept.

use narrows_control::{Awaited, Controller, Decision, Fault, Feedback, Timeout};
use narrows_units::Time;

/// Most segments outstanding that a sender keeps: ours. At 1448 B they are six times the largest
/// window of TCP (1 GiB, RFC 7323 section 2.3).
pub(crate) const MAX_OUTSTANDING: usize = 1 << 22;

/// Takes the place of a controller whose window and pacing let more segments out than a sender
/// keeps: the connection has a fault from then on.
pub(super) struct Overrun {
    decision: Decision,
    fault: Fault,
}

impl Overrun {
    /// In place of the controller that had decided this.
    pub fn new(decision: &Decision) -> Overrun {
        let pacing =
            decision.pacing.map_or(String::new(), |rate| format!(" and a pacing rate of {rate}"));
        let fault = Fault::new(format!(
            "{MAX_OUTSTANDING} segments are outstanding, under a window of {} segments{pacing}; keep the window at a few times what the path holds",
            decision.window.whole()
        ));
        Overrun { decision: *decision, fault }
    }
}

impl Controller for Overrun {
    fn on_feedback(&mut self, _: &Feedback<'_>) {}

    fn on_timeout(&mut self, _: &Timeout) {}

    fn on_undo(&mut self, _: Time) {}

    fn decision(&self) -> Decision {
        self.decision
    }

    fn fault(&self) -> Option<Fault> {
        Some(self.fault.clone())
    }

    fn decide(&self, _: &mut Decision) -> Awaited {
        Awaited::Fault
    }

    fn inspect(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}
