//! The clock of a run that another process has started.

use narrows_units::Time;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::thread;
use std::time::Duration;

/// The monotonic clock, relative to the start of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunClock {
    zero: u64,
}

impl RunClock {
    /// Creates the clock of a run that started at `zero` nanoseconds of the monotonic clock.
    pub fn beginning_at(zero: u64) -> RunClock {
        RunClock { zero }
    }

    /// Returns the time since the start of the run.
    pub fn now(self) -> Time {
        Time::from_nanos(nanoseconds(clock_gettime(ClockId::Monotonic)).saturating_sub(self.zero))
    }

    /// Sleeps until a time of the run, in nanoseconds.
    pub fn sleep_until(self, nanos: u64) {
        thread::sleep(Duration::from_nanos(nanos.saturating_sub(self.now().as_nanos())));
    }
}

/// Returns the CPU time of the calling thread, in nanoseconds.
pub fn thread_time() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
