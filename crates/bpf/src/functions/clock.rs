//! The host's clocks, as programs and the kernel's functions read them.

use super::context::World;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Before the first wrap of the ticks, in seconds: hosts count from there, so that what cannot bear the wrap shows soon (`INITIAL_JIFFIES`,
/// include/linux/jiffies.h).
const BEFORE_WRAP: u64 = 300;

/// Ticks since the world began, in 64 bits, after so many ns of uptime: the lower 32 wrap after five minutes of it.
pub fn ticks(uptime: u64, hz: u32) -> u64 {
    (1 << 32) - BEFORE_WRAP * hz as u64 + elapsed(uptime, hz)
}

fn elapsed(uptime: u64, hz: u32) -> u64 {
    uptime / SECOND * hz as u64 + uptime % SECOND * hz as u64 / SECOND
}

/// The time of the latest tick, in ns.
pub(super) fn coarse(world: &dyn World) -> u64 {
    (elapsed(world.uptime(), world.hz()) as u128 * SECOND as u128 / world.hz().max(1) as u128) as u64
}

/// The present tick in the 32 bits that the kernel's controllers keep (`tcp_jiffies32`, include/net/tcp.h).
pub(super) fn tick(world: &dyn World) -> u32 {
    world.ticks() as u32
}

/// Whether `a` comes before `b`, where both wrap at 32 bits (`before`, include/net/tcp.h): sequence numbers, counts and ticks.
pub(super) fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}
