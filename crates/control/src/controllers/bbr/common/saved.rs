//! The window restored after recovery and PROBE_RTT (`prior_cwnd`; v1 section 4.2.3.4, v3 section
//! 5.6.4.4).

use crate::CaState;

/// The last window known to be good, and the transport's state, which says whether the present one
/// is.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    window: u32,
    ca_state: CaState,
}

impl Saved {
    /// Saves `window` before it is cut. If recovery, or PROBE_RTT (`probing_rtt`), has cut it
    /// already, keeps the larger one (`bbr_save_cwnd`).
    pub fn save(&mut self, window: u32, probing_rtt: bool) {
        let cut = repairs(self.ca_state) || probing_rtt;
        self.window = if cut { self.window.max(window) } else { window };
    }

    /// `window` after it has returned to the remembered one.
    pub fn restored(&self, window: u32) -> u32 {
        window.max(self.window)
    }

    /// Takes in the transport's state; returns the one before.
    pub fn step(&mut self, ca_state: CaState) -> CaState {
        std::mem::replace(&mut self.ca_state, ca_state)
    }
}

/// True while losses are repaired.
pub fn repairs(ca_state: CaState) -> bool {
    matches!(ca_state, CaState::Recovery | CaState::Loss)
}
