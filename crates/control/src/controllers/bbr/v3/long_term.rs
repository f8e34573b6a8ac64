//! The long-term bound: the most in flight that was safe when probing.

use super::profile::Fraction;
use crate::controllers::bbr::common::FLOOR;

/// No bound.
pub const UNBOUNDED: u32 = u32::MAX;

/// The bound (`inflight_longterm`, `inflight_hi`) and the slope at which ProbeBW_UP raises it
/// (section 5.3.3.9).
#[derive(Clone, Debug)]
pub struct LongTerm {
    bound: u32,
    /// Packets acknowledged per packet by which the bound grows (`probe_up_acked_per_inc`,
    /// `bw_probe_up_cnt`).
    per_increment: u32,
    acked: u32,
    rounds: u32,
}

impl LongTerm {
    /// No bound yet.
    pub fn new() -> LongTerm {
        LongTerm { bound: UNBOUNDED, per_increment: UNBOUNDED, acked: 0, rounds: 0 }
    }

    /// In packets.
    pub fn get(&self) -> u32 {
        self.bound
    }

    /// The bound is `bound`.
    pub fn set(&mut self, bound: u32) {
        self.bound = bound;
    }

    /// A flight of `packets` was safe: if there is a bound, it is no lower.
    pub fn raise_to(&mut self, packets: u32) {
        self.bound = self.bound.max(packets);
    }

    /// The bound less the headroom left to others, at least one packet (`InflightWithHeadroom`,
    /// `bbr_inflight_with_headroom`).
    pub fn with_headroom(&self, headroom: Fraction) -> u32 {
        if self.bound == UNBOUNDED {
            return UNBOUNDED;
        }
        (self.bound.saturating_sub(headroom.of(self.bound).max(1))).max(FLOOR)
    }

    /// A probe is prepared whose first round adds 2^`rounds` packets.
    pub fn prepare(&mut self, rounds: u32) {
        self.rounds = rounds.min(30);
        self.acked = 0;
    }

    /// A round of probing begins with a window of `window`: it adds twice as much as the one
    /// before, spread over its acknowledgements (`RaiseInflightLongtermSlope`,
    /// `bbr_raise_inflight_hi_slope`).
    pub fn steepen(&mut self, window: u32) {
        self.per_increment = (window >> self.rounds).max(1);
        self.rounds = (self.rounds + 1).min(30);
    }

    /// Probing is over.
    pub fn stop(&mut self) {
        self.per_increment = UNBOUNDED;
    }

    /// `acked` packets were acknowledged while the bound limited the flow
    /// (`ProbeInflightLongtermUpward`, `bbr_probe_inflight_hi_upward`).
    pub fn grow(&mut self, acked: u32) {
        self.acked += acked;
        let increments = self.acked / self.per_increment;
        self.acked -= increments * self.per_increment;
        self.bound = self.bound.saturating_add(increments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_additive_increment_doubles_each_round() {
        let mut long_term = LongTerm::new();
        long_term.set(100);
        long_term.prepare(0);
        let mut bounds = Vec::new();
        for _ in 0..5 {
            let window = long_term.get();
            long_term.steepen(window);
            for _ in 0..window / 2 {
                long_term.grow(2);
            }
            bounds.push(long_term.get() - window);
        }
        // 1, 2, 4 in a window's acknowledgements; of 107 and 115 packets every 13th and 7th.
        assert_eq!(bounds, [1, 2, 4, 8, 16]);
    }

    #[test]
    fn headroom_is_a_packet_at_least_and_leaves_four() {
        let headroom = |bound| {
            let mut long_term = LongTerm::new();
            long_term.set(bound);
            long_term.with_headroom(Fraction(15, 100))
        };
        assert_eq!([100, 6, 5, 4, UNBOUNDED].map(headroom), [85, 5, 4, 4, UNBOUNDED]);
    }
}
