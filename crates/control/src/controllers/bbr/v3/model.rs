//! The model of the path (section 5.5): bandwidth, round trip, aggregation, and evidence of a full
//! pipe.

use super::profile::Profile;
use crate::controllers::bbr::common::{Ack, MaxExtraAcked, UNIT};
use crate::parts::windowed::WindowedMax;

// The highest bandwidth of this probing cycle and the one before (sections 5.5.3 to 5.5.6,
// `bw_hi`).

/// The maximum filter. Its time is counted in cycles, not in seconds or rounds.
#[derive(Clone, Debug, Default)]
pub struct MaxBandwidth {
    previous: u32,
    current: u32,
}

impl MaxBandwidth {
    /// The maximum; 0 before the first sample.
    pub fn get(&self) -> u32 {
        self.previous.max(self.current)
    }

    /// Takes in a sample. A sample limited by the application is a lower bound: it counts only
    /// above the maximum (`UpdateMaxBw`, section 5.5.5; `bbr_take_max_bw_sample`).
    pub fn update(&mut self, bandwidth: u32, app_limited: bool) {
        if !app_limited || bandwidth >= self.get() {
            self.current = self.current.max(bandwidth);
        }
    }

    /// A cycle is over; if it had no sample, the one before still counts (`AdvanceMaxBwFilter`,
    /// section 5.5.6; `bbr_advance_max_bw_filter`).
    pub fn advance(&mut self) {
        if self.current > 0 {
            self.previous = std::mem::take(&mut self.current);
        }
    }
}

// The least round trip, and the time to probe for a shorter one (`UpdateMinRTT`, section 5.3.4.3;
// `bbr_update_min_rtt`).

/// `MinRTTFilterLen`, `bbr_min_rtt_win_sec`: the time for which a least round trip counts, in µs.
const MIN_RTT_WINDOW: u64 = 10_000_000;
/// `ProbeRTTInterval`, `bbr_probe_rtt_win_ms`: the time without a shorter round trip after which
/// ProbeRTT begins, in µs.
// Requirement, draft-ietf-ccwg-bbr-06 section 5.3.4.2: "each BBR flow MUST use the standard
// BBR.ProbeRTTInterval of 5 secs"
const PROBE_RTT_INTERVAL: u64 = 5_000_000;

/// The least round trips of the last ten and of the last five seconds.
#[derive(Clone, Debug)]
pub struct MinRtt {
    profile: Profile,
    /// Of ten seconds: the estimate.
    least: Option<u32>,
    stamp: u64,
    /// Of five seconds (`probe_rtt_min_delay`, `probe_rtt_min_us`).
    recent: Option<u32>,
    recent_stamp: u64,
}

impl MinRtt {
    /// Unknown; both windows begin at `now` (µs).
    pub fn new(profile: Profile, now: u64) -> MinRtt {
        MinRtt { profile, least: None, stamp: now, recent: None, recent_stamp: now }
    }

    /// In µs, once measured.
    pub fn get(&self) -> Option<u32> {
        self.least
    }

    /// The least of the last five seconds, in µs, once measured (`probe_rtt_min_delay`).
    pub fn recent(&self) -> Option<u32> {
        self.recent
    }

    /// The handshake took so many µs.
    pub fn open(&mut self, rtt: u32) {
        (self.least, self.recent) = (Some(rtt), Some(rtt));
    }

    /// Takes in the acknowledgement's round trip. True if it is time for ProbeRTT.
    pub fn update(&mut self, ack: &Ack) -> bool {
        let linux = self.profile == Profile::Linux;
        let probe_due = ack.now > self.recent_stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt) = ack.rtt
            && (self.recent.is_none_or(|recent| rtt < recent)
                || (probe_due && !(linux && ack.delayed)))
        {
            self.recent = Some(rtt);
            self.recent_stamp = ack.now;
        }
        let Some(recent) = self.recent else { return probe_due };
        let shorter = self.least.is_none_or(|least| recent < least || (linux && recent == least));
        if shorter || ack.now > self.stamp + MIN_RTT_WINDOW {
            self.least = Some(recent);
            self.stamp = self.recent_stamp;
        }
        probe_due
    }

    /// ProbeRTT is over: the next is due an interval after `now` (µs).
    pub fn schedule(&mut self, now: u64) {
        self.recent_stamp = now;
    }
}

// Aggregation of acknowledgements, over rounds (section 5.5.9).

/// The maximum of the packets acknowledged in excess of the bandwidth.
#[derive(Clone, Debug)]
pub enum Aggregation {
    /// The draft: a window of rounds.
    Window(WindowedMax<u32>),
    /// The kernel: two slots of rounds.
    Slots(MaxExtraAcked),
}

impl Aggregation {
    /// No aggregation yet.
    pub fn new(profile: Profile) -> Aggregation {
        match profile {
            Profile::Draft => Aggregation::Window(WindowedMax::new(0, 0)),
            Profile::Linux => Aggregation::Slots(MaxExtraAcked::default()),
        }
    }
}

// The latest rate sample, kept for traces.

/// The latest rate sample (`RS`, section 2.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct Latest {
    /// 0 before the first.
    pub bandwidth: u32,
    /// The application was the limit.
    pub app_limited: bool,
}

impl Latest {
    /// Keeps the sample of `ack`, of `bandwidth`, if it has one.
    pub fn take(&mut self, ack: &Ack, bandwidth: u32) {
        if let Some(sample) = ack.sample {
            *self = Latest { bandwidth, app_limited: sample.app_limited };
        }
    }
}

// Evidence of a full pipe: bandwidth that stops growing (section 5.3.1.2), and losses in Startup
// (section 5.3.1.3).

/// `bbr_full_bw_thresh`: growth of bandwidth, in 1/256, that shows room for more.
const FULL_PIPE_GROWTH: u32 = UNIT * 5 / 4;
/// `bbr_full_bw_cnt`: rounds without such growth that show a full pipe.
const FULL_PIPE_ROUNDS: u32 = 3;

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
        if bandwidth as u64 * UNIT as u64 >= self.baseline as u64 * FULL_PIPE_GROWTH as u64 {
            self.restart(bandwidth);
        } else if round_start {
            self.rounds += 1;
            self.now = self.rounds >= FULL_PIPE_ROUNDS;
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
    mod max_bandwidth {
        use super::super::*;

        #[test]
        fn a_sample_lasts_this_cycle_and_the_next() {
            let mut max = MaxBandwidth::default();
            max.update(100, false);
            max.advance();
            max.update(60, false);
            assert_eq!(max.get(), 100);
            max.advance();
            assert_eq!(max.get(), 60);
        }

        #[test]
        fn a_cycle_without_samples_forgets_nothing() {
            let mut max = MaxBandwidth::default();
            max.update(100, false);
            for _ in 0..5 {
                max.advance();
                assert_eq!(max.get(), 100);
            }
        }

        #[test]
        fn a_limited_sample_counts_only_as_a_new_maximum() {
            let mut max = MaxBandwidth::default();
            max.update(100, false);
            max.advance();
            max.update(99, true);
            max.advance();
            assert_eq!(max.get(), 100, "nothing came in");
            max.update(101, true);
            assert_eq!(max.get(), 101);
        }
    }

    mod min_rtt {
        use super::super::*;
        use crate::Feedback;
        use crate::testing::at;
        use narrows_units::Span;

        fn update(min_rtt: &mut MinRtt, ms: u64, rtt_ms: u64) -> bool {
            min_rtt.update(&Ack::new(
                &Feedback { rtt: Some(Span::from_millis(rtt_ms)), ..Feedback::at(at(ms)) },
                0,
            ))
        }

        #[test]
        fn a_probe_is_due_after_five_seconds_and_the_estimate_lasts_ten() {
            for profile in [Profile::Draft, Profile::Linux] {
                let mut min_rtt = MinRtt::new(profile, 0);
                assert!(!update(&mut min_rtt, 0, 40));
                assert!(!update(&mut min_rtt, 5_000, 50));
                assert!(update(&mut min_rtt, 5_001, 50));
                assert_eq!(min_rtt.get(), Some(40_000), "the older estimate still counts");
                assert!(!update(&mut min_rtt, 9_999, 48));
                assert_eq!(min_rtt.get(), Some(40_000));
                assert!(!update(&mut min_rtt, 10_001, 60));
                assert_eq!(min_rtt.get(), Some(48_000), "{profile:?}");
            }
        }

        #[test]
        fn a_round_trip_as_short_as_the_estimate_renews_it_in_the_kernel() {
            for (profile, expected) in [(Profile::Draft, 50_000), (Profile::Linux, 40_000)] {
                let mut min_rtt = MinRtt::new(profile, 0);
                update(&mut min_rtt, 0, 40);
                update(&mut min_rtt, 5_001, 50);
                update(&mut min_rtt, 5_200, 40);
                update(&mut min_rtt, 10_250, 50);
                assert_eq!(min_rtt.get(), Some(expected), "{profile:?}");
            }
        }
    }

    mod full_pipe {
        use super::super::*;

        #[test]
        fn three_rounds_below_a_quarter_more_fill_the_pipe() {
            for profile in [Profile::Draft, Profile::Linux] {
                let mut pipe = FullPipe::default();
                for bandwidth in [1_000, 1_250, 1_562, 1_900, 1_951] {
                    pipe.update(profile, bandwidth, true);
                    assert!(!pipe.now(), "at {bandwidth}");
                }
                // 1250 · 1.25 = 1562.5: 1562 was the first round without growth, and the next,
                // 1900, grew; then 1951 < 2375.
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
}
