//! The long-term model: whether a token bucket polices the flow, and at which rate
//! (`bbr_lt_bw_sampling`).

use super::area::{LT_IS_SAMPLING, LT_RTT_CNT, LT_USE_BW, MODE, PACING_GAIN, ROUND_START, mode};
use super::connection::{Connection, UNIT};
use super::sample::Sample;
use crate::socket::fields as f;
use narrows_control::arithmetic::BW_SCALE;

/// `bbr_lt_intvl_min_rtts`.
const INTERVAL_ROUNDS: u32 = 4;
/// `bbr_lt_loss_thresh`: lost per delivered, in 1/256.
const LOSSY: u32 = 50;
/// `bbr_lt_bw_ratio`: two rates are one if they differ by so much of the earlier, in 1/256,
const SAME_RATIO: u32 = UNIT / 8;
/// or by `bbr_lt_bw_diff` bytes/s.
const SAME_BYTES: u64 = 4000 / 8;
/// `bbr_lt_bw_max_rtts`.
const USE_ROUNDS: u32 = 48;

impl Connection<'_, '_, '_> {
    /// `bbr_reset_lt_bw_sampling_interval`.
    fn begin_interval(&mut self) {
        self.area.lt_last_stamp = (self.call.wide(f::DELIVERED_MSTAMP) / 1000) as u32;
        self.area.lt_last_delivered = self.call.get(f::DELIVERED);
        self.area.lt_last_lost = self.call.get(f::LOST);
        self.area.set_bits(LT_RTT_CNT, 0);
    }

    /// `bbr_reset_lt_bw_sampling`.
    pub fn forget_policer(&mut self) {
        self.area.lt_bw = 0;
        self.area.set_bits(LT_USE_BW, 0);
        self.area.set_bits(LT_IS_SAMPLING, 0);
        self.begin_interval();
    }

    /// `bbr_lt_bw_interval_done`.
    fn end_interval(&mut self, bandwidth: u32) {
        let earlier = self.area.lt_bw;
        if earlier != 0 {
            let difference = bandwidth.abs_diff(earlier);
            let same = difference.wrapping_mul(UNIT) <= SAME_RATIO.wrapping_mul(earlier);
            if same || self.payload_rate(difference, UNIT) <= SAME_BYTES {
                self.area.lt_bw = bandwidth.wrapping_add(earlier) >> 1;
                self.area.set_bits(LT_USE_BW, 1);
                self.area.set_bits(PACING_GAIN, UNIT);
                self.area.set_bits(LT_RTT_CNT, 0);
                return;
            }
        }
        self.area.lt_bw = bandwidth;
        self.begin_interval();
    }

    /// `bbr_lt_bw_sampling`.
    pub fn look_for_policer(&mut self, sample: &Sample) {
        let rounds = self.area.bits(LT_RTT_CNT) + self.area.bits(ROUND_START);
        if self.area.is(LT_USE_BW) {
            if self.area.bits(MODE) == mode::PROBE_BW {
                self.area.set_bits(LT_RTT_CNT, rounds);
                if self.area.is(ROUND_START) && rounds >= USE_ROUNDS {
                    self.forget_policer();
                    self.enter_probe_bw();
                }
            }
            return;
        }
        let mut rounds = rounds;
        if !self.area.is(LT_IS_SAMPLING) {
            // The first loss shows that the bucket is empty.
            if sample.losses == 0 {
                return;
            }
            self.begin_interval();
            self.area.set_bits(LT_IS_SAMPLING, 1);
            rounds = self.area.bits(ROUND_START);
        }
        if sample.is_app_limited {
            return self.forget_policer();
        }
        self.area.set_bits(LT_RTT_CNT, rounds);
        if rounds < INTERVAL_ROUNDS {
            return;
        }
        if rounds > 4 * INTERVAL_ROUNDS {
            return self.forget_policer();
        }
        // An interval ends with a loss, when the bucket is empty again.
        if sample.losses == 0 {
            return;
        }
        let lost = self.call.get(f::LOST).wrapping_sub(self.area.lt_last_lost);
        let delivered = self.call.get(f::DELIVERED).wrapping_sub(self.area.lt_last_delivered);
        if delivered == 0 || lost << 8 < LOSSY.wrapping_mul(delivered) {
            return;
        }
        let millis = ((self.call.wide(f::DELIVERED_MSTAMP) / 1000) as u32)
            .wrapping_sub(self.area.lt_last_stamp);
        if (millis as i32) < 1 {
            return;
        }
        if millis >= u32::MAX / 1000 {
            return self.forget_policer();
        }
        self.end_interval((((delivered as u64) << BW_SCALE) / (millis as u64 * 1000)) as u32);
    }
}
