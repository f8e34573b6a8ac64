//! Instants of virtual time.

use narrows_units::Time;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The instant of virtual time 0. Stacks look at differences of instants alone, so any base gives
/// the same run.
static BASE: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The instant of a virtual time.
pub(crate) fn instant(time: Time) -> Instant {
    *BASE + Duration::from_nanos(time.as_nanos())
}

/// The virtual time of an instant; 0 if it is before the base.
pub(crate) fn time(instant: Instant) -> Time {
    Time::from_nanos(instant.saturating_duration_since(*BASE).as_nanos() as u64)
}
