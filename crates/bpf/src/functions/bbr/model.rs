//! The model of the path: bandwidth, aggregation, the least round trip, and the mode that follows
//! from them (`bbr_update_model`).

use super::area::{
    ACK_EPOCH_ACKED, CWND_GAIN, CYCLE_IDX, EXTRA_ACKED_WIN_IDX, EXTRA_ACKED_WIN_RTTS, FULL_BW_CNT,
    FULL_BW_REACHED, IDLE_RESTART, LT_USE_BW, MODE, PACING_GAIN, PACKET_CONSERVATION,
    PROBE_RTT_ROUND_DONE, ROUND_START, mode,
};
use super::connection::{Connection, HIGH_GAIN, UNIT, since};
use super::sample::Sample;
use crate::functions::clock::before;
use crate::minmax::running;
use crate::socket::fields as f;
use narrows_control::arithmetic::BW_SCALE;

/// `bbr_pacing_gain`.
const GAINS: [u32; 8] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];
/// `bbr_drain_gain`.
const DRAIN_GAIN: u32 = UNIT * 1000 / 2885;
/// `bbr_cwnd_gain`.
const WINDOW_GAIN: u32 = 2 * UNIT;
/// `bbr_bw_rtts`: rounds for which a bandwidth counts.
const BANDWIDTH_ROUNDS: u32 = 10;
/// `bbr_extra_acked_win_rtts`.
const AGGREGATION_ROUNDS: u32 = 5;
/// `bbr_ack_epoch_acked_reset_thresh`.
const MOST_OF_EPOCH: u32 = 1 << 20;
/// `bbr_full_bw_thresh` and `bbr_full_bw_cnt`.
const GROWTH: u64 = UNIT as u64 * 5 / 4;
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
/// `bbr_min_rtt_win_sec`, in ms.
const MIN_RTT_MILLIS: u32 = 10_000;
/// `bbr_probe_rtt_mode_ms`.
const PROBE_RTT_MILLIS: u32 = 200;
/// `bbr_cwnd_min_target`.
pub(super) const FLOOR: u32 = 4;

impl Connection<'_, '_, '_> {
    /// `bbr_update_model`.
    pub fn update_model(&mut self, sample: &Sample) {
        self.update_bandwidth(sample);
        self.update_aggregation(sample);
        if self.area.bits(MODE) == mode::PROBE_BW && self.phase_is_over(sample) {
            self.advance_cycle();
        }
        self.check_full_pipe(sample);
        self.check_drain();
        self.update_min_rtt(sample);
        self.update_gains();
    }

    /// `bbr_update_bw`.
    fn update_bandwidth(&mut self, sample: &Sample) {
        self.area.set_bits(ROUND_START, 0);
        if !sample.is_timed() {
            return;
        }
        if !before(sample.prior_delivered, self.area.next_rtt_delivered) {
            self.area.next_rtt_delivered = self.call.get(f::DELIVERED);
            self.area.rtt_cnt = self.area.rtt_cnt.wrapping_add(1);
            self.area.set_bits(ROUND_START, 1);
            self.area.set_bits(PACKET_CONSERVATION, 0);
        }
        self.look_for_policer(sample);
        let measured = ((sample.delivered as u64) << BW_SCALE) / sample.interval_us as u64;
        // A sample that the application limited is a lower bound.
        if !sample.is_app_limited || measured >= self.area.bw as u64 {
            let area = &self.area;
            let best = [
                (area.bw_round, area.bw),
                (area.second_round, area.second),
                (area.third_round, area.third),
            ];
            let best =
                running(best, BANDWIDTH_ROUNDS, (area.rtt_cnt, measured as u32), |a, b| a >= b);
            let area = &mut self.area;
            [
                (area.bw_round, area.bw),
                (area.second_round, area.second),
                (area.third_round, area.third),
            ] = best;
        }
    }

    /// `bbr_update_ack_aggregation`.
    fn update_aggregation(&mut self, sample: &Sample) {
        if sample.acked_sacked as i32 <= 0 || !sample.is_timed() {
            return;
        }
        if self.area.is(ROUND_START) {
            let rounds = (self.area.bits(EXTRA_ACKED_WIN_RTTS) + 1).min(0x1f);
            self.area.set_bits(EXTRA_ACKED_WIN_RTTS, rounds);
            if rounds >= AGGREGATION_ROUNDS {
                self.area.set_bits(EXTRA_ACKED_WIN_RTTS, 0);
                let other = 1 - self.area.bits(EXTRA_ACKED_WIN_IDX);
                self.area.set_bits(EXTRA_ACKED_WIN_IDX, other);
                *self.most_extra() = 0;
            }
        }
        let delivered_at = self.call.wide(f::DELIVERED_MSTAMP);
        let epoch = since(delivered_at, self.area.ack_epoch_mstamp);
        let mut expected = ((self.bandwidth() as u64).wrapping_mul(epoch) >> BW_SCALE) as u32;
        let mut acked = self.area.bits(ACK_EPOCH_ACKED);
        if acked <= expected || acked.wrapping_add(sample.acked_sacked) >= MOST_OF_EPOCH {
            acked = 0;
            self.area.ack_epoch_mstamp = delivered_at;
            expected = 0;
        }
        acked = acked.wrapping_add(sample.acked_sacked).min(MOST_OF_EPOCH - 1);
        self.area.set_bits(ACK_EPOCH_ACKED, acked);
        let extra = acked.wrapping_sub(expected).min(self.call.get(f::CWND));
        let most = self.most_extra();
        if extra > *most as u32 {
            *most = extra as u16;
        }
    }

    /// The larger part of the present window of aggregation.
    fn most_extra(&mut self) -> &mut u16 {
        if self.area.is(EXTRA_ACKED_WIN_IDX) {
            &mut self.area.extra_acked_second
        } else {
            &mut self.area.extra_acked_first
        }
    }

    /// `bbr_is_next_cycle_phase`.
    fn phase_is_over(&self, sample: &Sample) -> bool {
        let lasted = since(self.call.wide(f::DELIVERED_MSTAMP), self.area.cycle_mstamp);
        let full_length = lasted > self.area.min_rtt_us as u64;
        let gain = self.area.bits(PACING_GAIN);
        if gain == UNIT {
            return full_length;
        }
        let flight = self.flight_at_departure(sample.prior_in_flight);
        if gain > UNIT {
            full_length && (sample.losses != 0 || flight >= self.flight_at(gain))
        } else {
            full_length || flight <= self.flight_at(UNIT)
        }
    }

    /// `bbr_check_full_bw_reached`.
    fn check_full_pipe(&mut self, sample: &Sample) {
        if self.area.is(FULL_BW_REACHED) || !self.area.is(ROUND_START) || sample.is_app_limited {
            return;
        }
        if self.area.bw as u64 >= (self.area.full_bw as u64 * GROWTH) >> 8 {
            self.area.full_bw = self.area.bw;
            self.area.set_bits(FULL_BW_CNT, 0);
            return;
        }
        let rounds = self.area.bits(FULL_BW_CNT) + 1;
        self.area.set_bits(FULL_BW_CNT, rounds);
        self.area.set_bits(FULL_BW_REACHED, u32::from(rounds >= ROUNDS_WITHOUT_GROWTH));
    }

    /// `bbr_check_drain`.
    fn check_drain(&mut self) {
        if self.area.bits(MODE) == mode::STARTUP && self.area.is(FULL_BW_REACHED) {
            self.area.set_bits(MODE, mode::DRAIN);
            let threshold = self.flight_at(UNIT);
            self.call.set(f::SSTHRESH, threshold);
        }
        if self.area.bits(MODE) == mode::DRAIN
            && self.flight_at_departure(self.in_flight()) <= self.flight_at(UNIT)
        {
            self.enter_probe_bw();
        }
    }

    /// `bbr_update_min_rtt`.
    fn update_min_rtt(&mut self, sample: &Sample) {
        let now = self.now();
        let expired =
            before(self.area.min_rtt_stamp.wrapping_add(self.ticks_of(MIN_RTT_MILLIS)), now);
        let less = sample.rtt_us < self.area.min_rtt_us as i64;
        if sample.rtt_us >= 0 && (less || expired && !sample.is_ack_delayed) {
            self.area.min_rtt_us = sample.rtt_us as u32;
            self.area.min_rtt_stamp = now;
        }
        if expired && !self.area.is(IDLE_RESTART) && self.area.bits(MODE) != mode::PROBE_RTT {
            self.area.set_bits(MODE, mode::PROBE_RTT);
            self.save_window();
            self.area.probe_rtt_done_stamp = 0;
        }
        if self.area.bits(MODE) == mode::PROBE_RTT {
            self.probe_rtt(now);
        }
        if sample.delivered > 0 {
            self.area.set_bits(IDLE_RESTART, 0);
        }
    }

    fn probe_rtt(&mut self, now: u32) {
        // Packets sent from now on give no sample of the bandwidth.
        let limited = self.call.get(f::DELIVERED).wrapping_add(self.in_flight()).max(1);
        self.call.set(f::APP_LIMITED, limited);
        if self.area.probe_rtt_done_stamp == 0 {
            if self.in_flight() <= FLOOR {
                self.area.probe_rtt_done_stamp = now.wrapping_add(self.ticks_of(PROBE_RTT_MILLIS));
                self.area.set_bits(PROBE_RTT_ROUND_DONE, 0);
                self.area.next_rtt_delivered = self.call.get(f::DELIVERED);
            }
            return;
        }
        if self.area.is(ROUND_START) {
            self.area.set_bits(PROBE_RTT_ROUND_DONE, 1);
        }
        if self.area.is(PROBE_RTT_ROUND_DONE) {
            self.leave_probe_rtt_if_done();
        }
    }

    /// `bbr_update_gains`.
    fn update_gains(&mut self) {
        let (pacing, window) = match self.area.bits(MODE) {
            mode::STARTUP => (HIGH_GAIN, HIGH_GAIN),
            mode::DRAIN => (DRAIN_GAIN, HIGH_GAIN),
            mode::PROBE_BW if self.area.is(LT_USE_BW) => (UNIT, WINDOW_GAIN),
            mode::PROBE_BW => (GAINS[self.area.bits(CYCLE_IDX) as usize], WINDOW_GAIN),
            _ => (UNIT, UNIT),
        };
        self.area.set_bits(PACING_GAIN, pacing);
        self.area.set_bits(CWND_GAIN, window);
    }
}
