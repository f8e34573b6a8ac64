//! Startup, and the plateau that ends it: the pipe is full when bandwidth stops growing, or when more is lost than may be.

use super::profile::Profile;
use super::{Bbr3, Evidence, State};
use crate::Recovery;
use crate::controllers::bbr::common::{Ack, UNIT, bandwidth_ceil};

/// Growth of bandwidth, in 1/256, that shows room for more.
const GROWTH: u32 = UNIT * 5 / 4;
/// Rounds without it that show a full pipe.
const ROUNDS: u32 = 3;
/// Ranges lost within a round that end Startup.
const LOST_RANGES: u32 = 6;

/// Looks for a plateau of bandwidth, in Startup and in ProbeBW_UP.
#[derive(Clone, Debug, Default)]
pub struct FullPipe {
    baseline: u32,
    rounds: u32,
    now: bool,
    reached: bool,
}

impl FullPipe {
    /// True once the pipe was ever full.
    pub fn reached(&self) -> bool {
        self.reached
    }

    /// True if it was found full since the search began.
    pub fn now(&self) -> bool {
        self.now
    }

    /// The pipe is full, or, if `reached` is false, was never full after all.
    pub fn set_reached(&mut self, reached: bool) {
        self.reached = reached;
    }

    /// The search begins anew, from `baseline`.
    pub fn restart(&mut self, baseline: u32) {
        *self = FullPipe { baseline, rounds: 0, now: false, reached: self.reached };
    }

    /// Takes in a sample that the application did not limit. The draft looks at the first of a round; the kernel at each for growth, and counts rounds.
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

/// Counts how often Startup loses in a round: ranges of segments in the draft, acknowledgements that bring losses in the kernel.
#[derive(Clone, Debug, Default)]
pub struct LostRanges {
    count: u32,
    last: Option<u64>,
}

impl LostRanges {
    /// Segment `number` was lost; a range goes on as long as numbers follow each other.
    pub fn add(&mut self, number: u64) {
        if self.last.is_none_or(|last| number != last + 1) {
            self.count += 1;
        }
        self.last = Some(number);
    }

    /// An acknowledgement brought losses.
    pub fn add_acknowledgement(&mut self) {
        self.count += 1;
    }
}

impl Bbr3 {
    pub(super) fn check_full_pipe(&mut self, ack: &Ack) {
        if let Some(sample) = ack.sample
            && !sample.app_limited
        {
            let measured = bandwidth_ceil(sample.delivered as u64, sample.interval);
            self.full_pipe.update(self.profile, measured, self.rounds.start());
        }
    }

    /// Ends Startup after a round in recovery in which too much was lost, in several places.
    pub(super) fn check_startup_loss(&mut self, ack: &Ack, evidence: Option<Evidence>) {
        if self.full_pipe.reached() || !self.short_term.round_start() {
            return;
        }
        let ranges = std::mem::take(&mut self.lost_ranges).count;
        let too_high = evidence.is_some_and(|evidence| self.is_too_high(&evidence));
        if ack.recovery == Recovery::Recovery && ranges >= LOST_RANGES && too_high {
            self.leave_startup_too_high();
        }
    }

    /// The pipe is more than full.
    pub(super) fn leave_startup_too_high(&mut self) {
        self.full_pipe.set_reached(true);
        self.long_term.set(self.capacity(self.max_bandwidth.get()).max(self.short_term.latest_flight()));
        if self.profile == Profile::Draft {
            self.undo.state = Some(State::Startup);
        }
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
            // 1250 · 1.25 = 1562.5: 1562 was the first round without growth, and the next, 1900, grew; then 1951 < 2375.
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
