//! The connection that BBR looks at: its socket, its private area, and what follows from both.

use super::area::{
    Bbr, CYCLE_IDX, FULL_BW_REACHED, HAS_SEEN_RTT, LT_USE_BW, MODE, PACING_GAIN, PREV_CA_STATE,
    mode,
};
use crate::functions::area::Area;
use crate::functions::clock::{before, tick};
use crate::functions::context::Call;
use crate::socket::fields as f;
use narrows_control::arithmetic::{BW_SCALE, bdp, bytes_per_second};

/// A gain of 1.
pub(super) const UNIT: u32 = 256;
/// `bbr_high_gain`.
pub(super) const HIGH_GAIN: u32 = UNIT * 2885 / 1000 + 1;
/// `bbr_pacing_margin_percent`: the pace is so far below the bandwidth.
const PERCENT: u64 = 99;
/// `bbr_min_tso_rate`, in bytes/s.
const LONE_SEGMENTS_BELOW: u64 = 1_200_000 >> 3;
/// `GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER`.
const BURST_BYTES: u64 = 65_536 - 1 - 320;
const BURST_SEGMENTS: u32 = 127;
/// `TCP_INIT_CWND`.
pub(super) const INITIAL: u32 = 10;
/// `TCP_CA_Recovery`.
pub(super) const RECOVERY: u32 = 3;

/// A connection.
pub(super) struct Connection<'c, 'a, 'b> {
    pub call: &'c mut Call<'a, 'b>,
    pub area: Bbr,
}

impl<'c, 'a, 'b> Connection<'c, 'a, 'b> {
    pub fn of(call: &'c mut Call<'a, 'b>) -> Self {
        let area = Bbr::of(call);
        Connection { call, area }
    }

    pub fn keep(self) {
        self.area.keep(self.call);
    }

    /// `tcp_jiffies32`.
    pub fn now(&self) -> u32 {
        tick(self.call.context.world)
    }

    /// Ticks of so many milliseconds, rounded up.
    pub fn ticks_of(&self, millis: u32) -> u32 {
        (millis as u64 * self.call.context.world.hz() as u64).div_ceil(1000) as u32
    }

    /// `tcp_packets_in_flight`.
    pub fn in_flight(&self) -> u32 {
        let left = self.call.get(f::SACKED_OUT).wrapping_add(self.call.get(f::LOST_OUT));
        self.call.get(f::PACKETS_OUT).wrapping_sub(left).wrapping_add(self.call.get(f::RETRANS_OUT))
    }

    /// `bbr_bw`.
    pub fn bandwidth(&self) -> u32 {
        if self.area.is(LT_USE_BW) { self.area.lt_bw } else { self.area.bw }
    }

    /// `bbr_rate_bytes_per_sec`.
    pub fn payload_rate(&self, bandwidth: u32, gain: u32) -> u64 {
        bytes_per_second(bandwidth, self.call.wide(f::MSS_CACHE), gain, UNIT, PERCENT)
    }

    fn pace(&self, bandwidth: u32, gain: u32) -> u64 {
        self.payload_rate(bandwidth, gain).min(self.call.wide(f::MAX_PACING_RATE))
    }

    /// `bbr_init_pacing_rate_from_rtt`.
    pub fn begin_pacing(&mut self) {
        let srtt = self.call.get(f::SRTT);
        let rtt = if srtt == 0 {
            1000
        } else {
            self.area.set_bits(HAS_SEEN_RTT, 1);
            (srtt >> 3).max(1)
        };
        let bandwidth = (self.call.wide(f::CWND) << BW_SCALE) / rtt as u64;
        let rate = self.pace(bandwidth as u32, HIGH_GAIN);
        self.call.set(f::PACING_RATE, rate);
    }

    /// `bbr_set_pacing_rate`.
    pub fn set_pacing(&mut self, bandwidth: u32, gain: u32) {
        let rate = self.pace(bandwidth, gain);
        if !self.area.is(HAS_SEEN_RTT) && self.call.get(f::SRTT) != 0 {
            self.begin_pacing();
        }
        if self.area.is(FULL_BW_REACHED) || rate > self.call.wide(f::PACING_RATE) {
            self.call.set(f::PACING_RATE, rate);
        }
    }

    /// `bbr_min_tso_segs`.
    pub fn least_burst(&self) -> u32 {
        if self.call.wide(f::PACING_RATE) < LONE_SEGMENTS_BELOW { 1 } else { 2 }
    }

    /// `bbr_tso_segs_goal`.
    pub fn burst(&self) -> u32 {
        let bytes = self
            .call
            .wide(f::PACING_RATE)
            .checked_shr(self.call.get(f::PACING_SHIFT))
            .unwrap_or(0)
            .min(BURST_BYTES);
        ((bytes / self.call.wide(f::MSS_CACHE).max(1)) as u32)
            .max(self.least_burst())
            .min(BURST_SEGMENTS)
    }

    /// `bbr_save_cwnd`.
    pub fn save_window(&mut self) {
        let window = self.call.get(f::CWND);
        let fresh =
            self.area.bits(PREV_CA_STATE) < RECOVERY && self.area.bits(MODE) != mode::PROBE_RTT;
        self.area.prior_cwnd = if fresh { window } else { self.area.prior_cwnd.max(window) };
    }

    /// `bbr_bdp`.
    pub fn bdp(&self, bandwidth: u32, gain: u32) -> u32 {
        if self.area.min_rtt_us == u32::MAX {
            INITIAL
        } else {
            bdp(bandwidth, self.area.min_rtt_us, gain)
        }
    }

    /// `bbr_quantization_budget`.
    pub fn quantized(&self, packets: u32) -> u32 {
        let even = packets.wrapping_add(3 * self.burst()).wrapping_add(1) & !1;
        let probes = self.area.bits(MODE) == mode::PROBE_BW && self.area.bits(CYCLE_IDX) == 0;
        if probes { even.wrapping_add(2) } else { even }
    }

    /// `bbr_inflight` of the most bandwidth.
    pub fn flight_at(&self, gain: u32) -> u32 {
        self.quantized(self.bdp(self.area.bw, gain))
    }

    /// `bbr_packets_in_net_at_edt`: what of a flight will be left when the next segment departs.
    pub fn flight_at_departure(&self, in_flight: u32) -> u32 {
        let now = self.call.wide(f::CLOCK_CACHE);
        let wait = self.call.wide(f::WSTAMP_NS).saturating_sub(now) / 1000;
        let delivered = ((self.bandwidth() as u64).wrapping_mul(wait) >> BW_SCALE) as u32;
        let departs = if self.area.bits(PACING_GAIN) > UNIT { self.burst() } else { 0 };
        in_flight.wrapping_add(departs).saturating_sub(delivered)
    }

    /// `bbr_advance_cycle_phase`.
    pub fn advance_cycle(&mut self) {
        let next = (self.area.bits(CYCLE_IDX) + 1) % 8;
        self.area.set_bits(CYCLE_IDX, next);
        self.area.cycle_mstamp = self.call.wide(f::DELIVERED_MSTAMP);
    }

    /// `bbr_reset_probe_bw_mode`: a cycle begins in any phase but the one that drains.
    pub fn enter_probe_bw(&mut self) {
        self.area.set_bits(MODE, mode::PROBE_BW);
        let drawn = ((self.call.context.world.random() as u64 * 7) >> 32) as u32;
        self.area.set_bits(CYCLE_IDX, 7 - drawn);
        self.advance_cycle();
    }

    /// `bbr_check_probe_rtt_done`.
    pub fn leave_probe_rtt_if_done(&mut self) {
        let (now, end) = (self.now(), self.area.probe_rtt_done_stamp);
        if end == 0 || !before(end, now) {
            return;
        }
        self.area.min_rtt_stamp = now;
        let window = self.call.get(f::CWND).max(self.area.prior_cwnd);
        self.call.set(f::CWND, window);
        if self.area.is(FULL_BW_REACHED) {
            self.enter_probe_bw();
        } else {
            self.area.set_bits(MODE, mode::STARTUP);
        }
    }
}

/// Microseconds from one time to another, 0 if they run backwards (`tcp_stamp_us_delta`).
pub(super) fn since(now: u64, then: u64) -> u64 {
    (now.wrapping_sub(then) as i64).max(0) as u64
}
