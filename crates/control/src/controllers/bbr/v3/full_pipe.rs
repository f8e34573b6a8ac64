//! Evidence of a full pipe: bandwidth that stops growing (section 5.3.1.2), and losses in Startup
//! (section 5.3.1.3).

use super::profile::Profile;
use crate::controllers::bbr::common::UNIT;

/// `bbr_full_bw_thresh`: growth of bandwidth, in 1/256, that shows room for more.
const GROWTH: u32 = UNIT * 5 / 4;
/// `bbr_full_bw_cnt`: rounds without such growth that show a full pipe.
const ROUNDS: u32 = 3;

/// Detects a plateau of bandwidth, in Startup and in ProbeBW_UP (section 5.3.1.2).
#[derive(Clone, Debug, Default)]
pub struct FullPipe {
    baseline: u32,
    rounds: u32,
    now: bool,
    reached: bool,
}

impl FullPipe {
    /// True once the pipe was ever full (`full_bw_reached`).
    pub fn reached(&self) -> bool {
        self.reached
    }

    /// Rounds without growth so far (`full_bw_count`).
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// True if the pipe was found full since the search began (`full_bw_now`).
    pub fn now(&self) -> bool {
        self.now
    }

    /// The pipe is full, or, if `reached` is false, was never full after all.
    pub fn set_reached(&mut self, reached: bool) {
        self.reached = reached;
    }

    /// Restarts the search from `baseline` (`ResetFullBW`, `bbr_reset_full_bw`).
    pub fn restart(&mut self, baseline: u32) {
        *self = FullPipe { baseline, rounds: 0, now: false, reached: self.reached };
    }

    /// Takes in a sample that the application did not limit (`CheckFullBWReached`,
    /// `bbr_check_full_bw_reached`). The draft judges the first sample of a round; the kernel
    /// judges each for growth, and counts rounds without.
    pub fn update(&mut self, profile: Profile, bandwidth: u32, round_start: bool) {
        if self.now || (profile == Profile::Draft && !round_start) {
            return;
        }
        if bandwidth as u64 * UNIT as u64 >= self.baseline as u64 * GROWTH as u64 {
            self.restart(bandwidth);
        } else if round_start {
            self.rounds += 1;
            self.now = self.rounds >= ROUNDS;
            self.reached |= self.now;
        }
    }
}

/// Counts the losses of a round in Startup: ranges of segments in the draft (section 5.3.1.3),
/// acknowledgements that report losses in the kernel (`loss_events_in_round`).
#[derive(Clone, Debug, Default)]
pub struct LostRanges {
    count: u32,
    last: Option<u64>,
}

impl LostRanges {
    /// Segment `number` was lost; consecutive numbers form a range.
    pub fn add(&mut self, number: u64) {
        if self.last.is_none_or(|last| number != last + 1) {
            self.count += 1;
        }
        self.last = Some(number);
    }

    /// The number of ranges.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// An acknowledgement reports losses.
    pub fn add_acknowledgement(&mut self) {
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_below_a_quarter_more_fill_the_pipe() {
        for profile in [Profile::Draft, Profile::Linux] {
            let mut pipe = FullPipe::default();
            for bandwidth in [1_000, 1_250, 1_562, 1_900, 1_951] {
                pipe.update(profile, bandwidth, true);
                assert!(!pipe.now(), "at {bandwidth}");
            }
            // 1250 · 1.25 = 1562.5: 1562 was the first round without growth, and the next, 1900,
            // grew; then 1951 < 2375.
            pipe.update(profile, 1_951, true);
            assert!(!pipe.now());
            pipe.update(profile, 2_374, true);
            assert!(pipe.now() && pipe.reached());
        }
    }

    #[test]
    fn growth_within_a_round_counts_in_the_kernel_only() {
        for (profile, full) in [(Profile::Draft, true), (Profile::Linux, false)] {
            let mut pipe = FullPipe::default();
            pipe.update(profile, 1_000, true);
            pipe.update(profile, 1_000, true);
            pipe.update(profile, 1_250, false);
            pipe.update(profile, 1_000, true);
            pipe.update(profile, 1_000, true);
            assert_eq!(pipe.now(), full, "{profile:?}");
        }
    }

    #[test]
    fn a_new_search_remembers_that_the_pipe_was_full() {
        let mut pipe = FullPipe::default();
        for _ in 0..4 {
            pipe.update(Profile::Draft, 1_000, true);
        }
        pipe.restart(0);
        assert!(!pipe.now() && pipe.reached());
    }

    #[test]
    fn numbers_in_a_row_are_one_range() {
        let mut lost = LostRanges::default();
        for number in [5, 6, 7, 9, 20, 21] {
            lost.add(number);
        }
        assert_eq!(lost.count, 3);
    }
}
