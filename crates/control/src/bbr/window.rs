//! The congestion window: towards a target, and modulated while losses are repaired.

use super::ack::Ack;
use crate::Recovery;

/// Fewest packets in flight when all is well: with every other packet acknowledged, two in each direction.
pub const FLOOR: u32 = 4;
/// Until this many packets are delivered the window grows whatever the target.
const INITIAL: u64 = 10;

/// The window, in packets.
#[derive(Clone, Debug)]
pub struct Window {
    packets: u32,
    /// The window to return to after recovery or PROBE_RTT.
    prior: u32,
    recovery: Recovery,
    /// In the first round of recovery: one packet out for one packet delivered.
    conserving: bool,
}

impl Window {
    /// A window of `packets`.
    pub fn new(packets: u32) -> Window {
        Window { packets, prior: 0, recovery: Recovery::Open, conserving: false }
    }

    /// In packets.
    pub fn get(&self) -> u32 {
        self.packets
    }

    /// Remembers the window, before it is cut. If it is already cut (by recovery, or because `probing_rtt`), the larger of the two is the good one.
    pub fn save(&mut self, probing_rtt: bool) {
        let cut = repairs(self.recovery) || probing_rtt;
        self.prior = if cut { self.prior.max(self.packets) } else { self.packets };
    }

    /// Returns to the remembered window.
    pub fn restore(&mut self) {
        self.packets = self.packets.max(self.prior);
    }

    /// Everything in flight is presumed lost.
    pub fn collapse(&mut self) {
        self.packets = 1;
        self.recovery = Recovery::Loss;
    }

    /// A round began: packet conservation ends.
    pub fn on_round(&mut self) {
        self.conserving = false;
    }

    /// Holds the window at the floor.
    pub fn hold_low(&mut self) {
        self.packets = self.packets.min(FLOOR);
    }

    /// Moves towards `target`. Before the pipe was once `full` the target does not cut. True if a recovery began, and with it a round.
    pub fn update(&mut self, ack: &Ack, target: u32, full: bool) -> bool {
        if ack.acked == 0 {
            return false;
        }
        let before = std::mem::replace(&mut self.recovery, ack.recovery);
        let begins = ack.recovery == Recovery::Recovery && before != Recovery::Recovery;
        if ack.losses > 0 {
            self.packets = self.packets.saturating_sub(ack.losses).max(1);
        }
        if begins {
            self.conserving = true;
            self.packets = ack.in_flight + ack.acked;
        } else if repairs(before) && !repairs(ack.recovery) {
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

fn repairs(recovery: Recovery) -> bool {
    matches!(recovery, Recovery::Recovery | Recovery::Loss)
}
