//! The response to losses and marks, and the window that follows (sections 5.5.10, 5.5.11 and
//! 5.6.4).

use super::Bbr3;
use super::bounds::Undo;
use super::model::Aggregation;
use super::profile::Profile;
use super::state::{BbrState, Evidence};
use crate::controllers::bbr::common::{Ack, FLOOR};
use crate::{CaState, Congestion, Feedback};

// Losses: judged packet by packet, answered, and undone if they were spurious (sections 5.5.10 and
// 5.5.11).

impl Bbr3 {
    /// Saves window and bounds before losses change them (`SaveCwnd` and `SaveStateUponLoss`,
    /// `bbr_ssthresh`).
    pub(super) fn save(&mut self) {
        self.window.save(self.state == BbrState::ProbeRtt);
        self.undo = Undo {
            state: None,
            bandwidth: self.short_term.bandwidth(),
            flight: self.short_term.flight(),
            long_term: self.long_term.get(),
        };
    }

    /// Takes in the losses of an acknowledgement in the order of their detection
    /// (`HandleLostPacket`, section 5.5.10.2; `bbr_skb_marked_lost`).
    pub(super) fn take_losses(&mut self, feedback: &Feedback<'_>) {
        if feedback.congestion.is_some() {
            self.save();
        }
        let before = (feedback.totals.lost - feedback.lost.len() as u64) as u32;
        for (lost, count) in feedback.lost.iter().zip(before + 1..) {
            self.note_loss();
            if self.profile == Profile::Draft {
                self.lost_ranges.add(lost.number);
            }
            let Some(departure) = self.flights.get(lost.tag).filter(|_| self.cycle.probe_sample)
            else {
                continue;
            };
            let evidence = Evidence {
                flight: departure.flight,
                lost: count.wrapping_sub(departure.lost),
                app_limited: departure.app_limited,
                delivered: 0,
                marked: 0,
            };
            if self.is_too_high(&evidence) {
                self.answer_too_high(self.flight_at_loss(&evidence), evidence.app_limited);
            }
        }
        if self.profile == Profile::Linux && !feedback.lost.is_empty() {
            self.lost_ranges.add_acknowledgement();
        }
        if feedback.congestion == Some(Congestion::Loss) && feedback.lost.is_empty() {
            self.note_repaired_probe();
        }
    }

    /// A tail loss probe has repaired the loss of one packet (`bbr_run_loss_probe_recovery`).
    fn note_repaired_probe(&mut self) {
        self.note_loss();
        let flight = self.short_term.latest_flight() + 1;
        let evidence = Evidence { flight, lost: 1, app_limited: false, delivered: 0, marked: 0 };
        if self.cycle.probe_sample && self.is_too_high(&evidence) {
            self.answer_too_high(flight, false);
        }
    }

    pub(super) fn note_loss(&mut self) {
        self.short_term.note_loss(self.counts.delivered);
        self.loss_in_cycle = true;
    }

    /// True if losses or marks since the packet of `evidence` left exceed their threshold, in
    /// proportion to the flight at that time (`IsInflightTooHigh`, `bbr_is_inflight_too_high`).
    pub(super) fn is_too_high(&self, evidence: &Evidence) -> bool {
        let threshold =
            if self.selective { self.constants.loss_threshold.of(evidence.flight) } else { 0 };
        let lost = evidence.flight > 0 && evidence.lost > threshold;
        lost || self.marks.as_ref().is_some_and(|marks| marks.is_too_high(evidence))
    }

    /// The flight at which losses crossed the threshold: the flight before the packet of
    /// `evidence`, and the part of the packet that still fits (`InflightAtLoss`,
    /// `bbr_inflight_hi_from_lost_skb`).
    fn flight_at_loss(&self, evidence: &Evidence) -> u32 {
        let threshold = self.constants.loss_threshold;
        let flight = evidence.flight - 1;
        let lost = evidence.lost - 1;
        let budget = threshold.of_ceil(flight);
        let fits = budget.saturating_sub(lost) as u64 * threshold.1 as u64
            / (threshold.1 - threshold.0) as u64;
        flight + fits as u32
    }

    /// A probe had too many packets in flight, `flight`. Answered once per probe
    /// (`HandleInflightTooHigh`, `bbr_handle_inflight_too_high`).
    pub(super) fn answer_too_high(&mut self, flight: u32, app_limited: bool) {
        self.cycle.too_high = true;
        self.cycle.probe_sample = false;
        if !app_limited {
            self.long_term.set(flight.max(self.constants.beta.of(self.target_flight())));
        }
        if self.state == BbrState::Up {
            if self.profile == Profile::Draft {
                self.undo.state = Some(BbrState::Up);
            }
            self.start_down();
        }
    }

    /// Bounds bandwidth and flight once per round with loss, while not probing
    /// (`UpdateCongestionSignals` and `AdaptLowerBoundsFromCongestion`, section 5.5.10.3;
    /// `bbr_update_congestion_signals` and `bbr_adapt_lower_bounds`).
    pub(super) fn adapt_short_term(&mut self, ack: &Ack, bandwidth: u32) {
        if ack.sample.is_none() || ack.acked == 0 {
            return;
        }
        let limited = ack.sample.is_some_and(|sample| sample.app_limited);
        self.max_bandwidth.update(bandwidth, limited);
        if !self.short_term.round_start() {
            return;
        }
        let window = self.window.get();
        if !self.state.is_probing() {
            let marked = self.marks.as_ref().and_then(|marks| marks.cut());
            let marked = marked.map(|cut| {
                self.short_term.bound_flight(window);
                cut.of(self.short_term.flight())
            });
            if self.short_term.loss_in_round() {
                self.short_term.cut(self.constants.beta, self.max_bandwidth.get(), window);
            }
            if let Some(flight) = marked {
                self.short_term.lower_flight(flight);
            }
        }
        self.short_term.end_round();
        if let Some(marks) = &mut self.marks {
            marks.end_round();
        }
    }

    /// The losses were spurious (`HandleSpuriousLossDetection`, section 5.5.11.2; `bbr_undo_cwnd`).
    pub(super) fn take_back(&mut self) {
        self.window.restore();
        self.full_pipe.restart(0);
        self.short_term.undo(self.undo.bandwidth, self.undo.flight);
        self.long_term.raise_to(self.undo.long_term);
        let probing_rtt = self.state == BbrState::ProbeRtt;
        match self.undo.state.take() {
            Some(BbrState::Startup) if self.state != BbrState::Startup => {
                self.full_pipe.set_reached(false);
                if !probing_rtt {
                    self.enter(BbrState::Startup);
                }
            }
            Some(BbrState::Up) if self.state != BbrState::Up && !probing_rtt => {
                self.start_refill(0)
            }
            _ => {}
        }
    }
}

// The kernel's response to ECN marks that are many and early: on paths of at most 5 ms, in
// proportion to the share of packets marked.

impl Bbr3 {
    pub(super) fn take_marks(&mut self, marked: u32) {
        let Some(marks) = &mut self.marks else { return };
        let too_high =
            self.rounds.start() && marks.on_round(self.counts.delivered, self.min_rtt.get());
        marks.take(marked);
        if too_high && !self.full_pipe.reached() {
            self.leave_startup_too_high();
        }
    }

    /// Notes marks of the cycle, on packets delivered since the packet of `evidence` left
    /// (`ecn_in_cycle`).
    pub(super) fn note_marks(&mut self, evidence: Option<Evidence>) {
        if let Some(marks) = &mut self.marks {
            marks.in_cycle |= evidence.is_some_and(|evidence| evidence.marked > 0);
        }
    }

    /// True if this cycle had marks but no loss, and now they have ceased: bandwidth may have
    /// become free (`bbr_check_time_to_probe_bw`, `bbr_ecn_reprobe_gain`).
    pub(super) fn should_reprobe(&self, ack: &Ack) -> bool {
        let marked = self.marks.as_ref().is_some_and(|marks| marks.eligible && marks.in_cycle);
        marked && !self.loss_in_cycle && ack.ca_state == CaState::Open
    }
}

// Growth of the congestion window towards a target, within the bounds of the model (section
// 5.6.4).

/// `ExtraAckedFilterLen`: rounds of the draft's filter of aggregation after Startup.
const AGGREGATION_ROUNDS: u32 = 10;
/// `bbr_extra_acked_win_rtts`: rounds of each of the kernel's two slots.
const AGGREGATION_SLOT_ROUNDS: u32 = 5;

impl Bbr3 {
    /// Packets to add to the window for aggregated acknowledgements (`UpdateMaxInflight`,
    /// `bbr_ack_aggregation_cwnd`).
    pub(super) fn aggregated(&self, bandwidth: u32) -> u32 {
        match &self.aggregation {
            Aggregation::Window(max) => max.get(),
            Aggregation::Slots(slots) => slots.extra(bandwidth),
        }
    }

    /// `UpdateACKAggregation` (section 5.5.9), `bbr_update_ack_aggregation`: one round of memory in
    /// Startup.
    pub(super) fn update_aggregation(&mut self, ack: &Ack) {
        let Some(extra) = self.extra_acked.update(ack, self.bandwidth(), self.window.get()) else {
            return;
        };
        let rounds = |after| if self.full_pipe.reached() { after } else { 1 };
        match &mut self.aggregation {
            Aggregation::Window(max) => {
                max.update(rounds(AGGREGATION_ROUNDS), self.rounds.count(), extra)
            }
            Aggregation::Slots(slots) => {
                slots.update(extra, self.rounds.start(), rounds(AGGREGATION_SLOT_ROUNDS))
            }
        }
    }

    pub(super) fn set_window(&mut self, ack: &Ack) {
        self.window.step(self.profile, ack.ca_state);
        if ack.acked > 0 {
            let bandwidth = self.bandwidth();
            let target =
                self.bdp(bandwidth, self.window_gain()).saturating_add(self.aggregated(bandwidth));
            let target = self.quantized(target);
            self.window.grow(self.profile, ack, target, self.full_pipe.reached());
        }
        self.bound_window();
    }

    /// `BoundCwndForProbeRTT` and `BoundCwndForModel` (sections 5.6.4.5 and 5.6.4.7),
    /// `bbr_bound_cwnd_for_inflight_model`.
    fn bound_window(&mut self) {
        if self.state == BbrState::ProbeRtt {
            self.window.bound(self.probe_rtt_window());
        }
        let cap = match self.state {
            BbrState::Startup | BbrState::Drain => u32::MAX,
            BbrState::Down | BbrState::Refill | BbrState::Up => self.long_term.get(),
            BbrState::Cruise | BbrState::ProbeRtt => {
                self.long_term.with_headroom(self.constants.headroom)
            }
        };
        let cap = cap.min(self.short_term.flight()).max(FLOOR);
        self.window.bound(cap);
    }
}
