//! What lies outside of a connection: the host's clock, its random numbers, and its log.

use crate::functions::{World, ticks};
use crate::log;
use narrows_units::{Random, Span, Time};

/// A host is up for so long when a run begins: never 0.
const UPTIME: Span = Span::from_secs(1000);
/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;

#[derive(Clone, Debug)]
pub(super) struct Outside {
    now: Time,
    /// Of now.
    ticks: u64,
    hz: u32,
    seed: u64,
    random: Random,
}

impl Outside {
    pub fn new(hz: u32, seed: u64) -> Outside {
        Outside { now: Time::ZERO, ticks: ticks(UPTIME.as_nanos(), hz), hz, seed, random: Random::stream(seed, "bpf") }
    }

    /// It is `now`.
    pub fn set(&mut self, now: Time) {
        if now != self.now {
            self.now = now;
            self.ticks = ticks(self.uptime(), self.hz);
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

    /// Ticks of a duration, rounded up.
    pub fn ticks_of(&self, span: Span) -> u32 {
        // Half a year fits 64 bits, which are divided much faster.
        let ticks = match span.as_nanos().checked_mul(self.hz as u64) {
            Some(product) => product.div_ceil(SECOND),
            None => u64::try_from((span.as_nanos() as u128 * self.hz as u128).div_ceil(SECOND as u128)).unwrap_or(u64::MAX),
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
