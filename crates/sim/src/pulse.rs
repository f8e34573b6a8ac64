//! Whether a run is to go on.

use crate::SimError;
use narrows_units::Time;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that nobody sets.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Steps between two calls of the progress callback.
const EVERY: u64 = 1 << 16;

/// Follows how far a run is, and can stop it.
///
/// A step can take long, for example in a controller in another language. So a flag is read before
/// every step, while the callback, which costs more, is called every 65,536 steps.
pub struct Progress<'a> {
    heard: Option<&'a mut dyn FnMut(Time) -> bool>,
    stop: &'a AtomicBool,
}

impl<'a> Progress<'a> {
    /// Ends the run at its next step once `stop` is set.
    pub fn until(stop: &'a AtomicBool) -> Progress<'a> {
        Progress { heard: None, stop }
    }

    /// Calls `heard` now and then with the virtual time reached; the run ends if it answers false.
    pub fn heard_by(heard: &'a mut dyn FnMut(Time) -> bool) -> Progress<'a> {
        Progress { heard: Some(heard), stop: &NEVER }
    }

    /// Calls `heard` as [`heard_by`](Progress::heard_by) does, and ends the run as
    /// [`until`](Progress::until) does.
    pub fn new(heard: &'a mut dyn FnMut(Time) -> bool, stop: &'a AtomicBool) -> Progress<'a> {
        Progress { heard: Some(heard), stop }
    }

    /// Lends it for as long as other borrows live.
    pub(crate) fn lent(&mut self) -> Progress<'_> {
        let heard = self.heard.as_mut().map(|heard| &mut **heard as &mut dyn FnMut(Time) -> bool);
        Progress { heard, stop: self.stop }
    }

    /// Says that the run has reached `now`. False if it is to stop.
    pub(crate) fn tell(&mut self, now: Time) -> bool {
        !self.is_stopped() && self.heard.as_mut().is_none_or(|heard| heard(now))
    }

    /// The flag that stops the run.
    pub(crate) fn stop(&self) -> &'a AtomicBool {
        self.stop
    }

    #[inline(always)]
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("stop", self.stop).finish_non_exhaustive()
    }
}

/// Asks the progress callback from time to time. Every loop of a world that may be long counts its
/// steps here, also where virtual time stands still.
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

    /// Counts a step. False once the run is to stop; the callback is not asked again then.
    #[inline(always)]
    pub(crate) fn goes_on(&mut self, now: Time) -> bool {
        self.left -= 1;
        (self.left > 0 && !self.progress.is_stopped()) || self.ask(now)
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
        self.stopped = self.stopped || !self.progress.tell(now);
        // Once stopped, every further step answers so.
        self.left = if self.stopped { 1 } else { EVERY };
        !self.stopped
    }
}
