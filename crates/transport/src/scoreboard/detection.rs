//! Which segments are lost: by time (RACK, RFC 8985) or by count.

use super::{Flags, Retransmission, Scoreboard, Slot};
use crate::LossDetection;
use narrows_units::{Span, Time};

/// Most segments beyond a hole that losses found by count wait for, however far reordering was seen
/// to go (Linux 2.4 `TCP_MAX_REORDERING`).
pub const MAX_DUPTHRESH: u32 = 127;

impl Scoreboard {
    /// RFC 8985 section 6.2 step 4: how long a segment may be late. `in_recovery`: once losses are
    /// certain, no grace is given unless reordering was seen.
    pub(crate) fn reordering_window(
        &self,
        in_recovery: bool,
        min_rtt: Span,
        steps: u64,
        srtt: Span,
    ) -> Span {
        // Requirement, RFC 8985 section 3.3.2: "The reordering window SHOULD be set to zero if no
        // reordering has been observed on the connection so far"
        if !self.reordering_seen && (in_recovery || self.sacked_out >= self.reordering) {
            return Span::ZERO;
        }
        // Requirement, RFC 8985 section 3.3.2: "the reordering window SHOULD start from a small
        // fraction of the round-trip time"
        //
        // Requirement, RFC 8985 section 3.3.2: "The RACK reordering window MUST be bounded, and
        // this bound SHOULD be SRTT"
        (min_rtt / 4 * steps).min(srtt)
    }

    /// True if something sent before the newest delivered transmission may be missing.
    #[inline]
    pub(crate) fn has_holes(&self) -> bool {
        self.sacked_out > 0 || (self.is_holed && !self.holes.retransmissions.is_empty())
    }

    /// RFC 8985 section 6.2 step 5: declares lost every transmission that left before the newest
    /// delivered one and has had `window` more than its round trip. Returns when to look again.
    /// Each transmission is looked at once when it is settled; of those still within the window
    /// only the oldest is timed, so that the work does not grow with their number (the RFC waits
    /// for the youngest).
    pub(crate) fn detect_losses(
        &mut self,
        now: Time,
        window: Span,
        mut lost: impl FnMut(u64, Slot),
    ) -> Option<Time> {
        let newest = self.newest;
        let loss_delay = self.newest_rtt + window;
        let mut again: Option<Time> = None;
        let mut is_overdue = |number: u64, sent_at: Time| {
            if (sent_at, number) >= newest {
                return false;
            }
            let due = sent_at + loss_delay;
            if due > now {
                again = Some(again.map_or(due, |other| other.min(due)));
            }
            due <= now
        };
        self.lose_originals(self.next, &mut is_overdue, &mut lost);
        self.lose_retransmissions(|again| is_overdue(again.number, again.sent_at), &mut lost);
        again
    }

    /// Declares lost the segments that later arrivals prove lost, by count or by distance. FACK
    /// takes a retransmission for lost when data first sent after it has arrived (Linux 2.4
    /// `tcp_sacktag_write_queue`).
    pub(crate) fn detect_losses_by_count(&mut self, mut lost: impl FnMut(u64, Slot)) {
        let dupthresh = self.dupthresh() as u64;
        let fack = self.detection == LossDetection::Fack;
        let limit = if fack && !self.reordering_seen {
            self.highest.saturating_sub(dupthresh)
        } else {
            self.holes.sacked.from_top(dupthresh).unwrap_or(0)
        };
        self.lose_originals(limit, |_, _| true, &mut lost);
        let highest = self.highest;
        let tolerated = if self.reordering_seen { dupthresh } else { 0 };
        self.lose_retransmissions(|again| fack && highest > again.next + tolerated, &mut lost);
    }

    /// Declares lost, in order of their numbers, segments below `limit` that are out by their only
    /// transmission, up to the first that is not `is_lost`.
    fn lose_originals(
        &mut self,
        limit: u64,
        mut is_lost: impl FnMut(u64, Time) -> bool,
        lost: &mut impl FnMut(u64, Slot),
    ) {
        self.scanned = self.scanned.max(self.una);
        while self.scanned < limit {
            let number = self.scanned;
            let slot = *self.slot(number);
            if slot.flags.has(Flags::SACKED) {
                self.scanned = self.holes.sacked.end_of(number).unwrap_or(number + 1);
                continue;
            }
            if !slot.flags.has(Flags::LOST) && !slot.flags.has(Flags::EVER_RETRANSMITTED) {
                if !is_lost(number, slot.sent_at) {
                    return;
                }
                self.mark_lost(number);
                lost(number, slot);
            }
            self.scanned += 1;
        }
    }

    /// Declares lost, in the order in which they left, retransmissions up to the first that is not
    /// `is_lost`.
    fn lose_retransmissions(
        &mut self,
        mut is_lost: impl FnMut(&Retransmission) -> bool,
        lost: &mut impl FnMut(u64, Slot),
    ) {
        while let Some(front) = self.holes.retransmissions.front() {
            let number = front.number;
            let sent_at = front.sent_at;
            if self.is_under_way(number, sent_at) {
                if !is_lost(front) {
                    return;
                }
                let slot = *self.slot(number);
                self.mark_lost(number);
                lost(number, slot);
            }
            self.holes.retransmissions.pop_front();
        }
    }

    /// True if the retransmission of `number` that left at `sent_at` is its latest and its fate not
    /// known.
    pub(super) fn is_under_way(&self, number: u64, sent_at: Time) -> bool {
        number >= self.una && {
            let slot = self.slot(number);
            let given_up = slot.flags.has(Flags::LOST) && !slot.flags.has(Flags::RETRANSMITTED);
            slot.sent_at == sent_at && !given_up && !slot.flags.has(Flags::SACKED)
        }
    }

    /// Segments that must arrive beyond a hole before it counts as lost: grown by reordering,
    /// within a bound.
    #[inline]
    pub(super) fn dupthresh(&self) -> u32 {
        self.reordering.min(MAX_DUPTHRESH)
    }
}
