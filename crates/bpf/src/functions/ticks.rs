//! Ticks of a host (`jiffies`).

/// Nanoseconds of a second.
pub(super) const SECOND: u64 = 1_000_000_000;

/// Before the first wrap of the ticks, in seconds: hosts count from there, so that what cannot bear the wrap shows soon (`INITIAL_JIFFIES`,
/// include/linux/jiffies.h).
const BEFORE_WRAP: u64 = 300;

/// Ticks since the world began, in 64 bits, after so many ns of uptime: the lower 32 wrap after five minutes of it.
pub fn ticks(uptime: u64, hz: u32) -> u64 {
    (1 << 32) - BEFORE_WRAP * hz as u64 + elapsed(uptime, hz)
}

/// Those of the uptime alone.
pub(super) fn elapsed(uptime: u64, hz: u32) -> u64 {
    uptime / SECOND * hz as u64 + uptime % SECOND * hz as u64 / SECOND
}
