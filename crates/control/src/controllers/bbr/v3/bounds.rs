//! The bounds that losses set on flight and bandwidth, in the long term and in the short, and those
//! that an undo restores (sections 5.5.10 and 5.5.11).

use super::profile::Fraction;
use super::state::BbrState;
use crate::controllers::bbr::common::{Ack, FLOOR};

// The long-term bound: the most in flight that was safe when probing.

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

// The short-term bounds: bandwidth and flight as reduced by losses since the last probe (section
// 5.5.10.3).

/// The bounds (`bw_shortterm` and `inflight_shortterm`; `bw_lo` and `inflight_lo`) and the latest
/// round's delivery, which limits their reduction (`bw_latest` and `inflight_latest`).
#[derive(Clone, Debug)]
pub struct ShortTerm {
    bandwidth: u32,
    flight: u32,
    latest_bandwidth: u32,
    latest_flight: u32,
    /// The round ends with a packet sent when at least this many had been delivered.
    round_end: u64,
    round_start: bool,
    loss_in_round: bool,
}

impl ShortTerm {
    /// No bounds yet.
    pub fn new() -> ShortTerm {
        ShortTerm {
            bandwidth: UNBOUNDED,
            flight: UNBOUNDED,
            latest_bandwidth: 0,
            latest_flight: 0,
            round_end: 0,
            round_start: false,
            loss_in_round: false,
        }
    }

    /// The bound of bandwidth.
    pub fn bandwidth(&self) -> u32 {
        self.bandwidth
    }

    /// The bound of the flight.
    pub fn flight(&self) -> u32 {
        self.flight
    }

    /// The highest bandwidth of this round.
    pub fn latest_bandwidth(&self) -> u32 {
        self.latest_bandwidth
    }

    /// The most delivered between sending and acknowledgement of a packet of this round.
    pub fn latest_flight(&self) -> u32 {
        self.latest_flight
    }

    /// True if a round ended with the latest acknowledgement; rounds begin with a loss.
    pub fn round_start(&self) -> bool {
        self.round_start
    }

    /// True if something was lost in this round.
    pub fn loss_in_round(&self) -> bool {
        self.loss_in_round
    }

    /// Notes a loss after `delivered` packets were delivered. The first one begins a round, so that
    /// a whole round shows what the path still delivers (`NoteLoss`, section 5.5.10.2;
    /// `bbr_note_loss`).
    pub fn note_loss(&mut self, delivered: u64) {
        if !self.loss_in_round {
            self.round_end = delivered;
        }
        self.loss_in_round = true;
    }

    /// Takes in the rate sample, of `bandwidth` (`UpdateLatestDeliverySignals`,
    /// `bbr_update_latest_delivery_signals`).
    pub fn update(&mut self, ack: &Ack, bandwidth: u32) {
        self.round_start = false;
        let Some(sample) = ack.sample.filter(|_| ack.acked > 0) else { return };
        self.latest_bandwidth = self.latest_bandwidth.max(bandwidth);
        self.latest_flight = self.latest_flight.max(sample.delivered);
        if sample.prior_delivered >= self.round_end {
            self.round_end = ack.counts.delivered;
            self.round_start = true;
        }
    }

    /// Forgets deliveries of before this round (`AdvanceLatestDeliverySignals`,
    /// `bbr_advance_latest_delivery_signals`).
    pub fn advance(&mut self, ack: &Ack, bandwidth: u32) {
        if let Some(sample) = ack.sample
            && self.round_start
        {
            self.latest_bandwidth = bandwidth;
            self.latest_flight = sample.delivered;
        }
    }

    /// The round is over, its loss answered.
    pub fn end_round(&mut self) {
        self.loss_in_round = false;
    }

    /// Responds to a round with loss: reduces the bounds to `beta` of themselves, or to the round's
    /// delivery if that is more (`LossLowerBounds`, `bbr_loss_lower_bounds`). Before the first loss
    /// they are `bandwidth` and `window` (`InitLowerBounds`, `bbr_init_lower_bounds`).
    pub fn cut(&mut self, beta: Fraction, bandwidth: u32, window: u32) {
        if self.bandwidth == UNBOUNDED {
            self.bandwidth = bandwidth;
        }
        self.bound_flight(window);
        self.bandwidth = self.latest_bandwidth.max(beta.of(self.bandwidth)).max(1);
        self.flight = self.latest_flight.max(beta.of(self.flight));
    }

    /// Sets the bound of the flight if it has no bound.
    pub fn bound_flight(&mut self, flight: u32) {
        if self.flight == UNBOUNDED {
            self.flight = flight;
        }
    }

    /// The flight is bounded by `flight` too.
    pub fn lower_flight(&mut self, flight: u32) {
        self.flight = self.flight.min(flight);
    }

    /// Both bounds are at least these, and no loss is known: the loss was spurious.
    pub fn undo(&mut self, bandwidth: u32, flight: u32) {
        self.loss_in_round = false;
        self.bandwidth = self.bandwidth.max(bandwidth);
        self.flight = self.flight.max(flight);
    }

    /// Clears both bounds (`ResetShortTermModel`, `bbr_reset_lower_bounds`).
    pub fn clear(&mut self) {
        self.bandwidth = UNBOUNDED;
        self.flight = UNBOUNDED;
    }

    /// Forgets what the latest round lost and delivered.
    pub fn reset_signals(&mut self) {
        self.loss_in_round = false;
        self.latest_bandwidth = 0;
        self.latest_flight = 0;
    }
}

// The state to return to after spurious losses.

/// The state to return to if the losses of a recovery turn out to be spurious (section 5.5.11.1).
#[derive(Clone, Debug)]
pub struct Undo {
    /// The state that the losses ended.
    pub state: Option<BbrState>,
    /// The short-term bound of the bandwidth before the losses.
    pub bandwidth: u32,
    /// The short-term bound of the flight before the losses.
    pub flight: u32,
    /// The long-term bound before the losses.
    pub long_term: u32,
}

impl Undo {
    /// Nothing to return to.
    pub fn new() -> Undo {
        Undo { state: None, bandwidth: 0, flight: 0, long_term: 0 }
    }
}

#[cfg(test)]
mod tests {
    mod long_term {
        use super::super::*;

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
}
