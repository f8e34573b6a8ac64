//! The congestion window: growth towards a target, and modulation in recovery (`bbr_set_cwnd`;
//! section 4.2.3).

use crate::CaState;
use crate::controllers::bbr::common::{Ack, FLOOR, Saved, repairs};

/// Until this many packets are delivered, the window grows whatever the target (`TCP_INIT_CWND`;
/// section 4.2.3.6).
const INITIAL: u64 = 10;

/// The window, in packets.
#[derive(Clone, Debug)]
pub struct Cwnd {
    packets: u32,
    saved: Saved,
    /// In the first round of recovery: one packet out for one packet delivered
    /// (`packet_conservation`; section 4.2.3.4).
    conserving: bool,
}

impl Cwnd {
    /// A window of `packets`.
    pub fn new(packets: u32) -> Cwnd {
        Cwnd { packets, saved: Saved::default(), conserving: false }
    }

    /// In packets.
    pub fn get(&self) -> u32 {
        self.packets
    }

    /// Saves the window before it is cut (`bbr_save_cwnd`).
    pub fn save(&mut self, probing_rtt: bool) {
        self.saved.save(self.packets, probing_rtt);
    }

    /// Restores the saved window.
    pub fn restore(&mut self) {
        self.packets = self.saved.restored(self.packets);
    }

    /// A timeout, after which `in_flight` packets are not presumed lost (Linux `tcp_enter_loss`).
    pub fn collapse(&mut self, in_flight: u32) {
        self.packets = in_flight + 1;
        self.saved.step(CaState::Loss);
    }

    /// A round began: packet conservation ends.
    pub fn on_round(&mut self) {
        self.conserving = false;
    }

    /// Holds the window at the floor, in PROBE_RTT (section 4.2.3.5).
    pub fn hold_low(&mut self) {
        self.packets = self.packets.min(FLOOR);
    }

    /// Moves towards `target`, which cuts the window only once the pipe was `full` (`bbr_set_cwnd`,
    /// section 4.2.3.6; `bbr_set_cwnd_to_recover_or_restore`, section 4.2.3.4). True if a recovery
    /// began, and with it a round.
    pub fn update(&mut self, ack: &Ack, target: u32, full: bool) -> bool {
        if ack.acked == 0 {
            return false;
        }
        let before = self.saved.step(ack.ca_state);
        let begins = ack.ca_state == CaState::Recovery && before != CaState::Recovery;
        if ack.losses > 0 {
            self.packets = self.packets.saturating_sub(ack.losses).max(1);
        }
        if begins {
            self.conserving = true;
            self.packets = ack.in_flight + ack.acked;
        } else if repairs(before) && !repairs(ack.ca_state) {
            self.conserving = false;
            self.restore();
        }
        if self.conserving {
            self.packets = self.packets.max(ack.in_flight + ack.acked);
            return begins;
        }
        let grown = self.packets.saturating_add(ack.acked);
        if full {
            self.packets = grown.min(target);
        } else if self.packets < target || ack.counts.delivered < INITIAL {
            self.packets = grown;
        }
        self.packets = self.packets.max(FLOOR);
        begins
    }
}
