//! Ticks of a host (`jiffies`).

/// Nanoseconds of a second.
pub(super) const SECOND: u64 = 1_000_000_000;

/// Before the first wrap of the ticks, in seconds: hosts count from there, so that what cannot bear
/// the wrap shows soon (`INITIAL_JIFFIES`, include/linux/jiffies.h).
const BEFORE_WRAP: u64 = 300;

/// Ticks since the world began, in 64 bits, after so many ns of uptime: the lower 32 wrap after
/// five minutes of it.
pub fn ticks(uptime: u64, hz: u32) -> u64 {
    (1 << 32) - BEFORE_WRAP * hz as u64 + elapsed(uptime, hz)
}

/// Those of the uptime alone.
pub(super) fn elapsed(uptime: u64, hz: u32) -> u64 {
    uptime / SECOND * hz as u64 + uptime % SECOND * hz as u64 / SECOND
}

/// Nanoseconds of uptime until the next tick.
pub fn until_next(uptime: u64, hz: u32) -> u64 {
    let hz = hz.max(1) as u64;
    let of_second = uptime % SECOND;
    let next = of_second * hz / SECOND + 1;
    (next * SECOND).div_ceil(hz) - of_second
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_tick_lasts_until_the_next(uptime in 0..1_u64 << 55, hz in 1..10_000_u32) {
            let left = until_next(uptime, hz);
            prop_assert_eq!(elapsed(uptime + left - 1, hz), elapsed(uptime, hz));
            prop_assert_eq!(elapsed(uptime + left, hz), elapsed(uptime, hz) + 1);
        }
    }
}
