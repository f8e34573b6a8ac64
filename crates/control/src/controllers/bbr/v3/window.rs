//! The congestion window (section 5.6.4).

use super::Bbr3;
use super::model::Aggregation;
use super::profile::Profile;
use super::state::BbrState;
use crate::CaState;
use crate::controllers::bbr::common::{Ack, FLOOR, Saved, repairs};

// The congestion window (section 5.6.4).

/// The window, in packets.
#[derive(Clone, Debug)]
pub struct Cwnd {
    packets: u32,
    initial: u32,
    saved: Saved,
    /// The window limited the flight within the round that lasts until this many packets are
    /// delivered (`is_cwnd_limited`).
    limiting_until: u64,
}

impl Cwnd {
    /// A window of `packets`.
    pub fn new(packets: u32) -> Cwnd {
        Cwnd { packets, initial: packets, saved: Saved::default(), limiting_until: 0 }
    }

    /// In packets.
    pub fn get(&self) -> u32 {
        self.packets
    }

    /// The window that the connection began with.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// A packet left with `in_flight` before it and `delivered` packets delivered.
    #[inline]
    pub fn on_sent(&mut self, in_flight: u32, delivered: u64) {
        if in_flight + 1 >= self.packets {
            self.limiting_until = delivered + in_flight as u64 + 1;
        }
    }

    /// True if the window was full at some time in the last round.
    pub fn is_limiting(&self, delivered: u64) -> bool {
        delivered <= self.limiting_until
    }

    /// Saves the window before it is cut (`SaveCwnd`, `bbr_save_cwnd`).
    pub fn save(&mut self, probing_rtt: bool) {
        self.saved.save(self.packets, probing_rtt);
    }

    /// Restores the saved window (`RestoreCwnd`).
    pub fn restore(&mut self) {
        self.packets = self.saved.restored(self.packets);
    }

    /// Cuts the window to `packets`, if it is larger.
    pub fn bound(&mut self, packets: u32) {
        self.packets = self.packets.min(packets);
    }

    /// A timeout: everything in flight is presumed lost, and `packets` may be (`OnEnterRTO`,
    /// section 5.6.4.4). Returns the window before.
    pub fn collapse(&mut self, packets: u32) -> u32 {
        self.saved.step(CaState::Loss);
        self.saved.restored(std::mem::replace(&mut self.packets, packets))
    }

    /// Takes in the transport's state. The end of a ca_state restores the window (section 5.6.4.4);
    /// in the kernel, only after a timeout (`bbr_exit_loss_recovery`).
    pub fn step(&mut self, profile: Profile, ca_state: CaState) {
        let before = self.saved.step(ca_state);
        let over = match profile {
            Profile::Draft => repairs(before) && !repairs(ca_state),
            Profile::Linux => before == CaState::Loss && ca_state != CaState::Loss,
        };
        if over {
            self.restore();
        }
    }

    /// Moves towards `target` by the packets acknowledged; `target` cuts the window only once the
    /// pipe was `full` (`SetCwnd`, section 5.6.4.6; `bbr_set_cwnd`).
    pub fn grow(&mut self, profile: Profile, ack: &Ack, target: u32, full: bool) {
        let grown = self.packets.saturating_add(ack.acked);
        let starting = match profile {
            Profile::Draft => ack.counts.delivered < self.initial as u64,
            Profile::Linux => self.packets < 2 * self.initial,
        };
        if full {
            self.packets = grown.min(target);
        } else if self.packets < target || starting {
            self.packets = grown;
        }
        self.packets = self.packets.max(FLOOR);
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
