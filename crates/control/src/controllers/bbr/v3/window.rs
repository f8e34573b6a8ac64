//! The congestion window: towards a target, within the bounds of the model.

use super::profile::Profile;
use super::{Bbr3, State};
use crate::Recovery;
use crate::controllers::bbr::common::{Ack, FLOOR, Saved, repairs};

/// The window, in packets.
#[derive(Clone, Debug)]
pub struct Window {
    packets: u32,
    initial: u32,
    saved: Saved,
    /// The window was the limit within the round that lasts until this many packets are delivered.
    limiting_until: u64,
}

impl Window {
    /// A window of `packets`.
    pub fn new(packets: u32) -> Window {
        Window { packets, initial: packets, saved: Saved::default(), limiting_until: 0 }
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

    /// Remembers the window, before it is cut, or cut further.
    pub fn save(&mut self, probing_rtt: bool) {
        self.saved.save(self.packets, probing_rtt);
    }

    /// Returns to the remembered window.
    pub fn restore(&mut self) {
        self.packets = self.saved.restored(self.packets);
    }

    /// Everything in flight is presumed lost; returns the window before.
    pub fn collapse(&mut self) -> u32 {
        self.saved.step(Recovery::Loss);
        self.saved.restored(std::mem::replace(&mut self.packets, 1))
    }

    /// Takes in the transport's state; the end of a recovery restores the window, in the kernel that after a timeout.
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

    /// Moves towards `target` by what was acknowledged. Before the pipe was once `full` the target does not cut.
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
            let target = self.product(bandwidth, self.window_gain()).saturating_add(self.aggregated(bandwidth));
            let target = self.quantized(target);
            self.window.grow(self.profile, ack, target, self.full_pipe.reached());
        }
        self.bound_window();
    }

    fn bound_window(&mut self) {
        if self.state == State::ProbeRtt {
            self.window.packets = self.window.packets.min(self.probe_rtt_window());
        }
        let cap = match self.state {
            State::Startup | State::Drain => u32::MAX,
            State::Down | State::Refill | State::Up => self.long_term.get(),
            State::Cruise | State::ProbeRtt => self.long_term.with_headroom(self.constants.headroom),
        };
        let cap = cap.min(self.short_term.flight()).max(FLOOR);
        self.window.packets = self.window.packets.min(cap);
    }
}
