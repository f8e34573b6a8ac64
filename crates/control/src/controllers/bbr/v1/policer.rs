//! The long-term model: detects that a token bucket polices the flow, and estimates its rate
//! (`bbr_lt_bw_sampling`; the draft has none).
//!
//! Two sampling intervals in a row with heavy loss and the same delivery rate mean a policer. Its
//! rate is then used for a number of rounds, after which probing begins anew.

use crate::controllers::bbr::common::{Counts, GAIN_SCALE, UNIT, bandwidth};

/// `bbr_lt_intvl_min_rtts`: a sampling interval has this many rounds to four times as many.
const INTERVAL_ROUNDS: u32 = 4;
/// `bbr_lt_loss_thresh`: lost per delivered packets, in 1/256, from which an interval is lossy: 20
/// %.
const LOSS: u64 = 50;
/// `bbr_lt_bw_ratio`: two rates are consistent if they differ by this share, in 1/256, of the
/// earlier one,
const SAME_RATIO: u64 = UNIT as u64 / 8;
/// or by `bbr_lt_bw_diff`: this many bytes of payload per second (4 kbit/s).
const SAME_BYTES: u64 = 4_000 / 8;
/// `bbr_lt_bw_max_rtts`: rounds for which the rate is used.
const USE_ROUNDS: u32 = 48;

/// The policer's model.
#[derive(Clone, Debug, Default)]
pub struct Policer {
    /// The rate of the last lossy interval, or of the policer while in use; 0 if none.
    bandwidth: u32,
    in_use: bool,
    sampling: bool,
    rounds: u32,
    began: Counts,
}

/// The part of an acknowledgement or timeout that the policer's model sees.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Totals now.
    pub counts: Counts,
    /// True at a round's beginning.
    pub round_start: bool,
    /// Packets newly lost.
    pub losses: u32,
    /// True if the rate sample was limited by the application.
    pub app_limited: bool,
    /// True in PROBE_BW.
    pub probing: bool,
}

/// The conclusion from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Unchanged,
    /// A policer was found.
    Policed,
    /// Its rate was used for long enough: probing must begin anew.
    Expired,
}

impl Policer {
    /// The policed rate, if it is in use.
    pub fn bandwidth(&self) -> Option<u32> {
        self.in_use.then_some(self.bandwidth)
    }

    /// Restarts the model (`bbr_reset_lt_bw_sampling`).
    pub fn reset(&mut self, counts: Counts) {
        *self = Policer { began: counts, ..Policer::default() };
    }

    /// Takes in `evidence`; `payload_rate` gives a bandwidth in bytes of payload per second.
    pub fn update(&mut self, evidence: Evidence, payload_rate: impl Fn(u32) -> u64) -> Verdict {
        let counts = evidence.counts;
        if self.in_use {
            if evidence.probing && evidence.round_start {
                self.rounds += 1;
                if self.rounds >= USE_ROUNDS {
                    self.reset(counts);
                    return Verdict::Expired;
                }
            }
            return Verdict::Unchanged;
        }
        // The first loss shows that the bucket is empty: only from then on is the delivery rate the
        // policer's.
        if !self.sampling {
            if evidence.losses == 0 {
                return Verdict::Unchanged;
            }
            self.begin_interval(counts);
            self.sampling = true;
        }
        if evidence.app_limited {
            self.reset(counts);
            return Verdict::Unchanged;
        }
        self.rounds += evidence.round_start as u32;
        if self.rounds > 4 * INTERVAL_ROUNDS {
            self.reset(counts);
            return Verdict::Unchanged;
        }
        // An interval ends with a loss too, when the bucket is empty again.
        if self.rounds < INTERVAL_ROUNDS || evidence.losses == 0 {
            return Verdict::Unchanged;
        }
        let lost = counts.lost.saturating_sub(self.began.lost);
        let delivered = counts.delivered.saturating_sub(self.began.delivered);
        if delivered == 0 || lost << GAIN_SCALE < LOSS * delivered {
            return Verdict::Unchanged;
        }
        let millis = counts.delivered_at / 1_000 - self.began.delivered_at / 1_000;
        if millis == 0 {
            return Verdict::Unchanged;
        }
        self.end_interval(bandwidth(delivered, millis * 1_000), counts, payload_rate)
    }

    /// `bbr_reset_lt_bw_sampling_interval`.
    fn begin_interval(&mut self, counts: Counts) {
        self.began = counts;
        self.rounds = 0;
    }

    /// `bbr_lt_bw_interval_done`.
    fn end_interval(
        &mut self,
        bandwidth: u32,
        counts: Counts,
        payload_rate: impl Fn(u32) -> u64,
    ) -> Verdict {
        let earlier = self.bandwidth;
        let difference = bandwidth.abs_diff(earlier);
        let same = (difference as u64) << GAIN_SCALE <= SAME_RATIO * earlier as u64
            || payload_rate(difference) <= SAME_BYTES;
        if earlier != 0 && same {
            self.bandwidth = ((bandwidth as u64 + earlier as u64) / 2) as u32;
            self.in_use = true;
            self.rounds = 0;
            return Verdict::Policed;
        }
        self.bandwidth = bandwidth;
        self.begin_interval(counts);
        Verdict::Unchanged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 100 ms in which `delivered` packets arrive and `lost` do not.
    fn round(policer: &mut Policer, counts: &mut Counts, delivered: u64, lost: u64) -> Verdict {
        counts.delivered += delivered;
        counts.lost += lost;
        counts.delivered_at += 100_000;
        let evidence = Evidence {
            counts: *counts,
            round_start: true,
            losses: lost as u32,
            app_limited: false,
            probing: true,
        };
        policer.update(evidence, |bandwidth| bandwidth as u64 * 86)
    }

    #[test]
    fn two_lossy_intervals_of_one_rate_are_a_policer() {
        let mut policer = Policer::default();
        let mut counts = Counts::default();
        // The first interval begins at the first loss, which counts as its first round: 3000
        // packets in 300 ms.
        for _ in 0..7 {
            assert_eq!(round(&mut policer, &mut counts, 1_000, 250), Verdict::Unchanged);
        }
        assert_eq!(policer.bandwidth, bandwidth(3_000, 300_000));
        assert_eq!(policer.bandwidth(), None);
        assert_eq!(round(&mut policer, &mut counts, 1_000, 250), Verdict::Policed);
        assert_eq!(policer.bandwidth(), Some(bandwidth(10, 1_000)));
        for _ in 0..47 {
            assert_eq!(round(&mut policer, &mut counts, 1_000, 250), Verdict::Unchanged);
        }
        assert_eq!(round(&mut policer, &mut counts, 1_000, 250), Verdict::Expired);
        assert_eq!(policer.bandwidth(), None);
    }

    #[test]
    fn rates_an_eighth_apart_are_one_rate_and_give_their_mean() {
        for (second, found) in [(1_120, true), (1_130, false), (880, true), (870, false)] {
            let mut policer = Policer::default();
            let mut counts = Counts::default();
            for _ in 0..4 {
                round(&mut policer, &mut counts, 1_000, 250);
            }
            let verdicts: Vec<Verdict> =
                (0..4).map(|_| round(&mut policer, &mut counts, second, 300)).collect();
            assert_eq!(verdicts[3] == Verdict::Policed, found, "{second} after 1000");
            if found {
                let mean = (bandwidth(10, 1_000) as u64 + bandwidth(second, 100_000) as u64) / 2;
                assert_eq!(policer.bandwidth(), Some(mean as u32));
            }
        }
    }

    #[test]
    fn slow_rates_4_kbit_apart_are_one_rate() {
        let mut policer = Policer::default();
        let mut counts = Counts::default();
        for _ in 0..4 {
            round(&mut policer, &mut counts, 1, 1);
        }
        // 3 packets in 300 ms, then 5 in 400 ms: 419 / 2^24 packets/us lie between, 36 kB/s at the
        // rate given above.
        for _ in 0..3 {
            round(&mut policer, &mut counts, 1, 1);
        }
        let evidence = |counts| Evidence {
            counts,
            round_start: true,
            losses: 1,
            app_limited: false,
            probing: true,
        };
        counts = Counts {
            delivered: counts.delivered + 2,
            lost: counts.lost + 1,
            delivered_at: counts.delivered_at + 100_000,
        };
        let mut strict = policer.clone();
        assert_eq!(strict.update(evidence(counts), |_| 501), Verdict::Unchanged);
        assert_eq!(policer.update(evidence(counts), |_| 500), Verdict::Policed);
    }

    #[test]
    fn light_loss_is_no_policer() {
        let mut policer = Policer::default();
        let mut counts = Counts::default();
        // 195 of 1000 is below 50/256.
        for _ in 0..100 {
            assert_eq!(round(&mut policer, &mut counts, 1_000, 195), Verdict::Unchanged);
        }
        assert_eq!(policer.bandwidth, 0);
    }

    #[test]
    fn a_sample_limited_by_the_application_starts_over() {
        let mut policer = Policer::default();
        let mut counts = Counts::default();
        for _ in 0..7 {
            round(&mut policer, &mut counts, 1_000, 250);
        }
        let evidence =
            Evidence { counts, round_start: false, losses: 1, app_limited: true, probing: true };
        policer.update(evidence, |_| 0);
        assert_eq!(policer.bandwidth, 0);
        assert!(!policer.sampling);
    }
}
