//! The congestion window (section 5.6.4).

use super::profile::Profile;
use crate::CaState;
use crate::controllers::bbr::common::{Ack, FLOOR, Saved, repairs};

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
