//! Duplicate acknowledgements, which are counted where there is no SACK (RFC 6582).

use super::{Flags, Scoreboard, Slot};

impl Scoreboard {
    /// A duplicate acknowledgement tells that one more segment has left the network, not which
    /// (Linux `tcp_add_reno_sack`).
    pub(crate) fn count_duplicate(&mut self) {
        self.sacked_out += 1;
        self.bound_duplicates();
    }

    /// The cumulative acknowledgement moved by `acked` segments, one of which filled the hole; the
    /// others were counted before (Linux `tcp_remove_reno_sacks`). Returns how many.
    pub(crate) fn absorb_duplicates(&mut self, acked: u32) -> u32 {
        let before = self.sacked_out;
        self.sacked_out = self.sacked_out.saturating_sub(acked.saturating_sub(1));
        self.bound_duplicates();
        before - self.sacked_out
    }

    /// The duplicates counted so far say nothing more.
    pub(crate) fn forget_duplicates(&mut self) {
        self.sacked_out = 0;
    }

    fn bound_duplicates(&mut self) {
        let holes = self.lost_out.max(1).min(self.outstanding());
        self.sacked_out = self.sacked_out.min(self.outstanding() - holes);
    }

    /// True if duplicate acknowledgements alone prove the first segment lost.
    pub(crate) fn enough_duplicates(&self) -> bool {
        self.sacked_out >= self.dupthresh()
    }

    /// Presumes the first outstanding segment lost, unless a retransmission of it is under way
    /// already.
    pub(crate) fn lose_first(&mut self, mut lost: impl FnMut(u64, Slot)) {
        let number = self.una;
        let slot = *self.slot(self.una);
        self.holes.retransmissions.clear();
        if self.outstanding() > 0
            && !slot.flags.has(Flags::LOST)
            && !slot.flags.has(Flags::RETRANSMITTED)
        {
            self.mark_lost(number);
            lost(number, slot);
        }
    }
}
