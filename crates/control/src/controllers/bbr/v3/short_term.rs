//! The short-term bounds: bandwidth and flight as reduced by losses since the last probe (section
//! 5.5.10.3).

use super::long_term::UNBOUNDED;
use super::profile::Fraction;
use crate::controllers::bbr::common::Ack;

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
