//! The congestion window: growth towards a target, within the bounds of the model (section 5.6.4).

use super::Bbr3;
use super::profile::Profile;
use super::state::BbrState;
use crate::Recovery;
use crate::controllers::bbr::common::{Ack, FLOOR, Saved, repairs};

/// The window, in packets.
#[derive(Clone, Debug)]
pub struct Cwnd {
    packets: u32,
    initial: u32,
    saved: Saved,
    /// The window limited the flight within the round that lasts until this many packets are delivered (`is_cwnd_limited`).
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

    /// A timeout: everything in flight is presumed lost (`OnEnterRTO`, section 5.6.4.4). Returns the window before.
    pub fn collapse(&mut self) -> u32 {
        self.saved.step(Recovery::Loss);
        self.saved.restored(std::mem::replace(&mut self.packets, 1))
    }

    /// Takes in the transport's state. The end of a recovery restores the window (section 5.6.4.4); in the kernel, only after a timeout
    /// (`bbr_exit_loss_recovery`).
    fn step(&mut self, profile: Profile, recovery: Recovery) {
        let before = self.saved.step(recovery);
        let over = match profile {
            Profile::Draft => repairs(before) && !repairs(recovery),
            Profile::Linux => before == Recovery::Loss && recovery != Recovery::Loss,
        };
        if over {
            self.restore();
        }
    }

    /// Moves towards `target` by the packets acknowledged; `target` cuts the window only once the pipe was `full` (`SetCwnd`, section
    /// 5.6.4.6; `bbr_set_cwnd`).
    fn grow(&mut self, profile: Profile, ack: &Ack, target: u32, full: bool) {
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

impl Bbr3 {
    pub(super) fn set_window(&mut self, ack: &Ack) {
        self.window.step(self.profile, ack.recovery);
        if ack.acked > 0 {
            let bandwidth = self.bandwidth();
            let target = self.bdp(bandwidth, self.window_gain()).saturating_add(self.aggregated(bandwidth));
            let target = self.quantized(target);
            self.window.grow(self.profile, ack, target, self.full_pipe.reached());
        }
        self.bound_window();
    }

    /// `BoundCwndForProbeRTT` and `BoundCwndForModel` (sections 5.6.4.5 and 5.6.4.7), `bbr_bound_cwnd_for_inflight_model`.
    fn bound_window(&mut self) {
        if self.state == BbrState::ProbeRtt {
            self.window.packets = self.window.packets.min(self.probe_rtt_window());
        }
        let cap = match self.state {
            BbrState::Startup | BbrState::Drain => u32::MAX,
            BbrState::Down | BbrState::Refill | BbrState::Up => self.long_term.get(),
            BbrState::Cruise | BbrState::ProbeRtt => self.long_term.with_headroom(self.constants.headroom),
        };
        let cap = cap.min(self.short_term.flight()).max(FLOOR);
        self.window.packets = self.window.packets.min(cap);
    }
}
