//! The window that recovery and PROBE_RTT return to.

use crate::Recovery;

/// The last window known to be good, and the transport's state, which says whether the present one is.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    window: u32,
    recovery: Recovery,
}

impl Saved {
    /// Remembers `window`, before it is cut. If it is already cut (by recovery, or because `probing_rtt`), the larger of the two is the good one.
    pub fn save(&mut self, window: u32, probing_rtt: bool) {
        let cut = repairs(self.recovery) || probing_rtt;
        self.window = if cut { self.window.max(window) } else { window };
    }

    /// What `window` becomes when it returns to the one remembered.
    pub fn restored(&self, window: u32) -> u32 {
        window.max(self.window)
    }

    /// Takes in the transport's state; returns the one before.
    pub fn step(&mut self, recovery: Recovery) -> Recovery {
        std::mem::replace(&mut self.recovery, recovery)
    }
}

/// True while losses are repaired.
pub fn repairs(recovery: Recovery) -> bool {
    matches!(recovery, Recovery::Recovery | Recovery::Loss)
}
