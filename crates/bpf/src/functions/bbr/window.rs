//! The window (`bbr_set_cwnd`).

use super::area::{CWND_GAIN, FULL_BW_REACHED, MODE, PACKET_CONSERVATION, PREV_CA_STATE, mode};
use super::connection::{Connection, INITIAL, RECOVERY};
use super::model::FLOOR;
use super::sample::Sample;
use crate::socket::fields as f;
use narrows_control::arithmetic::BW_SCALE;

/// `bbr_extra_acked_max_us`.
const MOST_SILENCE: u64 = 100_000;

impl Connection<'_, '_, '_> {
    /// `bbr_set_cwnd`.
    pub fn set_window(&mut self, sample: &Sample, bandwidth: u32) {
        let mut window = self.call.get(f::CWND);
        let acked = sample.acked_sacked;
        if acked != 0 {
            let (recovered, conserves) = self.recover(sample, window, acked);
            window = recovered;
            if !conserves {
                let target =
                    self.bdp(bandwidth, self.area.bits(CWND_GAIN)).wrapping_add(self.aggregated());
                let target = self.quantized(target);
                if self.area.is(FULL_BW_REACHED) {
                    window = window.wrapping_add(acked).min(target);
                } else if window < target || self.call.get(f::DELIVERED) < INITIAL {
                    window = window.wrapping_add(acked);
                }
                window = window.max(FLOOR);
            }
        }
        window = window.min(self.call.get(f::CWND_CLAMP));
        if self.area.bits(MODE) == mode::PROBE_RTT {
            window = window.min(FLOOR);
        }
        self.call.set(f::CWND, window);
    }

    /// `bbr_set_cwnd_to_recover_or_restore`: the window, and whether one packet goes out for one
    /// that is delivered.
    fn recover(&mut self, sample: &Sample, window: u32, acked: u32) -> (u32, bool) {
        let (before, state) = (self.area.bits(PREV_CA_STATE), self.call.get(f::CA_STATE));
        let mut window = window;
        if sample.losses > 0 {
            window = (window.wrapping_sub(sample.losses as u32) as i32).max(1) as u32;
        }
        if state == RECOVERY && before != RECOVERY {
            self.area.set_bits(PACKET_CONSERVATION, 1);
            // A round begins.
            self.area.next_rtt_delivered = self.call.get(f::DELIVERED);
            window = self.in_flight().wrapping_add(acked);
        } else if before >= RECOVERY && state < RECOVERY {
            window = window.max(self.area.prior_cwnd);
            self.area.set_bits(PACKET_CONSERVATION, 0);
        }
        self.area.set_bits(PREV_CA_STATE, state);
        if self.area.is(PACKET_CONSERVATION) {
            return (window.max(self.in_flight().wrapping_add(acked)), true);
        }
        (window, false)
    }

    /// `bbr_ack_aggregation_cwnd`.
    fn aggregated(&self) -> u32 {
        if !self.area.is(FULL_BW_REACHED) {
            return 0;
        }
        let most = (self.bandwidth() as u64 * MOST_SILENCE) >> BW_SCALE;
        (self.area.extra_acked_first.max(self.area.extra_acked_second) as u32).min(most as u32)
    }
}
