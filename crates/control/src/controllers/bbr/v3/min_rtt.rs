//! The least round trip, and the time to probe for a shorter one (`UpdateMinRTT`, section 5.3.4.3;
//! `bbr_update_min_rtt`).

use super::profile::Profile;
use crate::controllers::bbr::common::Ack;

/// `MinRTTFilterLen`, `bbr_min_rtt_win_sec`: the time for which a least round trip counts, in µs.
const WINDOW: u64 = 10_000_000;
/// `ProbeRTTInterval`, `bbr_probe_rtt_win_ms`: the time without a shorter round trip after which
/// ProbeRTT begins, in µs.
const INTERVAL: u64 = 5_000_000;

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
        let probe_due = ack.now > self.recent_stamp + INTERVAL;
        if let Some(rtt) = ack.rtt
            && (self.recent.is_none_or(|recent| rtt < recent)
                || (probe_due && !(linux && ack.delayed)))
        {
            self.recent = Some(rtt);
            self.recent_stamp = ack.now;
        }
        let Some(recent) = self.recent else { return probe_due };
        let shorter = self.least.is_none_or(|least| recent < least || (linux && recent == least));
        if shorter || ack.now > self.stamp + WINDOW {
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

#[cfg(test)]
mod tests {
    use super::*;
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
