//! Everything outside of a connection: the host's clock, its random numbers, and its log.

use crate::functions::{World, ticks, until_next};
use crate::log;
use narrows_units::{Random, Span, Time};

/// A host is up for so long when a run begins: never 0.
const UPTIME: Span = Span::from_secs(1000);
/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;

#[derive(Clone, Debug)]
pub(super) struct Outside {
    now: Time,
    /// The present tick, from when and until when, but not including it.
    ticks: u64,
    tick: (Time, Time),
    hz: u32,
    /// The duration that was converted last, and its ticks.
    converted: (Span, u32),
    seed: u64,
    random: Random,
}

impl Outside {
    pub fn new(hz: u32, seed: u64) -> Outside {
        let never = (Time::NEVER, Time::ZERO);
        let mut outside = Outside {
            now: Time::ZERO,
            ticks: 0,
            tick: never,
            hz,
            converted: (Span::ZERO, 0),
            seed,
            random: Random::stream(seed, "bpf"),
        };
        outside.set(Time::ZERO);
        outside
    }

    /// It is `now`.
    pub fn set(&mut self, now: Time) {
        self.now = now;
        if now < self.tick.0 || now >= self.tick.1 {
            self.ticks = ticks(self.uptime(), self.hz);
            self.tick = (now, now + Span::from_nanos(until_next(self.uptime(), self.hz)));
        }
    }

    /// Microseconds of uptime at `time`.
    pub fn micros(&self, time: Time) -> u64 {
        (time.since(Time::ZERO) + UPTIME).as_micros()
    }

    /// The present tick, as the kernel keeps it in 32 bits.
    pub fn tick(&self) -> u32 {
        self.ticks as u32
    }

    /// Ticks of a duration that seldom changes, rounded up.
    #[inline]
    pub fn ticks_again(&mut self, span: Span) -> u32 {
        if span != self.converted.0 {
            self.converted = (span, self.ticks_of(span));
        }
        self.converted.1
    }

    /// Ticks of a duration, rounded up.
    pub fn ticks_of(&self, span: Span) -> u32 {
        // Half a year fits 64 bits, which are divided much faster.
        let ticks = match span.as_nanos().checked_mul(self.hz as u64) {
            Some(product) => product.div_ceil(SECOND),
            None => {
                u64::try_from((span.as_nanos() as u128 * self.hz as u128).div_ceil(SECOND as u128))
                    .unwrap_or(u64::MAX)
            }
        };
        u32::try_from(ticks).unwrap_or(u32::MAX)
    }
}

impl World for Outside {
    fn uptime(&self) -> u64 {
        (self.now.since(Time::ZERO) + UPTIME).as_nanos()
    }

    fn hz(&self) -> u32 {
        self.hz
    }

    fn ticks(&self) -> u64 {
        self.ticks
    }

    fn random(&mut self) -> u32 {
        self.random.bits() as u32
    }

    fn print(&mut self, line: &str) {
        log::print(self.now, self.seed, line);
    }
}
