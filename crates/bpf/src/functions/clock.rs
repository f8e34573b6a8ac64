//! The host's clocks, as programs and the kernel's functions read them.

use super::context::World;
use super::ticks::{SECOND, elapsed};

/// The time of the latest tick, in ns.
pub(super) fn coarse(world: &dyn World) -> u64 {
    (elapsed(world.uptime(), world.hz()) as u128 * SECOND as u128 / world.hz().max(1) as u128)
        as u64
}

/// The present tick in the 32 bits that the kernel's controllers keep (`tcp_jiffies32`,
/// include/net/tcp.h).
pub(super) fn tick(world: &dyn World) -> u32 {
    world.ticks() as u32
}

/// Whether `a` comes before `b`, where both wrap at 32 bits (`before`, include/net/tcp.h): sequence
/// numbers, counts and ticks.
pub(super) fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}
