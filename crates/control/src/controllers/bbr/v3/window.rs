//! Growth of the congestion window towards a target, within the bounds of the model (section
//! 5.6.4).

use super::Bbr3;
use super::aggregation::Aggregation;
use super::state::BbrState;
use crate::controllers::bbr::common::{Ack, FLOOR};

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
