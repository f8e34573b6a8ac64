//! The wall clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Seconds since 1970.
pub(crate) fn wall_seconds() -> u64 {
    since_1970().as_secs()
}

/// Milliseconds since 1970.
pub(crate) fn wall_millis() -> u64 {
    since_1970().as_millis() as u64
}

/// A random seed: nanoseconds since 1970, so that no two runs draw the same numbers.
pub(crate) fn wall_seed() -> u64 {
    since_1970().as_nanos() as u64
}
