//! How much reordering RACK tolerates (RFC 8985 section 6.2 step 4).

/// The reordering window, in quarters of the least round trip: it grows with duplicates and shrinks
/// again without them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reordering {
    steps: u64,
    /// It grows again when everything below this is acknowledged.
    round_end: u64,
    /// Recoveries after which it shrinks.
    persist: u32,
}

/// Recoveries without a duplicate after which the window shrinks (`TCP_RACK_RECOVERY_THRESH`).
const PERSISTS: u32 = 16;

impl Default for Reordering {
    fn default() -> Reordering {
        Reordering { steps: 1, round_end: 0, persist: 0 }
    }
}

impl Reordering {
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A duplicate was reported while `una..next` was outstanding: the window grows, once in a
    /// round trip.
    pub fn on_duplicate(&mut self, una: u64, next: u64) {
        if una >= self.round_end {
            self.steps += 1;
            self.persist = PERSISTS;
            self.round_end = next;
        }
    }

    /// A recovery has ended.
    pub fn on_recovery_end(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.steps = 1;
        }
    }
}
