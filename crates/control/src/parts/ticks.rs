//! The kernel's clock (`jiffies`).

use narrows_units::{Span, Time};

/// Ticks of the kernel's clock.
#[derive(Clone, Debug)]
pub struct Ticks {
    hz: u64,
    period: u64,
    now: u64,
    next_at: u64,
}

impl Ticks {
    /// A clock of `hz` ticks per second.
    pub fn new(hz: u64) -> Ticks {
        let period = 1_000_000_000 / hz;
        Ticks { hz, period, now: 0, next_at: period }
    }

    /// The tick at `now`, which never goes back.
    pub fn at(&mut self, now: Time) -> u64 {
        let ns = now.as_nanos();
        // Most acknowledgements share their tick with the one before: no division.
        if ns >= self.next_at {
            self.now = ns / self.period;
            self.next_at = (self.now + 1) * self.period;
        }
        self.now
    }

    /// Ticks from one time to a later one.
    pub fn between(&self, from: Time, to: Time) -> u64 {
        to.as_nanos() / self.period - from.as_nanos() / self.period
    }

    /// Ticks of a duration, rounded up.
    pub fn of(&self, span: Span) -> u64 {
        span.as_nanos().div_ceil(self.period)
    }

    /// Ticks per second.
    pub fn hz(&self) -> u64 {
        self.hz
    }

    /// Ticks of `us` µs, rounded up (`usecs_to_jiffies`).
    pub fn of_micros(&self, us: u32) -> u64 {
        (us as u64 * self.hz).div_ceil(1_000_000)
    }

    /// Ticks in 1/1024 s, rounded down.
    pub fn in_1024ths(&self, ticks: u64) -> u64 {
        (ticks << 10) / self.hz
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_round_down_and_durations_up() {
        let mut ticks = Ticks::new(250);
        assert_eq!(
            [3_999_999, 4_000_000, 7_999_999, 1_000_000_000]
                .map(|ns| ticks.at(Time::from_nanos(ns))),
            [0, 1, 1, 250]
        );
        assert_eq!(ticks.of_micros(50_000), 13);
        assert_eq!([200_000_000, 200_000_001].map(|ns| ticks.of(Span::from_nanos(ns))), [50, 51]);
    }
}
