//! Numbered transmissions: each is acknowledged or lost by its own number, and none is sent again
//! under it (RFC 9002).

use super::{Flags, Scoreboard, Slot};
use narrows_units::{Span, Time};

impl Scoreboard {
    /// One past the highest number known delivered.
    pub(crate) fn highest(&self) -> u64 {
        self.highest
    }

    /// Declares lost each transmission that left before the newest delivered one and is `dupthresh`
    /// numbers below it, or left more than `loss_delay` ago (RFC 9002 section 6.1). Returns when to
    /// look again. Nothing is queued to be sent again here.
    pub(crate) fn detect_numbered_losses(
        &mut self,
        now: Time,
        loss_delay: Span,
        mut lost: impl FnMut(u64, Slot),
    ) -> Option<Time> {
        // Requirement, RFC 9002 section 6.1.1: "implementations SHOULD NOT use a packet threshold
        // less than 3"
        let dupthresh = self.dupthresh() as u64;
        self.scanned = self.scanned.max(self.una);
        while self.scanned < self.highest {
            let number = self.scanned;
            let slot = *self.slot(number);
            if !slot.flags.has(Flags::SACKED) && !slot.flags.has(Flags::LOST) {
                // Requirement, RFC 9002 section 6.1.2: "an endpoint SHOULD declare an earlier
                // packet lost if it was sent a threshold amount of time in the past"
                let due = slot.sent_at + loss_delay;
                if number + dupthresh >= self.highest && due > now {
                    return Some(due);
                }
                self.lost_out += 1;
                self.slot_mut(number).flags.set(Flags::LOST);
                lost(number, slot);
            }
            self.scanned += 1;
        }
        None
    }

    /// Transmission `number` is known to be lost. Returns it, if its fate was not known.
    pub(crate) fn lose(&mut self, number: u64) -> Option<Slot> {
        let flags = self.slot(number).flags;
        if !(self.una..self.next).contains(&number)
            || flags.has(Flags::SACKED)
            || flags.has(Flags::LOST)
        {
            return None;
        }
        self.lost_out += 1;
        self.slot_mut(number).flags.set(Flags::LOST);
        Some(*self.slot(number))
    }

    /// Forgets the oldest while their fate is settled; of those lost, `forget` says which need not
    /// be remembered. Calls it with each number that is lost.
    pub(crate) fn pass_settled(&mut self, mut forget: impl FnMut(u64) -> bool) {
        while self.una < self.next {
            let flags = self.slot(self.una).flags;
            if flags.has(Flags::SACKED) {
                self.sacked_out -= 1;
            } else if flags.has(Flags::LOST) && forget(self.una) {
                self.lost_out -= 1;
            } else {
                break;
            }
            self.una += 1;
        }
        self.trim();
    }
}
