//! What is outstanding: each segment's latest transmission and its state, and loss detection by time (RACK, RFC 8985) or by count.

use crate::LossDetection;
use crate::ranges::RangeSet;
use narrows_control::Tag;
use narrows_units::{Span, Time};
use std::collections::VecDeque;
use std::ops::Range;

/// One outstanding segment: its latest transmission and its state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) sent_at: Time,
    pub(crate) tag: Tag,
    pub(crate) flags: Flags,
}

/// The connection's delivery state when a segment left (draft-cheng-iccrg-delivery-rate-estimation, `P.*`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) first_sent_at: Time,
    pub(crate) delivered: u64,
    pub(crate) delivered_at: Time,
}

/// What an acknowledgement says of all segments it delivers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    pub(crate) now: Time,
    /// The stamp it echoes.
    pub(crate) echo: Time,
    /// The least round trip known.
    pub(crate) min_rtt: Span,
}

/// State bits of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u8);

impl Flags {
    pub(crate) const SACKED: Flags = Flags(1);
    pub(crate) const LOST: Flags = Flags(2);
    /// A retransmission of it is in flight.
    pub(crate) const RESENT: Flags = Flags(4);
    pub(crate) const EVER_RESENT: Flags = Flags(8);
    pub(crate) const APP_LIMITED: Flags = Flags(16);
    pub(crate) const WINDOW_LIMITED: Flags = Flags(32);

    #[inline]
    pub(crate) fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    #[inline]
    pub(crate) fn set(&mut self, flag: Flags) {
        self.0 |= flag.0;
    }

    #[inline]
    pub(crate) fn clear(&mut self, flag: Flags) {
        self.0 &= !flag.0;
    }

    #[inline]
    pub(crate) fn with(self, flag: Flags, on: bool) -> Flags {
        if on { Flags(self.0 | flag.0) } else { self }
    }
}

/// The outstanding segments `una..next`.
///
/// Nothing here costs time in proportion to the window: cumulative acknowledgement touches each segment once, SACK touches what is newly acknowledged, and
/// loss detection follows transmissions in the order in which they were sent and never goes back.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    slots: Vec<Slot>,
    /// Beside `slots`, if rates are sampled; else empty.
    stamps: Vec<Stamp>,
    una: u64,
    next: u64,
    sacked: RangeSet,
    /// Lost and not yet retransmitted.
    to_resend: RangeSet,
    /// Retransmissions in the order in which they left; entries that no longer describe the latest transmission are skipped.
    resent: VecDeque<Resent>,
    /// First segments below this are settled: acknowledged, declared lost or retransmitted.
    scanned: u64,
    lost_out: u32,
    sacked_out: u32,
    resent_out: u32,
    /// The most recently sent transmission known delivered.
    newest: (Time, u64),
    newest_rtt: Span,
    /// One past the highest segment known delivered.
    highest: u64,
    reordering_seen: bool,
    /// Segments of reordering tolerated before SACKs alone prove a loss (RFC 6675's DupThresh, grown by reordering).
    reordering: u32,
    detection: LossDetection,
}

/// A retransmission under way.
#[derive(Clone, Copy, Debug)]
struct Resent {
    number: u64,
    sent_at: Time,
    /// First segment never sent then.
    next: u64,
}

/// Most segments beyond a hole that losses found by count wait for, however far reordering was seen to go (Linux 2.4 `TCP_MAX_REORDERING`).
pub const MAX_DUPTHRESH: u32 = 127;

/// Slots at the start; they double as the window grows.
const INITIAL: usize = 16;

impl Scoreboard {
    /// An empty board. `stamps`: keeps the delivery state of each transmission.
    pub(crate) fn new(stamps: bool, detection: LossDetection, dupthresh: u32) -> Scoreboard {
        Scoreboard {
            slots: vec![Slot::default(); INITIAL],
            stamps: vec![Stamp::default(); if stamps { INITIAL } else { 0 }],
            una: 0,
            next: 0,
            sacked: RangeSet::default(),
            to_resend: RangeSet::default(),
            resent: VecDeque::new(),
            scanned: 0,
            lost_out: 0,
            sacked_out: 0,
            resent_out: 0,
            newest: (Time::ZERO, 0),
            newest_rtt: Span::ZERO,
            highest: 0,
            reordering_seen: false,
            reordering: dupthresh,
            detection,
        }
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.slots.len() - 1)
    }

    #[inline]
    pub(crate) fn slot(&self, number: u64) -> &Slot {
        &self.slots[self.place(number)]
    }

    #[inline]
    pub(crate) fn slot_mut(&mut self, number: u64) -> &mut Slot {
        let place = self.place(number);
        &mut self.slots[place]
    }

    /// The delivery state when segment `number` left; zero if stamps are not kept. Holds until the next segment is sent.
    #[inline]
    pub(crate) fn stamp(&self, number: u64) -> Stamp {
        self.stamps.get(self.place(number)).copied().unwrap_or_default()
    }

    /// Keeps the delivery state at which segment `number` left, if stamps are kept.
    #[inline]
    pub(crate) fn set_stamp(&mut self, number: u64, stamp: Stamp) {
        let place = self.place(number);
        if let Some(kept) = self.stamps.get_mut(place) {
            *kept = stamp;
        }
    }

    /// First segment not cumulatively acknowledged.
    #[inline]
    pub(crate) fn una(&self) -> u64 {
        self.una
    }

    /// First segment never sent.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Segments in flight: sent, not acknowledged, not presumed lost, plus retransmissions (RFC 6675 `pipe`, Linux `tcp_packets_in_flight`).
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        self.outstanding() + self.resent_out - self.sacked_out - self.lost_out
    }

    /// Segments sent and not cumulatively acknowledged.
    #[inline]
    pub(crate) fn outstanding(&self) -> u32 {
        (self.next - self.una) as u32
    }

    pub(crate) fn sacked_out(&self) -> u32 {
        self.sacked_out
    }

    pub(crate) fn lost_out(&self) -> u32 {
        self.lost_out
    }

    pub(crate) fn resent_out(&self) -> u32 {
        self.resent_out
    }

    /// The first segment that waits for retransmission.
    #[inline]
    pub(crate) fn first_to_resend(&self) -> Option<u64> {
        self.to_resend.first()
    }

    /// A new segment leaves.
    #[inline]
    pub(crate) fn send_new(&mut self, slot: Slot) -> u64 {
        if self.outstanding() as usize == self.slots.len() {
            self.grow();
        }
        let number = self.next;
        *self.slot_mut(number) = slot;
        self.next += 1;
        number
    }

    #[cold]
    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = respread(&self.slots, self.una..self.next, mask);
        if !self.stamps.is_empty() {
            self.stamps = respread(&self.stamps, self.una..self.next, mask);
        }
    }

    /// A segment leaves again. `slot` describes the new transmission.
    pub(crate) fn resend(&mut self, number: u64, mut slot: Slot) {
        let before = self.slot(number).flags;
        slot.flags = slot.flags.with(Flags::LOST, before.has(Flags::LOST)).with(Flags::EVER_RESENT, true).with(Flags::RESENT, true);
        if !before.has(Flags::RESENT) {
            self.resent_out += 1;
        }
        self.to_resend.remove(number);
        self.resent.push_back(Resent { number, sent_at: slot.sent_at, next: self.next });
        *self.slot_mut(number) = slot;
    }

    /// The cumulative acknowledgement moves to `number + 1`; returns what was delivered unless SACK had said so before. `number` is `una`.
    #[inline]
    pub(crate) fn pass(&mut self, evidence: Evidence) -> Option<Slot> {
        let number = self.una;
        self.una += 1;
        let flags = self.slot(number).flags;
        if flags.has(Flags::SACKED) {
            self.sacked_out -= 1;
            return None;
        }
        if flags.has(Flags::LOST) || flags.has(Flags::RESENT) {
            self.settle_lost(number, flags);
        }
        Some(self.deliver(number, evidence))
    }

    /// The cumulative acknowledgement has moved: forgets ranges below it.
    pub(crate) fn trim(&mut self) {
        if !self.sacked.is_empty() {
            self.sacked.remove_below(self.una);
        }
    }

    /// The receiver holds `start..end`: adds to `delivered` each segment of it that was not known to have arrived.
    pub(crate) fn sack(&mut self, start: u64, end: u64, evidence: Evidence, delivered: &mut Vec<(u64, Slot)>) {
        // What arrives out of order leaves the stamp as it was (RFC 7323 section 4.3): it says nothing here.
        let evidence = Evidence { echo: Time::NEVER, ..evidence };
        let (start, end) = (start.max(self.una), end.min(self.next));
        if start >= end {
            return;
        }
        let mut sacked = std::mem::take(&mut self.sacked);
        sacked.insert(start..end, |new| {
            for number in new {
                let flags = self.slot(number).flags;
                if flags.has(Flags::LOST) || flags.has(Flags::RESENT) {
                    self.settle_lost(number, flags);
                }
                self.slot_mut(number).flags.set(Flags::SACKED);
                self.sacked_out += 1;
                let mut slot = self.deliver(number, evidence);
                slot.flags = slot.flags.with(Flags::LOST, flags.has(Flags::LOST));
                delivered.push((number, slot));
            }
        });
        self.sacked = sacked;
    }

    /// A segment presumed lost or retransmitted has been delivered after all.
    #[cold]
    fn settle_lost(&mut self, number: u64, flags: Flags) {
        if flags.has(Flags::LOST) {
            self.lost_out -= 1;
            self.to_resend.remove(number);
        }
        if flags.has(Flags::RESENT) {
            self.resent_out -= 1;
        }
        let flags = &mut self.slot_mut(number).flags;
        flags.clear(Flags::LOST);
        flags.clear(Flags::RESENT);
    }

    #[inline]
    fn deliver(&mut self, number: u64, evidence: Evidence) -> Slot {
        let slot = *self.slot(number);
        let resent = slot.flags.has(Flags::EVER_RESENT);
        if number < self.highest {
            if !resent && self.detection != LossDetection::Dupack {
                self.note_reordering(number);
            }
        } else {
            self.highest = number + 1;
        }
        // RFC 8985 section 6.2 step 2: a cumulative acknowledgement that echoes an older stamp, or any that comes too early, may be of the original and says
        // nothing of the retransmission.
        let rtt = evidence.now.since(slot.sent_at);
        let ambiguous = resent && (evidence.echo < slot.sent_at || rtt < evidence.min_rtt);
        if (slot.sent_at, number) > self.newest && !ambiguous {
            self.newest = (slot.sent_at, number);
            self.newest_rtt = rtt;
        }
        slot
    }

    /// Segment `number` was late, not lost: segments arrive out of order on this path.
    pub(crate) fn note_reordering(&mut self, number: u64) {
        self.reordering_seen = true;
        self.reordering = self.reordering.max(self.highest.saturating_sub(number) as u32);
    }

    /// RFC 8985 section 6.2 step 4: how long a segment may be late. `in_recovery`: once losses are certain, no grace is given unless reordering was seen.
    pub(crate) fn reordering_window(&self, in_recovery: bool, min_rtt: Span, steps: u64, srtt: Span) -> Span {
        if !self.reordering_seen && (in_recovery || self.sacked_out >= self.reordering) {
            return Span::ZERO;
        }
        (min_rtt / 4 * steps).min(srtt)
    }

    /// True if something sent before the newest delivered transmission may be missing.
    #[inline]
    pub(crate) fn has_holes(&self) -> bool {
        self.sacked_out > 0 || !self.resent.is_empty()
    }

    /// RFC 8985 section 6.2 step 5: declares lost every transmission that left before the newest delivered one and has had `window` more than its round
    /// trip. Returns when to look again. Each transmission is looked at once when it is settled; of those still within the window only the oldest is timed,
    /// so that the work does not grow with their number (the RFC waits for the youngest).
    pub(crate) fn detect_losses(&mut self, now: Time, window: Span, mut lost: impl FnMut(u64, Slot)) -> Option<Time> {
        let patience = self.newest_rtt + window;
        let mut again: Option<Time> = None;
        self.scanned = self.scanned.max(self.una);
        while self.scanned < self.next {
            let number = self.scanned;
            let slot = *self.slot(number);
            if slot.flags.has(Flags::SACKED) {
                self.scanned = self.sacked.holding(number).map_or(number + 1, |range| range.end);
                continue;
            }
            if !slot.flags.has(Flags::LOST) && !slot.flags.has(Flags::EVER_RESENT) {
                if (slot.sent_at, number) >= self.newest {
                    break;
                }
                if slot.sent_at + patience > now {
                    again = Some(slot.sent_at + patience);
                    break;
                }
                self.mark_lost(number);
                lost(number, slot);
            }
            self.scanned += 1;
        }
        while let Some(&Resent { number, sent_at, .. }) = self.resent.front() {
            if self.is_under_way(number, sent_at) {
                if (sent_at, number) >= self.newest {
                    break;
                }
                if sent_at + patience > now {
                    let due = sent_at + patience;
                    again = Some(again.map_or(due, |other| other.min(due)));
                    break;
                }
                let slot = *self.slot(number);
                self.mark_lost(number);
                lost(number, slot);
            }
            self.resent.pop_front();
        }
        again
    }

    /// True if the retransmission of `number` that left at `sent_at` is its latest and its fate not known.
    fn is_under_way(&self, number: u64, sent_at: Time) -> bool {
        number >= self.una && {
            let slot = self.slot(number);
            slot.flags.has(Flags::RESENT) && slot.sent_at == sent_at
        }
    }

    /// Declares lost what the arrival of later segments proves lost, by count or by distance. FACK takes a retransmission for lost when data first sent after
    /// it has arrived (Linux 2.4 `tcp_sacktag_write_queue`).
    pub(crate) fn detect_losses_by_count(&mut self, mut lost: impl FnMut(u64, Slot)) {
        let dupthresh = self.reordering.min(MAX_DUPTHRESH) as u64;
        let fack = self.detection == LossDetection::Fack;
        let limit = if fack && !self.reordering_seen {
            self.highest.saturating_sub(dupthresh)
        } else {
            self.sacked.from_top(dupthresh).unwrap_or(0)
        };
        self.scanned = self.scanned.max(self.una);
        while self.scanned < limit {
            let number = self.scanned;
            let slot = *self.slot(number);
            if slot.flags.has(Flags::SACKED) {
                self.scanned = self.sacked.holding(number).map_or(number + 1, |range| range.end);
                continue;
            }
            if !slot.flags.has(Flags::LOST) && !slot.flags.has(Flags::EVER_RESENT) {
                self.mark_lost(number);
                lost(number, slot);
            }
            self.scanned += 1;
        }
        let tolerated = if self.reordering_seen { dupthresh } else { 0 };
        while let Some(&Resent { number, sent_at, next }) = self.resent.front() {
            if self.is_under_way(number, sent_at) {
                if !fack || self.highest <= next + tolerated {
                    return;
                }
                let slot = *self.slot(number);
                self.mark_lost(number);
                lost(number, slot);
            }
            self.resent.pop_front();
        }
    }

    /// One past the highest number known delivered.
    pub(crate) fn highest(&self) -> u64 {
        self.highest
    }

    /// Under numbered transmissions: declares lost what left before the newest delivered one and is `dupthresh` numbers below it, or left more than `patience`
    /// ago (RFC 9002 section 6.1). Returns when to look again. Nothing is queued to be sent again here.
    pub(crate) fn detect_numbered_losses(&mut self, now: Time, patience: Span, mut lost: impl FnMut(u64, Slot)) -> Option<Time> {
        let dupthresh = self.reordering.min(MAX_DUPTHRESH) as u64;
        self.scanned = self.scanned.max(self.una);
        while self.scanned < self.highest {
            let number = self.scanned;
            let slot = *self.slot(number);
            if !slot.flags.has(Flags::SACKED) && !slot.flags.has(Flags::LOST) {
                let due = slot.sent_at + patience;
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

    /// Under numbered transmissions: `number` is known to be lost. Returns it, if its fate was not known.
    pub(crate) fn refuse(&mut self, number: u64) -> Option<Slot> {
        let flags = self.slot(number).flags;
        if !(self.una..self.next).contains(&number) || flags.has(Flags::SACKED) || flags.has(Flags::LOST) {
            return None;
        }
        self.lost_out += 1;
        self.slot_mut(number).flags.set(Flags::LOST);
        Some(*self.slot(number))
    }

    /// Under numbered transmissions: forgets the oldest while their fate is settled; of those lost, `forget` says which need not be remembered. Calls it with
    /// each number that is lost.
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

    /// Without SACK: a duplicate acknowledgement tells that one more segment has left the network, not which (Linux `tcp_add_reno_sack`).
    pub(crate) fn count_duplicate(&mut self) {
        self.sacked_out += 1;
        self.bound_duplicates();
    }

    /// Without SACK: the cumulative acknowledgement moved by `acked` segments, one of which filled the hole; the others were counted before (Linux
    /// `tcp_remove_reno_sacks`). Returns how many.
    pub(crate) fn absorb_duplicates(&mut self, acked: u32) -> u32 {
        let before = self.sacked_out;
        self.sacked_out = self.sacked_out.saturating_sub(acked.saturating_sub(1));
        self.bound_duplicates();
        before - self.sacked_out
    }

    /// Without SACK: what was counted so far says nothing more.
    pub(crate) fn forget_duplicates(&mut self) {
        self.sacked_out = 0;
    }

    fn bound_duplicates(&mut self) {
        let holes = self.lost_out.max(1).min(self.outstanding());
        self.sacked_out = self.sacked_out.min(self.outstanding() - holes);
    }

    /// True if duplicate acknowledgements alone prove the first segment lost.
    pub(crate) fn enough_duplicates(&self) -> bool {
        self.sacked_out >= self.reordering.min(MAX_DUPTHRESH)
    }

    /// Presumes the first outstanding segment lost, unless a retransmission of it is under way already.
    pub(crate) fn lose_first(&mut self, mut lost: impl FnMut(u64, Slot)) {
        let (number, slot) = (self.una, *self.slot(self.una));
        self.resent.clear();
        if self.outstanding() > 0 && !slot.flags.has(Flags::LOST) && !slot.flags.has(Flags::RESENT) {
            self.mark_lost(number);
            lost(number, slot);
        }
    }

    /// Presumes lost the latest transmission of a segment.
    fn mark_lost(&mut self, number: u64) {
        let flags = self.slot(number).flags;
        if flags.has(Flags::RESENT) {
            self.resent_out -= 1;
            self.slot_mut(number).flags.clear(Flags::RESENT);
        }
        if !flags.has(Flags::LOST) {
            self.lost_out += 1;
            self.slot_mut(number).flags.set(Flags::LOST);
        }
        self.to_resend.insert(number..number + 1, |_| {});
    }

    /// Presumes everything lost that SACK has not acknowledged; calls `lost` for each transmission not presumed lost before.
    pub(crate) fn mark_all_lost(&mut self, mut lost: impl FnMut(u64, Slot)) {
        for number in self.una..self.next {
            let slot = *self.slot(number);
            if slot.flags.has(Flags::SACKED) || (slot.flags.has(Flags::LOST) && !slot.flags.has(Flags::RESENT)) {
                continue;
            }
            self.mark_lost(number);
            lost(number, slot);
        }
        self.resent.clear();
        self.scanned = self.next;
    }

    /// The losses were not: takes back every mark.
    pub(crate) fn unmark_lost(&mut self) {
        for number in self.una..self.next {
            let flags = self.slot(number).flags;
            if flags.has(Flags::LOST) {
                self.slot_mut(number).flags.clear(Flags::LOST);
                self.lost_out -= 1;
            }
        }
        self.to_resend.clear();
        self.scanned = self.una;
    }
}

/// The outstanding entries of a ring, in a ring twice as large.
fn respread<T: Copy + Default>(ring: &[T], outstanding: Range<u64>, mask: usize) -> Vec<T> {
    let mut larger = vec![T::default(); mask + 1];
    for number in outstanding {
        larger[number as usize & mask] = ring[number as usize & (ring.len() - 1)];
    }
    larger
}
