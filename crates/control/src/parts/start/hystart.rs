//! HyStart as Linux has it (`net/ipv4/tcp_cubic.c`: `hystart_update`): slow start ends when a train
//! of acknowledgements has become half a round trip long, or when the round trips of a round have
//! all become longer.
//!
//! Source of the idea: Ha and Rhee, "Taming the elephants: new TCP slow start", Computer Networks
//! 55(9), 2011.

use crate::Feedback;
use crate::parts::micros::micros;
use crate::parts::mutated::{Mutated, Mutation};
use narrows_units::Span;

/// Below this window, in segments, slow start goes on.
const LOW_WINDOW: u32 = 16;
/// Acknowledgements at most this far apart, in µs, make a train.
const TRAIN_GAP: u64 = 2_000;
/// Samples of a round before its delay is judged.
const SAMPLES: u8 = 8;
/// Least and largest increase of delay, in µs, that ends slow start; between them 1/8 of the least
/// round trip.
const DELAY_RISE: (u32, u32) = (4_000, 16_000);

/// The search for the end of slow start.
#[derive(Clone, Debug, Default)]
pub struct HyStart {
    state: HyStartState,
    mutated: Mutated,
}

/// The state of the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct HyStartState {
    /// The round ends when a segment from this one on is acknowledged cumulatively (`end_seq`).
    pub end: u64,
    /// The end of slow start was found (`found`).
    pub found: bool,
    /// When the round began, in µs (`round_start`).
    pub began: u64,
    /// The last acknowledgement of the train, in µs (`last_ack`).
    pub train: u64,
    /// Least round trip of the round, in µs (`curr_rtt`).
    pub least: u32,
    /// Round trips of the round, as far as they are counted (`sample_cnt`).
    pub samples: u8,
}

/// One round trip sample in slow start; times in µs.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// When it was taken.
    pub now: u64,
    /// First segment not cumulatively acknowledged.
    pub una: u64,
    /// First segment never sent.
    pub next: u64,
    /// The round trip.
    pub rtt: u32,
    /// The least round trip of the connection, this one included.
    pub min_rtt: u32,
    /// Segments.
    pub window: u32,
}

impl HyStart {
    /// One that may have a published fault.
    pub fn mutant(mutated: Mutated) -> HyStart {
        HyStart { mutated, ..HyStart::default() }
    }

    /// A search that has come so far.
    pub fn resume(state: HyStartState) -> HyStart {
        HyStart { state, ..HyStart::default() }
    }

    /// How far it has come.
    pub fn state(&self) -> &HyStartState {
        &self.state
    }

    /// Slow start begins at `now` (µs) with segment `next`, also after a timeout.
    pub fn begin(&mut self, now: u64, next: u64) {
        self.state.found = false;
        self.state.begin_round(now, next);
    }

    /// True if slow start should end at this sample. `longest` gives the time in µs that a train
    /// may last, which is half of the least round trip or more.
    pub fn ends(&mut self, sample: Sample, longest: impl FnOnce() -> u32) -> bool {
        let state = &mut self.state;
        if state.found {
            return false;
        }
        let low = sample.window < LOW_WINDOW;
        if sample.una > state.end && !(low && self.mutated.has(Mutation::StaleRounds)) {
            state.begin_round(sample.now, sample.next);
        }
        if low {
            return false;
        }
        let train = state.train_is_long(&sample, longest);
        let delay = state.delay_has_risen(&sample);
        state.found = train || delay;
        state.found
    }
}

impl HyStartState {
    /// A round begins at `now` (µs) with segment `next` (`bictcp_hystart_reset`).
    fn begin_round(&mut self, now: u64, next: u64) {
        self.end = next;
        self.began = now;
        self.train = now;
        self.least = u32::MAX;
        self.samples = 0;
    }

    fn train_is_long(&mut self, sample: &Sample, longest: impl FnOnce() -> u32) -> bool {
        if sample.now.saturating_sub(self.train) > TRAIN_GAP {
            return false;
        }
        self.train = sample.now;
        let length = sample.now.saturating_sub(self.began);
        length > sample.min_rtt as u64 / 2 && length > longest() as u64
    }

    fn delay_has_risen(&mut self, sample: &Sample) -> bool {
        self.least = self.least.min(sample.rtt);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        let (low, high) = DELAY_RISE;
        self.least > sample.min_rtt.saturating_add((sample.min_rtt / 8).clamp(low, high))
    }
}

/// How much longer than the path's round trip a train may take because hosts batch segments, in µs
/// and at most 1 ms: four batches of 64 KiB at the rate that the kernel would pace `packets`
/// segments of `mss` bytes at (`hystart_ack_delay`). `doubling`: the window is below half of its
/// threshold.
pub fn batching(mss: u64, packets: u32, doubling: bool, srtt: Span) -> u32 {
    let percent = if doubling { 200 } else { 120 };
    // In eighths of a microsecond, as the kernel keeps the round trip.
    let srtt = (srtt.as_nanos() / 125).max(1);
    let rate = mss * 80_000 * percent * packets as u64 / srtt;
    ((4 << 16) * 1_000_000_u64).checked_div(rate).map_or(0, |time| time.min(1_000) as u32)
}

/// HyStart with the least round trip that it needs, for controllers that keep none in µs.
#[derive(Clone, Debug)]
pub struct MeasuringHyStart {
    hystart: HyStart,
    /// In µs.
    min_rtt: u32,
    mss: u64,
    /// First segment not acknowledged, and first never sent: worlds tell them only to controllers
    /// that need the outstanding data.
    una: u64,
    next: u64,
}

impl MeasuringHyStart {
    /// At the start of a connection with segments of `mss` bytes.
    pub fn new(mss: u64) -> MeasuringHyStart {
        MeasuringHyStart { hystart: HyStart::default(), min_rtt: u32::MAX, mss, una: 0, next: 0 }
    }

    /// A segment leaves.
    pub fn on_sent(&mut self, number: u64) {
        self.next = self.next.max(number + 1);
    }

    /// An acknowledgement at a window of `window` segments. True if slow start ends now.
    pub fn on_feedback(&mut self, feedback: &Feedback<'_>, window: f64) -> bool {
        let highest = feedback.acked.iter().map(|acked| acked.number + 1).max();
        self.una = self.una.max(highest.unwrap_or(0)).min(self.next);
        let Some(rtt) = feedback.rtt else { return false };
        let rtt = u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX).max(1);
        let min_rtt = self.min_rtt.min(rtt);
        self.min_rtt = min_rtt;
        let (una, next, srtt) = (self.una, self.next, feedback.srtt);
        let window = window as u32;
        let packets = window.max((next - una) as u32);
        let sample = Sample { now: micros(feedback.now), una, next, rtt, min_rtt, window };
        let longest = || min_rtt.saturating_add(batching(self.mss, packets, true, srtt)) / 2;
        self.hystart.ends(sample, longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of an acknowledgement up to segment `highest`, with 64 segments out.
    fn sample(now: u64, highest: u64, rtt: u32) -> Sample {
        Sample { now, una: highest + 1, next: highest + 64, rtt, min_rtt: 40_000, window: 32 }
    }

    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        let mut hystart = HyStart::default();
        // One acknowledgement per millisecond: the first begins the round, and the train is longer
        // than (40 + 1) / 2 ms after 21.
        for ms in 0..21 {
            assert!(
                !hystart.ends(sample(1_000_000 + ms * 1_000, ms, 40_000), || 20_500),
                "after {ms} ms"
            );
        }
        assert!(hystart.ends(sample(1_021_000, 21, 40_000), || 20_500));
        assert!(!hystart.ends(sample(1_022_000, 22, 40_000), || 20_500), "found once");
    }

    #[test]
    fn a_gap_breaks_the_train() {
        let mut hystart = HyStart::default();
        for ms in 0..40 {
            let gap = if ms < 10 { 0 } else { 2_001 };
            assert!(
                !hystart.ends(sample(1_000_000 + ms * 1_000 + gap, ms, 40_000), || 20_000),
                "after {ms} ms"
            );
        }
    }

    #[test]
    fn a_round_of_later_samples_ends_slow_start() {
        // 40 ms / 8 = 5 ms is the rise that counts; the ninth sample is the first judged. Spacing
        // of 3 ms keeps the train out of it.
        let mut hystart = HyStart::default();
        for i in 0..8 {
            assert!(!hystart.ends(sample(1_000_000 + i * 3_000, i, 45_001), || u32::MAX));
        }
        assert!(hystart.ends(sample(1_024_000, 8, 45_001), || u32::MAX));
    }

    #[test]
    fn one_early_sample_excuses_its_round() {
        let mut hystart = HyStart::default();
        for i in 0..20 {
            let rtt = if i == 3 { 45_000 } else { 60_000 };
            assert!(!hystart.ends(sample(1_000_000 + i * 3_000, i, rtt), || u32::MAX));
        }
        // The next round has no such sample.
        for i in 0..8 {
            assert!(!hystart.ends(sample(2_000_000 + i * 3_000, 65 + i, 60_000), || u32::MAX));
        }
        assert!(hystart.ends(sample(2_024_000, 73, 60_000), || u32::MAX));
    }

    #[test]
    fn small_windows_are_left_alone() {
        let mut hystart = HyStart::default();
        for i in 0..40 {
            let small = Sample { window: 15, ..sample(1_000_000 + i * 1_000, i, 90_000) };
            assert!(!hystart.ends(small, || 0));
        }
    }

    #[test]
    fn the_rise_is_between_4_and_16_ms() {
        for (min_rtt, rise) in [(8_000, 4_000), (64_000, 8_000), (400_000, 16_000)] {
            for (extra, ends) in [(0, false), (1, true)] {
                let mut hystart = HyStart::default();
                let late = |i: u64| Sample {
                    rtt: min_rtt + rise + extra,
                    min_rtt,
                    ..sample(1_000_000 + i * 3_000, i, 0)
                };
                (0..8).for_each(|i| assert!(!hystart.ends(late(i), || u32::MAX)));
                assert_eq!(hystart.ends(late(8), || u32::MAX), ends, "{min_rtt} us + {extra}");
            }
        }
    }
}
