//! Evidence that a reduction was not needed.

use narrows_units::Time;

/// Evidence that a reduction was spurious: an acknowledgement stamped before the first
/// retransmission left (Eifel, RFC 3522 and RFC 4015), or duplicates reported for every
/// retransmission (RFC 3708).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Undo {
    /// When the first of the retransmissions left that may still be under way, whichever recovery
    /// they belong to.
    first_retransmitted_at: Option<Time>,
    /// First segment not acknowledged when the reduction was made; `None` if nothing can be undone.
    marker: Option<u64>,
    /// Retransmissions not yet reported as duplicates, once there was one.
    unproven: Option<u32>,
}

impl Undo {
    /// A reduction is made. `retrans_out` retransmissions are under way; `repaired`: so was one of
    /// segment `una`, whatever became of it.
    pub(super) fn begin(&mut self, una: u64, retrans_out: u32, repaired: bool) {
        if retrans_out == 0 && !repaired {
            self.first_retransmitted_at = None;
        }
        self.marker = Some(una);
        self.unproven = (retrans_out > 0).then_some(retrans_out);
    }

    /// The reduction is undone.
    pub(super) fn end(&mut self) {
        self.marker = None;
        self.unproven = None;
    }

    /// A segment is retransmitted.
    pub(super) fn on_retransmitted(&mut self, now: Time) {
        self.first_retransmitted_at.get_or_insert(now);
        if self.marker.is_some() {
            self.unproven = Some(self.unproven.unwrap_or(0) + 1);
        }
    }

    /// The first segment that was not acknowledged when the reduction was made.
    pub(super) fn marker(&self) -> Option<u64> {
        self.marker
    }

    /// The receiver reports that segment `number` came twice.
    pub(super) fn on_duplicate(&mut self, number: u64, ever_resent: bool) {
        if self.marker.is_some_and(|marker| number >= marker)
            && ever_resent
            && let Some(count) = &mut self.unproven
        {
            *count = count.saturating_sub(1);
        }
    }

    /// True if duplicates of every retransmission are reported: none was needed.
    pub(super) fn all_came_twice(&self) -> bool {
        self.marker.is_some() && self.unproven == Some(0)
    }

    /// True if the segment that moved the cumulative acknowledgement just now, stamped `echo`, left
    /// before any retransmission (Linux `tcp_packet_delayed`).
    pub(super) fn original_arrived(&self, echo: Time) -> bool {
        self.marker.is_some() && self.first_retransmitted_at.is_some_and(|resent| echo < resent)
    }
}

/// Forward RTO-Recovery in its SACK form (RFC 5682 section 3.1, Linux `tcp_process_loss`): after a
/// timeout only the first segment is repeated; the next acknowledgement tells whether the others
/// were lost or late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Frto {
    /// The losses are taken for real.
    #[default]
    Off,
    /// The first segment was repeated.
    Waiting,
    /// The acknowledgement moved: new data goes before repetitions.
    NewData,
}
