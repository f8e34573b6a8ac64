//! The clock of a run that another process has begun.

use narrows_units::Time;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::thread;
use std::time::Duration;

/// The monotonic clock, counted from the moment at which a run began.
#[derive(Clone, Copy, Debug)]
pub struct RunClock {
    zero: u64,
}

impl RunClock {
    /// Of a run that began at this moment of the monotonic clock, in nanoseconds.
    pub fn beginning_at(zero: u64) -> RunClock {
        RunClock { zero }
    }

    /// The time now.
    pub fn now(self) -> Time {
        Time::from_nanos(nanoseconds(clock_gettime(ClockId::Monotonic)).saturating_sub(self.zero))
    }

    /// Sleeps until a time in nanoseconds.
    pub fn sleep_until(self, nanos: u64) {
        thread::sleep(Duration::from_nanos(nanos.saturating_sub(self.now().as_nanos())));
    }
}

/// CPU time that the calling thread has used, in nanoseconds.
pub fn thread_time() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
