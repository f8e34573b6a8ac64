//! Whether a run is to go on.

use crate::SimError;
use narrows_units::Time;

/// Called now and then with the virtual time reached; answers whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(Time) -> bool;

/// Steps between two calls of the progress callback.
const EVERY: u64 = 1 << 16;

/// Asks the progress callback from time to time. Every loop of a world that may be long tells it of its steps, also where virtual time stands still.
pub(crate) struct Pulse<'a> {
    progress: Progress<'a>,
    /// Steps until the callback is asked.
    left: u64,
    stopped: bool,
    /// Why the run cannot go on, if not because the callback said so.
    failed: Option<SimError>,
}

impl<'a> Pulse<'a> {
    pub(crate) fn new(progress: Progress<'a>) -> Pulse<'a> {
        Pulse { progress, left: EVERY, stopped: false, failed: None }
    }

    /// One more step: false once the callback has said so, which is not asked again then.
    #[inline(always)]
    pub(crate) fn goes_on(&mut self, now: Time) -> bool {
        self.left -= 1;
        self.left > 0 || self.ask(now)
    }

    /// The run cannot go on: every loop is told at its next step.
    #[cold]
    pub(crate) fn fail(&mut self, error: SimError) {
        self.failed.get_or_insert(error);
        (self.stopped, self.left) = (true, 1);
    }

    /// Why the run does not go on.
    #[cold]
    pub(crate) fn reason(&mut self) -> SimError {
        self.failed.take().unwrap_or(SimError::Stopped)
    }

    /// Asks now.
    #[cold]
    pub(crate) fn ask(&mut self, now: Time) -> bool {
        self.stopped = self.stopped || !(self.progress)(now);
        // Whoever has stopped is told at every step.
        self.left = if self.stopped { 1 } else { EVERY };
        !self.stopped
    }
}
