//! The daemon's clock, and its longest wait.

use narrows_units::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

/// Longest wait, so that a change of the clock is noticed.
pub(crate) const LONGEST: Span = Span::from_millis(500);

/// Time of the monotonic clock in nanoseconds.
pub(crate) fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Time since the monotonic clock showed `zero`.
pub(crate) fn time_since(zero: u64) -> Time {
    Time::from_nanos(monotonic() - zero)
}
