//! A connection under an agent.

use crate::{Feedback, Interval, Open, Reduction, Sent, Setting, Timeout};
use narrows_units::{Rate, Time};

/// One connection as an agent sees and steers it.
pub trait Steering: Send {
    /// The connection is open.
    fn on_open(&mut self, open: &Open) {
        let _ = open;
    }

    /// A segment leaves.
    fn on_sent(&mut self, sent: &Sent) {
        let _ = sent;
    }

    /// An acknowledgement was processed; `seen` is the interval so far. Answers what holds from now
    /// on if something else does than before.
    fn on_feedback(&mut self, feedback: &Feedback<'_>, seen: &Interval) -> Option<Setting> {
        let _ = (feedback, seen);
        None
    }

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &Timeout, seen: &Interval) -> Option<Setting> {
        let _ = (timeout, seen);
        None
    }

    /// The latest reduction was spurious.
    fn on_undo(&mut self, now: Time) -> Option<Setting> {
        let _ = now;
        None
    }

    /// Takes in the interval that has ended. False if it shows nothing to decide by: then the agent
    /// is not asked.
    fn observe(&mut self, interval: &Interval) -> bool;

    /// The latest observation: as many numbers as the preset's
    /// [`inputs`](super::LearnedPreset::inputs).
    fn observation(&self) -> &[f32];

    /// The reward of the interval that was observed last.
    fn reward(&self) -> f64;

    /// Takes an action, and says what holds in the next interval.
    fn act(&mut self, action: f32) -> Setting;

    /// The pacing rate in force, if the agent chooses rates.
    fn rate(&self) -> Option<Rate> {
        None
    }

    /// How a lowered window takes effect.
    fn reduction(&self) -> Reduction {
        Reduction::Immediate
    }
}
