//! Aggregation of acknowledgements: the packets acknowledged beyond the bandwidth, by which the
//! window covers the silences between acknowledgements (`bbr_update_ack_aggregation`, Linux 5.1 and
//! later; v3 section 5.5.9).

use super::ack::Ack;
use super::bandwidth::packets;

/// Packets after which a sampling interval is too old (`bbr_ack_epoch_acked_reset_thresh`).
const MAX_PACKETS: u32 = 1 << 20;

/// Packets acknowledged in a sampling interval, beyond those that the bandwidth explains.
#[derive(Clone, Debug, Default)]
pub struct ExtraAcked {
    /// When the interval began, in µs (`ack_epoch_mstamp`).
    began: u64,
    acked: u32,
}

impl ExtraAcked {
    /// Restarts the interval at `now` (µs).
    pub fn restart(&mut self, now: u64) {
        self.began = now;
        self.acked = 0;
    }

    /// Restarts the time of the interval at `now` (µs), but not its count (v3 section 5.4.1).
    pub fn restart_time(&mut self, now: u64) {
        self.began = now;
    }

    /// Takes in an acknowledgement. Returns the packets acknowledged in excess of `bandwidth`, at
    /// most `window`; `None` without a valid sample. The interval restarts once the
    /// acknowledgements are no faster than `bandwidth`.
    pub fn update(&mut self, ack: &Ack, bandwidth: u32, window: u32) -> Option<u32> {
        if ack.acked == 0 || ack.sample.is_none() {
            return None;
        }
        let mut expected = packets(bandwidth, ack.counts.delivered_at.saturating_sub(self.began));
        if self.acked as u64 <= expected || self.acked + ack.acked >= MAX_PACKETS {
            self.restart(ack.counts.delivered_at);
            expected = 0;
        }
        self.acked = (self.acked + ack.acked).min(MAX_PACKETS - 1);
        Some((self.acked - expected as u32).min(window))
    }
}

/// The maximum of [`ExtraAcked`] over a window of rounds, in two slots: the last `length` to twice
/// as many rounds (`extra_acked`).
#[derive(Clone, Debug, Default)]
pub struct MaxExtraAcked {
    rounds: u32,
    maxima: [u32; 2],
    slot: usize,
}

impl MaxExtraAcked {
    /// Takes in a sample. Every `length` rounds the older slot is dropped.
    pub fn update(&mut self, extra: u32, round_start: bool, length: u32) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= length {
                self.rounds = 0;
                self.slot ^= 1;
                self.maxima[self.slot] = 0;
            }
        }
        self.maxima[self.slot] = self.maxima[self.slot].max(extra);
    }

    /// The maximum, at most 100 ms of `bandwidth` (`bbr_ack_aggregation_cwnd`).
    pub fn extra(&self, bandwidth: u32) -> u32 {
        let most = packets(bandwidth, MAX_SILENCE);
        self.maxima[0].max(self.maxima[1]).min(u32::try_from(most).unwrap_or(u32::MAX))
    }
}

/// The longest silence covered, in µs (`bbr_extra_acked_max_us`).
const MAX_SILENCE: u64 = 100_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CaState;
    use crate::controllers::bbr::common::ack::{Counts, Sample};

    /// 1 packet per millisecond, rounded up.
    const BANDWIDTH: u32 = 16_778;

    fn ack(ms: u64, acked: u32) -> Ack {
        Ack {
            now: ms * 1_000,
            acked,
            losses: 0,
            in_flight_before: 0,
            in_flight: 0,
            rtt: None,
            delayed: false,
            srtt: 0,
            sample: Some(Sample {
                delivered: 1,
                interval: 1,
                prior_delivered: 0,
                app_limited: false,
            }),
            counts: Counts { delivered: 0, lost: 0, delivered_at: ms * 1_000 },
            ca_state: CaState::Open,
        }
    }

    /// Samples and their maximum as version 1 joins them.
    #[derive(Default)]
    struct Aggregation(ExtraAcked, MaxExtraAcked);

    impl Aggregation {
        fn update(&mut self, ack: &Ack, round_start: bool, window: u32) {
            let extra = self.0.update(ack, BANDWIDTH, window).expect("a sample");
            self.1.update(extra, round_start, 5);
        }
    }

    #[test]
    fn extra_is_what_the_bandwidth_does_not_explain() {
        let mut aggregation = Aggregation::default();
        // 10 packets in 10 ms are as expected: an epoch begins with these 10, none of which was
        // expected in it yet.
        aggregation.update(&ack(10, 10), false, 100);
        assert_eq!(aggregation.1.extra(BANDWIDTH), 10);
        // 2 ms later 10 more, of which 2 were expected: 20 - 2.
        aggregation.update(&ack(12, 10), false, 100);
        assert_eq!(aggregation.1.extra(BANDWIDTH), 18);
        aggregation.update(&ack(13, 200), false, 150);
        assert_eq!(aggregation.1.extra(BANDWIDTH), 100, "at most 100 ms of the bandwidth");
        assert_eq!(aggregation.1.extra(10 * BANDWIDTH), 150, "and at most the window");
    }

    #[test]
    fn a_maximum_lasts_five_to_ten_rounds() {
        let mut aggregation = Aggregation::default();
        aggregation.update(&ack(1, 50), true, 100);
        let mut extras = Vec::new();
        for round in 2..=12 {
            aggregation.update(&ack(100 * round, 1), true, 100);
            extras.push(aggregation.1.extra(BANDWIDTH));
        }
        assert_eq!(extras, [50, 50, 50, 50, 50, 50, 50, 50, 1, 1, 1]);
    }
}
