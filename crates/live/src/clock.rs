//! The wall clock of a run, and waiting by it.

use narrows_units::Time;
use rustix::time::{ClockId, clock_gettime};

/// The monotonic clock, counted from the moment that a run calls zero.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero: u64,
}

impl Clock {
    /// One that begins now.
    pub fn start() -> Clock {
        Clock { zero: monotonic() }
    }

    /// The time now.
    pub fn now(&self) -> Time {
        Time::from_nanos(monotonic() - self.zero)
    }
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
