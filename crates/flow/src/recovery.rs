//! Recovery: its states, the spreading of a reduction, and the evidence that it was not needed.

use narrows_units::Time;

/// Proportional rate reduction (RFC 6937 with the reduction bound of Linux `tcp_cwnd_reduction`): the window goes from where it was to where the controller
/// wants it in step with what is delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prr {
    prior_window: u32,
    delivered: u32,
    out: u32,
    window: u32,
}

impl Prr {
    /// Recovery begins with this window.
    pub(crate) fn begin(prior_window: u32) -> Prr {
        Prr { prior_window, delivered: 0, out: 0, window: prior_window }
    }

    /// An acknowledgement delivered `acked` segments. `target` is where the window shall arrive; `advanced`: the cumulative acknowledgement moved and nothing
    /// more was lost.
    pub(crate) fn on_ack(&mut self, acked: u32, in_flight: u32, target: u32, advanced: bool) {
        if acked == 0 {
            return;
        }
        self.delivered += acked;
        let send = if in_flight > target {
            let share = (target as u64 * self.delivered as u64).div_ceil(self.prior_window.max(1) as u64) as u32;
            share.saturating_sub(self.out)
        } else {
            let unsent = self.delivered.saturating_sub(self.out).max(acked) + advanced as u32;
            unsent.min(target - in_flight)
        };
        // The first retransmission of a recovery always leaves.
        let send = send.max((self.out == 0) as u32);
        self.window = in_flight + send;
    }

    /// A segment left during recovery.
    #[inline]
    pub(crate) fn on_sent(&mut self) {
        self.out += 1;
    }

    /// The window now.
    pub(crate) fn window(&self) -> u32 {
        self.window
    }
}

/// Evidence that a reduction was spurious: an acknowledgement stamped before the first retransmission left (Eifel, RFC 3522 and RFC 4015), or duplicates
/// reported for every retransmission (RFC 3708).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undo {
    /// First segment not acknowledged when the reduction was made; `None` if nothing can be undone.
    marker: Option<u64>,
    /// When the first of the retransmissions left that may still be under way, whichever recovery they belong to.
    first_resent_at: Option<Time>,
    /// Retransmissions not yet reported as duplicates, once there was one.
    unproven: Option<u32>,
}

impl Undo {
    /// A reduction is made. `resent_out` retransmissions are under way; `repaired`: so was one of segment `una`, whatever became of it.
    pub(crate) fn begin(&mut self, una: u64, resent_out: u32, repaired: bool) {
        if resent_out == 0 && !repaired {
            self.first_resent_at = None;
        }
        self.marker = Some(una);
        self.unproven = (resent_out > 0).then_some(resent_out);
    }

    /// The reduction is undone.
    pub(crate) fn end(&mut self) {
        self.marker = None;
        self.unproven = None;
    }

    /// A segment is retransmitted.
    pub(crate) fn on_resent(&mut self, now: Time) {
        self.first_resent_at.get_or_insert(now);
        if self.marker.is_some() {
            self.unproven = Some(self.unproven.unwrap_or(0) + 1);
        }
    }

    /// The receiver reports that segment `number` came twice.
    pub(crate) fn on_duplicate(&mut self, number: u64, ever_resent: bool) {
        if self.marker.is_some_and(|marker| number >= marker)
            && ever_resent
            && let Some(count) = &mut self.unproven
        {
            *count = count.saturating_sub(1);
        }
    }

    /// True if the reduction is proven spurious. `echo` is the stamp of the segment that moved the cumulative acknowledgement just now, if it moved.
    pub(crate) fn is_proven(&self, echo: Option<Time>) -> bool {
        let original_arrived = matches!((self.first_resent_at, echo), (Some(resent), Some(echo)) if echo < resent);
        self.marker.is_some() && (self.unproven == Some(0) || original_arrived)
    }
}

/// Forward RTO-Recovery in its SACK form (RFC 5682 section 3.1, Linux `tcp_process_loss`): after a timeout only the first segment is repeated; what arrives
/// next tells whether the others were lost or late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Frto {
    /// The losses are taken for real.
    #[default]
    Off,
    /// The first segment was repeated.
    Waiting,
    /// The acknowledgement moved: new data goes before repetitions.
    NewData,
}
