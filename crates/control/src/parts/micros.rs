//! The kernel's clock.

use narrows_units::Time;

/// Whole microseconds since the run began.
pub fn micros(time: Time) -> u64 {
    time.as_nanos() / 1_000
}
