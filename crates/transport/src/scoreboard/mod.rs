//! The outstanding segments: each one's latest transmission and its state.

mod detection;
mod duplicates;
mod numbered;
mod slot;

use crate::LossDetection;
use crate::ranges::RangeSet;
use narrows_units::{Span, Time};
use prefetch_index::prefetch_index;
use std::collections::VecDeque;
use std::ops::Range;

pub use detection::MAX_DUPTHRESH;
pub(crate) use slot::{Evidence, Flags, Slot, Stamp};

/// The outstanding segments `una..next`.
///
/// Nothing here costs time in proportion to the window: cumulative acknowledgement touches each
/// segment once, SACK touches segments newly acknowledged, and loss detection follows transmissions
/// in the order in which they were sent and never goes back.
///
/// Every packet touches what comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Scoreboard {
    una: u64,
    next: u64,
    slots: Vec<Slot>,
    lost_out: u32,
    sacked_out: u32,
    retrans_out: u32,
    /// There is something in `holes`.
    is_holed: bool,
    /// `stamps` are kept.
    is_stamped: bool,
    reordering_seen: bool,
    detection: LossDetection,
    /// One past the highest segment known delivered.
    highest: u64,
    /// The most recently sent transmission known delivered.
    newest: (Time, u64),
    newest_rtt: Span,
    /// Segments of reordering tolerated before SACKs alone prove a loss (RFC 6675's DupThresh,
    /// grown by reordering).
    reordering: u32,
    /// First segments below this are settled: acknowledged, declared lost or retransmitted.
    scanned: u64,
    holes: Box<Holes>,
    /// Beside `slots`, if rates are sampled; else empty.
    stamps: Vec<Stamp>,
}

/// The packets out of order: none, most of the time.
#[derive(Clone, Debug, Default)]
struct Holes {
    sacked: RangeSet,
    /// Lost and not yet retransmitted.
    to_retransmit: RangeSet,
    /// Retransmissions in the order in which they left; entries that no longer describe the latest
    /// transmission are skipped.
    retransmissions: VecDeque<Retransmission>,
}

impl Holes {
    fn is_empty(&self) -> bool {
        self.sacked.is_empty() && self.to_retransmit.is_empty() && self.retransmissions.is_empty()
    }
}

/// A retransmission under way.
#[derive(Clone, Copy, Debug)]
struct Retransmission {
    number: u64,
    sent_at: Time,
    /// First segment never sent then.
    next: u64,
}

/// Slots when the first segment leaves; they double as the window grows.
const INITIAL: usize = 16;

impl Scoreboard {
    /// An empty board. `stamps`: keeps the delivery state of each transmission.
    pub(crate) fn new(stamps: bool, detection: LossDetection, dupthresh: u32) -> Scoreboard {
        Scoreboard {
            una: 0,
            next: 0,
            slots: Vec::new(),
            lost_out: 0,
            sacked_out: 0,
            retrans_out: 0,
            is_holed: false,
            is_stamped: stamps,
            reordering_seen: false,
            detection,
            highest: 0,
            newest: (Time::ZERO, 0),
            newest_rtt: Span::ZERO,
            reordering: dupthresh,
            scanned: 0,
            holes: Box::default(),
            stamps: Vec::new(),
        }
    }

    /// Checks that the counts are those of the segments' marks, and that the ranges are those of
    /// the marks. For tests.
    pub(crate) fn check(&self) {
        let outstanding = self.una..self.next;
        let marked = |flag| outstanding.clone().filter(move |n| self.slot(*n).flags.has(flag));
        assert!(self.una <= self.next && self.highest <= self.next, "una, highest, next");
        assert!(
            self.slots.is_empty()
                || self.slots.len().is_power_of_two()
                    && self.outstanding() as usize <= self.slots.len(),
            "room for the segments"
        );
        // Without SACK, duplicate acknowledgements are counted and no segment is marked.
        let sacked = marked(Flags::SACKED).count();
        assert!(sacked == 0 || sacked == self.sacked_out as usize, "sacked_out");
        assert_eq!(self.lost_out as usize, marked(Flags::LOST).count(), "lost_out");
        assert_eq!(self.retrans_out as usize, marked(Flags::RETRANSMITTED).count(), "retrans_out");
        assert!(
            self.sacked_out + self.lost_out <= self.outstanding() + self.retrans_out,
            "segments in flight"
        );
        assert!(self.is_holed || self.holes.is_empty(), "holes are told");
        for number in outstanding {
            let flags = self.slot(number).flags;
            let waits = flags.has(Flags::LOST) && !flags.has(Flags::RETRANSMITTED);
            // Numbered transmissions are not sent again under their numbers: none waits.
            assert!(waits || !self.holes.to_retransmit.contains(number), "segment {number} waits");
            assert_eq!(
                self.holes.sacked.contains(number),
                flags.has(Flags::SACKED),
                "segment {number} is held"
            );
        }
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & self.slots.len().wrapping_sub(1)
    }

    /// Fetches the first outstanding segment into the processor's caches.
    pub(crate) fn fetch(&self) {
        prefetch_index(&self.slots, self.place(self.una));
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

    /// The delivery state when segment `number` left; zero if stamps are not kept. Holds until the
    /// next segment is sent.
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

    /// Segments in flight: sent, not acknowledged, not presumed lost, plus retransmissions (RFC
    /// 6675 `pipe`, Linux `tcp_packets_in_flight`).
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        self.outstanding() + self.retrans_out - self.sacked_out - self.lost_out
    }

    /// Segments sent and not cumulatively acknowledged.
    #[inline]
    pub(crate) fn outstanding(&self) -> u32 {
        (self.next - self.una) as u32
    }

    #[inline]
    pub(crate) fn sacked_out(&self) -> u32 {
        self.sacked_out
    }

    #[inline]
    pub(crate) fn lost_out(&self) -> u32 {
        self.lost_out
    }

    #[inline]
    pub(crate) fn retrans_out(&self) -> u32 {
        self.retrans_out
    }

    /// The first segment that waits for retransmission.
    #[inline]
    pub(crate) fn first_to_retransmit(&self) -> Option<u64> {
        if self.is_holed { self.holes.to_retransmit.first() } else { None }
    }

    /// No other segment has room, before the board has [grown](Scoreboard::grow).
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.outstanding() as usize == self.slots.len()
    }

    /// A new segment leaves, for which there is room.
    #[inline]
    pub(crate) fn send_new(&mut self, slot: Slot) -> u64 {
        let number = self.next;
        // Field by field: the parts have just been written, and a copy of the whole would wait for
        // them.
        let Slot { sent_at, tag, flags } = slot;
        let place = self.slot_mut(number);
        place.sent_at = sent_at;
        place.tag = tag;
        place.flags = flags;
        self.next += 1;
        number
    }

    /// Makes room for as many segments again.
    #[cold]
    pub(crate) fn grow(&mut self) {
        let mask = (self.slots.len() * 2).max(INITIAL) - 1;
        self.slots = moved_to_larger(&self.slots, self.una..self.next, mask);
        if self.is_stamped {
            self.stamps = moved_to_larger(&self.stamps, self.una..self.next, mask);
        }
    }

    /// A segment leaves again. `slot` describes the new transmission.
    pub(crate) fn retransmit(&mut self, number: u64, slot: Slot) {
        let flags = &mut self.slot_mut(number).flags;
        if !flags.has(Flags::RETRANSMITTED) {
            flags.set(Flags::RETRANSMITTED);
            self.retrans_out += 1;
        }
        self.holes.to_retransmit.remove(number);
        self.probe(number, slot);
    }

    /// A segment leaves again to learn whether it has arrived: as in Linux (`tcp_send_loss_probe`),
    /// the second copy does not count as in flight.
    pub(crate) fn probe(&mut self, number: u64, mut slot: Slot) {
        let before = self.slot(number).flags;
        for kept in [Flags::LOST, Flags::RETRANSMITTED] {
            slot.flags = slot.flags.with(kept, before.has(kept));
        }
        slot.flags.set(Flags::EVER_RETRANSMITTED);
        self.is_holed = true;
        self.holes.retransmissions.push_back(Retransmission {
            number,
            sent_at: slot.sent_at,
            next: self.next,
        });
        *self.slot_mut(number) = slot;
    }

    /// The cumulative acknowledgement moves to `number + 1`; returns the segment delivered, unless
    /// SACK had acknowledged it before. `number` is `una`.
    #[inline]
    pub(crate) fn pass(&mut self, evidence: Evidence) -> Option<Slot> {
        let number = self.una;
        self.una += 1;
        let flags = self.slot(number).flags;
        if flags.has(Flags::SACKED) {
            self.sacked_out -= 1;
            return None;
        }
        if flags.has(Flags::LOST) || flags.has(Flags::RETRANSMITTED) {
            self.settle_lost(number, flags);
        }
        Some(self.deliver(number, evidence))
    }

    /// The cumulative acknowledgement has moved: forgets ranges below it.
    #[inline]
    pub(crate) fn trim(&mut self) {
        if self.is_holed {
            self.trim_holes();
        }
    }

    fn trim_holes(&mut self) {
        self.holes.sacked.remove_below(self.una);
        self.is_holed = !self.holes.is_empty();
    }

    /// The receiver holds `start..end`: adds to `delivered` each segment of it that was not known
    /// to have arrived.
    pub(crate) fn sack(
        &mut self,
        start: u64,
        end: u64,
        evidence: Evidence,
        delivered: &mut Vec<(u64, Slot)>,
    ) {
        // A segment out of order leaves the stamp as it was (RFC 7323 section 4.3): the stamp says
        // nothing here.
        let evidence = Evidence { echo: Time::NEVER, ..evidence };
        let start = start.max(self.una);
        let end = end.min(self.next);
        if start >= end {
            return;
        }
        self.is_holed = true;
        let mut sacked = std::mem::take(&mut self.holes.sacked);
        sacked.insert(start..end, |new| {
            for number in new {
                let flags = self.slot(number).flags;
                if flags.has(Flags::LOST) || flags.has(Flags::RETRANSMITTED) {
                    self.settle_lost(number, flags);
                }
                self.slot_mut(number).flags.set(Flags::SACKED);
                self.sacked_out += 1;
                let mut slot = self.deliver(number, evidence);
                slot.flags = slot.flags.with(Flags::LOST, flags.has(Flags::LOST));
                delivered.push((number, slot));
            }
        });
        self.holes.sacked = sacked;
    }

    /// A segment presumed lost or retransmitted has been delivered after all.
    #[cold]
    fn settle_lost(&mut self, number: u64, flags: Flags) {
        if flags.has(Flags::LOST) {
            self.lost_out -= 1;
            self.holes.to_retransmit.remove(number);
        }
        if flags.has(Flags::RETRANSMITTED) {
            self.retrans_out -= 1;
        }
        let flags = &mut self.slot_mut(number).flags;
        flags.clear(Flags::LOST);
        flags.clear(Flags::RETRANSMITTED);
    }

    #[inline]
    fn deliver(&mut self, number: u64, evidence: Evidence) -> Slot {
        let slot = *self.slot(number);
        let resent = slot.flags.has(Flags::EVER_RETRANSMITTED);
        if number < self.highest {
            if !resent && self.detection != LossDetection::Dupack {
                self.note_reordering(number);
            }
        } else {
            self.highest = number + 1;
        }
        // RFC 8985 section 6.2 step 2: a cumulative acknowledgement that echoes an older stamp, or
        // any that comes too early, may be of the original and says nothing of the retransmission.
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

    /// Presumes lost the latest transmission of a segment.
    fn mark_lost(&mut self, number: u64) {
        let flags = self.slot(number).flags;
        if flags.has(Flags::RETRANSMITTED) {
            self.retrans_out -= 1;
            self.slot_mut(number).flags.clear(Flags::RETRANSMITTED);
        }
        if !flags.has(Flags::LOST) {
            self.lost_out += 1;
            self.slot_mut(number).flags.set(Flags::LOST);
        }
        self.is_holed = true;
        self.holes.to_retransmit.insert(number..number + 1, |_| {});
    }

    /// After a timeout, presumes everything lost that SACK has not acknowledged; calls `lost` for
    /// each transmission not presumed lost before. With RACK, what left less than a round trip ago
    /// and is not the first keeps its chance (RFC 8985 section 6.3, Linux `tcp_timeout_mark_lost`).
    pub(crate) fn give_up(&mut self, now: Time, mut lost: impl FnMut(u64, Slot)) {
        let chance =
            if self.detection == LossDetection::Rack { self.newest_rtt } else { Span::ZERO };
        let mut kept = self.next;
        for number in self.una..self.next {
            let slot = *self.slot(number);
            if slot.flags.has(Flags::SACKED)
                || (slot.flags.has(Flags::LOST) && !slot.flags.has(Flags::RETRANSMITTED))
            {
                continue;
            }
            if number != self.una && slot.sent_at + chance > now {
                kept = kept.min(number);
                continue;
            }
            self.mark_lost(number);
            lost(number, slot);
        }
        let mut again = std::mem::take(&mut self.holes.retransmissions);
        again.retain(|again| self.is_under_way(again.number, again.sent_at));
        self.holes.retransmissions = again;
        self.scanned = kept;
    }

    /// Nothing was lost after all: clears every mark. Segments sent again and then given up count
    /// as under way once more.
    pub(crate) fn unmark_lost(&mut self) {
        let mut again: Vec<Retransmission> = std::mem::take(&mut self.holes.retransmissions).into();
        for number in self.una..self.next {
            let flags = self.slot(number).flags;
            if flags.has(Flags::LOST) {
                self.slot_mut(number).flags.clear(Flags::LOST);
                self.lost_out -= 1;
            }
            if flags.has(Flags::EVER_RETRANSMITTED) && !flags.has(Flags::SACKED) {
                again.push(Retransmission {
                    number,
                    sent_at: self.slot(number).sent_at,
                    next: self.next,
                });
            }
        }
        again.sort_by_key(|again| (again.sent_at, again.number));
        again.dedup_by_key(|again| (again.sent_at, again.number));
        self.holes.retransmissions = again.into();
        self.holes.to_retransmit.clear();
        self.is_holed = !self.holes.is_empty();
        self.scanned = self.una;
    }
}

/// The outstanding entries of a ring, in a ring twice as large.
fn moved_to_larger<T: Copy + Default>(ring: &[T], outstanding: Range<u64>, mask: usize) -> Vec<T> {
    let mut larger = vec![T::default(); mask + 1];
    for number in outstanding {
        larger[number as usize & mask] = ring[number as usize & (ring.len() - 1)];
    }
    larger
}
