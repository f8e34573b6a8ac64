//! The pacing rate, and the size of bursts (v1 sections 4.2.1 and 4.2.2, v3 sections 5.6.2 and
//! 5.6.3).

use super::bandwidth::{BW_SCALE, bytes_per_second};
use crate::Setup;
use narrows_units::{Bytes, Rate};

/// A burst lasts about a millisecond at the pacing rate: rate / 2^10 (`sk_pacing_shift`).
const BURST_SHIFT: u32 = 10;
/// Payload of the largest burst that a network card takes at once: 64 KiB less headers
/// (`GSO_MAX_SIZE - 1 - MAX_TCP_HEADER`).
const BURST_BYTES: u64 = 65_536 - 1 - 320;
/// Most segments of a burst (`bbr_tso_segs_goal`).
const BURST_SEGMENTS: u32 = 127;
/// 1.2 Mbit/s of payload: below it segments may leave one by one, above it at least in pairs
/// (`bbr_min_tso_rate`).
const LONE_SEGMENTS_BELOW: u64 = 1_200_000 / 8;
/// The round trip assumed before any is known, in µs (`bbr_init_pacing_rate_from_rtt`).
const NOMINAL_RTT: u64 = 1_000;

/// Parameters in which the versions differ.
#[derive(Clone, Copy, Debug)]
pub struct PacingRule {
    /// The parts of a gain of 1: gains are in 1/`unit`.
    pub unit: u32,
    /// The first gain.
    pub first_gain: u32,
    /// The share of the bandwidth to use, in percent (`bbr_pacing_margin_percent`).
    pub percent: u64,
    /// Below 1.2 Mbit/s segments leave one by one (version 1's `bbr_min_tso_segs`).
    pub lone_segments: bool,
}

/// The pacing rate.
///
/// The kernel's rate counts payload; the decision counts packets with their headers. Both carry the
/// same packets per second.
#[derive(Clone, Debug)]
pub struct Pacing {
    /// Payload in bytes per second, as the kernel's `sk_pacing_rate`.
    payload: u64,
    wire: Rate,
    burst: u32,
    /// True once the first rate was derived from a measured round trip.
    measured: bool,
    mss: u64,
    packet: u64,
    /// Size of a burst beyond a millisecond of the rate, in bytes.
    allowance: u64,
    /// The bandwidth and the gain of the latest rate that was asked for, and that rate: most
    /// acknowledgements ask for the same again.
    asked: (u32, u32, u64),
    rule: PacingRule,
}

impl Pacing {
    /// The first rate: the first gain times the initial window per nominal round trip
    /// (`bbr_init_pacing_rate_from_rtt`).
    pub fn new(setup: &Setup, rule: PacingRule, window: u32) -> Pacing {
        let mut pacing = Pacing {
            payload: 0,
            wire: Rate::ZERO,
            burst: 1,
            measured: false,
            mss: setup.mss.get().max(1),
            packet: (setup.mss + setup.headers).get().max(1),
            allowance: 0,
            asked: (0, 0, 0),
            rule,
        };
        pacing.apply(initial(window, NOMINAL_RTT), rule.first_gain);
        pacing
    }

    /// The first round trip is known: the first gain times `window` per round trip, once
    /// (`has_seen_rtt`).
    pub fn on_first_rtt(&mut self, window: u32, srtt: u64) {
        if !self.measured && srtt > 0 {
            self.measured = true;
            self.apply(initial(window, srtt), self.rule.first_gain);
        }
    }

    /// Paces at `gain` times `bandwidth`; unless `may_slow`, only if that is faster
    /// (`bbr_set_pacing_rate`).
    pub fn set(&mut self, bandwidth: u32, gain: u32, may_slow: bool) {
        if (bandwidth, gain) != (self.asked.0, self.asked.1) {
            self.asked = (bandwidth, gain, self.payload_rate(bandwidth, gain));
        }
        let payload = self.asked.2;
        if payload != self.payload && (may_slow || payload > self.payload) {
            self.apply(bandwidth, gain);
        }
    }

    /// A burst may hold `bytes` more than a millisecond of the rate.
    pub fn allow(&mut self, bytes: u64) {
        if bytes != self.allowance {
            self.allowance = bytes;
            self.size_burst();
        }
    }

    /// `bandwidth` in bytes of payload per second.
    pub fn payload_rate(&self, bandwidth: u32, gain: u32) -> u64 {
        bytes_per_second(bandwidth, self.mss, gain, self.rule.unit, self.rule.percent)
    }

    /// The rate with all headers.
    pub fn rate(&self) -> Rate {
        self.wire
    }

    /// Segments that leave back to back (`bbr_tso_segs_goal`).
    pub fn burst(&self) -> u32 {
        self.burst
    }

    /// The burst in bytes with all headers.
    pub fn quantum(&self) -> Bytes {
        Bytes::new(self.burst as u64 * self.packet)
    }

    fn apply(&mut self, bandwidth: u32, gain: u32) {
        self.payload = self.payload_rate(bandwidth, gain);
        self.wire = Rate::from_bps(
            bytes_per_second(bandwidth, self.packet, gain, self.rule.unit, self.rule.percent)
                .saturating_mul(8),
        );
        self.size_burst();
    }

    fn size_burst(&mut self) {
        let least =
            if self.rule.lone_segments && self.payload < LONE_SEGMENTS_BELOW { 1 } else { 2 };
        let bytes = ((self.payload >> BURST_SHIFT) + self.allowance).min(BURST_BYTES);
        self.burst = ((bytes / self.mss) as u32).max(least).min(BURST_SEGMENTS);
    }
}

fn initial(window: u32, rtt: u64) -> u32 {
    u32::try_from(((window as u64) << BW_SCALE) / rtt).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::bbr::common::UNIT;

    /// 1000 packets in 120 ms: 100 Mbit/s of 1500 B packets.
    const BANDWIDTH: u32 = 139_810;

    const HIGH_GAIN: PacingRule =
        PacingRule { unit: UNIT, first_gain: 739, percent: 99, lone_segments: true };
    const NO_MARGIN: PacingRule = PacingRule { percent: 100, ..HIGH_GAIN };

    fn pacing(rule: PacingRule) -> Pacing {
        Pacing::new(&Setup::default(), rule, 10)
    }

    #[test]
    fn the_first_rate_is_high_gain_times_the_window_per_round_trip() {
        let mut pacing = pacing(HIGH_GAIN);
        assert_eq!(
            (pacing.payload, pacing.rate(), pacing.burst()),
            (41_381_651, Rate::from_bps(342_941_856), 27)
        );
        pacing.on_first_rtt(10, 40_000);
        assert_eq!(
            (pacing.payload, pacing.rate(), pacing.burst()),
            (1_034_467, Rate::from_bps(8_572_928), 2)
        );
        pacing.on_first_rtt(20, 10_000);
        assert_eq!(pacing.payload, 1_034_467, "only once");
    }

    #[test]
    fn the_margin_came_after_4_15() {
        let rate = |rule| {
            let mut pacing = pacing(rule);
            pacing.set(BANDWIDTH, 256, true);
            (pacing.payload, pacing.rate().as_bps(), pacing.burst(), pacing.quantum().get())
        };
        assert_eq!(rate(HIGH_GAIN), (11_945_988, 98_999_904, 8, 12_000));
        assert_eq!(rate(NO_MARGIN), (12_066_655, 99_999_904, 8, 12_000));
    }

    #[test]
    fn only_a_full_pipe_may_slow_down() {
        let mut pacing = pacing(HIGH_GAIN);
        pacing.set(BANDWIDTH, 256, false);
        assert_eq!(pacing.payload, 41_381_651);
        pacing.set(BANDWIDTH * 4, 256, false);
        assert!(pacing.payload > 41_381_651);
        pacing.set(BANDWIDTH, 256, true);
        assert_eq!(pacing.payload, 11_945_988);
    }

    #[test]
    fn bursts_have_one_segment_below_1_2_megabits_and_127_at_most() {
        let burst = |bandwidth, mss| {
            let mut pacing =
                Pacing::new(&Setup { mss: Bytes::new(mss), ..Setup::default() }, NO_MARGIN, 10);
            pacing.set(bandwidth, 256, true);
            (pacing.payload, pacing.burst())
        };
        assert_eq!(burst(1_738, 1448), (150_002, 2));
        assert_eq!(burst(1_737, 1448), (149_916, 1));
        assert_eq!(burst(10_000_000, 1448).1, 45, "65,215 B");
        assert_eq!(burst(100_000_000, 100).1, 127);
    }
}
