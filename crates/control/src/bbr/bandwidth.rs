//! Bandwidth in the kernel's unit, and the maximum filter over it.

use super::ack::Ack;
use crate::windowed::WindowedMax;

/// Fractional bits of a bandwidth: packets per microsecond in units of 2^-24, about 715 bit/s of 1500 B packets.
pub const BW_SCALE: u32 = 24;
/// Fractional bits of a gain.
pub const GAIN_SCALE: u32 = 8;
/// A gain of 1.
pub const UNIT: u32 = 1 << GAIN_SCALE;

/// Rounds that a bandwidth sample counts for: a cycle of gains and two more.
const FILTER_ROUNDS: u32 = 10;

/// `delivered` packets in `micros` > 0. A flow slower than one unit is taken as one unit fast, so that it is never stopped.
pub fn bandwidth(delivered: u64, micros: u64) -> u32 {
    u32::try_from((delivered << BW_SCALE) / micros).unwrap_or(u32::MAX).max(1)
}

/// The packets that `bandwidth` delivers in `micros`, rounded down.
pub fn packets(bandwidth: u32, micros: u64) -> u64 {
    (bandwidth as u64).saturating_mul(micros) >> BW_SCALE
}

/// `gain` times `bandwidth` in bytes per second for packets of `bytes`, less what is missing from `percent` to 100.
pub fn bytes_per_second(bandwidth: u32, bytes: u64, gain: u32, percent: u64) -> u64 {
    let scaled = (bandwidth as u64).saturating_mul(bytes).saturating_mul(gain as u64) >> GAIN_SCALE;
    scaled.saturating_mul(10_000 * percent) >> BW_SCALE
}

/// The highest bandwidth of the last rounds, and the rounds themselves: one ends when a packet sent after its beginning is delivered.
#[derive(Clone, Debug)]
pub struct MaxBandwidth {
    filter: WindowedMax<u32>,
    rounds: u32,
    /// The round ends with a packet sent when at least this many had been delivered.
    round_end: u64,
    /// True if this acknowledgement began a round.
    pub round_start: bool,
}

impl MaxBandwidth {
    /// Nothing measured yet.
    pub fn new() -> MaxBandwidth {
        MaxBandwidth { filter: WindowedMax::new(0, 0), rounds: 0, round_end: 0, round_start: false }
    }

    /// The maximum; 0 before the first sample.
    pub fn get(&self) -> u32 {
        self.filter.get()
    }

    /// Rounds so far.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Begins a round now, not counted, with `delivered` packets delivered so far.
    pub fn restart_round(&mut self, delivered: u64) {
        self.round_end = delivered;
    }

    /// Counts rounds.
    pub fn count_round(&mut self, ack: &Ack) {
        self.round_start = ack.sample.is_some_and(|sample| sample.prior_delivered >= self.round_end);
        if self.round_start {
            self.round_end = ack.counts.delivered;
            self.rounds += 1;
        }
    }

    /// Takes in the sample. One limited by the application is a lower bound, of use only above the maximum.
    pub fn update(&mut self, ack: &Ack) {
        let Some(sample) = ack.sample else { return };
        if !sample.app_limited || sample.bandwidth >= self.get() {
            self.filter.update(FILTER_ROUNDS, self.rounds, sample.bandwidth);
        }
    }
}
