//! The segments of a content: in flight, to be retransmitted, or received.

use crate::packet::Class;
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The segments of one content, requested in order. Every operation takes constant time on average,
/// and at most [`MOST`] segments are kept.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    /// Those from `base` to `next`, in a ring.
    slots: Vec<Slot>,
    /// First segment not received.
    base: u64,
    /// First segment never requested.
    next: u64,
    /// One past the last; `None` without end.
    end: Option<u64>,
    in_flight: usize,
    /// Segments to retransmit, in this order. The first one still is to be; others may have arrived
    /// meanwhile.
    retransmit: VecDeque<u64>,
    /// Timers in the order in which Interests left: all have the same timeout. The first one still
    /// runs.
    timers: VecDeque<Timer>,
}

/// One segment's latest Interest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    state: SegmentState,
    pub(crate) class: Class,
    /// An Interest for it has timed out and may still be answered: the round trip of a later one is
    /// ambiguous (RFC 6298, section 3).
    pub(crate) timed_out: bool,
    /// Interests sent for it.
    pub(crate) sends: u32,
    pub(crate) nonce: u32,
    pub(crate) sent_at: Time,
    /// The subflow to which it was steered, if any.
    pub(crate) path: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SegmentState {
    #[default]
    InFlight,
    Retransmit,
    Received,
}

#[derive(Clone, Copy, Debug)]
struct Timer {
    segment: u64,
    sends: u32,
    sent_at: Time,
}

/// The classification of Data.
pub(crate) enum Arrival {
    /// The first of its segment.
    New(Slot),
    /// The segment was received before.
    Duplicate,
    /// The segment was not requested.
    Unsolicited,
}

/// Most segments requested beyond the first missing one: half a second of Data of 1 kB at 2 Gbit/s.
pub(crate) const MOST: u64 = 1 << 17;
const INITIAL: usize = 16;

impl Segments {
    pub(crate) fn new(end: Option<u64>) -> Segments {
        Segments {
            slots: vec![Slot::default(); INITIAL],
            base: 0,
            next: 0,
            end,
            in_flight: 0,
            retransmit: VecDeque::new(),
            timers: VecDeque::new(),
        }
    }

    fn place(&self, segment: u64) -> usize {
        segment as usize & (self.slots.len() - 1)
    }

    fn slot(&self, segment: u64) -> &Slot {
        &self.slots[self.place(segment)]
    }

    fn slot_mut(&mut self, segment: u64) -> &mut Slot {
        let place = self.place(segment);
        &mut self.slots[place]
    }

    fn is(&self, segment: u64, state: SegmentState) -> bool {
        (self.base..self.next).contains(&segment) && self.slot(segment).state == state
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// True once all are received.
    pub(crate) fn complete(&self) -> bool {
        self.end.is_some_and(|end| self.base >= end)
    }

    /// True if there is a segment to request.
    pub(crate) fn has_next(&self) -> bool {
        !self.retransmit.is_empty()
            || (self.end.is_none_or(|end| self.next < end) && self.next - self.base < MOST)
    }

    /// The Interest of `segment` with this nonce, while in flight.
    pub(crate) fn in_flight_as(&self, segment: u64, nonce: u32) -> Option<Slot> {
        let known = self.is(segment, SegmentState::InFlight) && self.slot(segment).nonce == nonce;
        known.then(|| *self.slot(segment))
    }

    /// Sends an Interest for the next segment. Returns the segment and the Interests sent for it,
    /// this one included. Call it only if [`has_next`](Segments::has_next). The Interest has no
    /// timeout until [`start_timer`](Segments::start_timer).
    pub(crate) fn send(
        &mut self,
        now: Time,
        class: Class,
        nonce: u32,
        path: Option<u64>,
    ) -> (u64, u32) {
        let segment = match self.retransmit.pop_front() {
            Some(segment) => segment,
            None => self.add(),
        };
        let slot = self.slot_mut(segment);
        *slot = Slot {
            state: SegmentState::InFlight,
            class,
            sends: slot.sends.saturating_add(1),
            nonce,
            sent_at: now,
            path,
            timed_out: slot.timed_out,
        };
        let sends = slot.sends;
        self.in_flight += 1;
        self.prune_retransmit();
        (segment, sends)
    }

    fn add(&mut self) -> u64 {
        if (self.next - self.base) as usize == self.slots.len() {
            let mut larger = vec![Slot::default(); self.slots.len() * 2];
            for segment in self.base..self.next {
                larger[segment as usize & (self.slots.len() * 2 - 1)] = *self.slot(segment);
            }
            self.slots = larger;
        }
        let segment = self.next;
        self.next += 1;
        *self.slot_mut(segment) = Slot::default();
        segment
    }

    /// Starts the timeout of the Interest of `segment`, if it is in flight. Call it in the order in
    /// which Interests leave.
    pub(crate) fn start_timer(&mut self, segment: u64) {
        if self.is(segment, SegmentState::InFlight) {
            let slot = *self.slot(segment);
            self.timers.push_back(Timer { segment, sends: slot.sends, sent_at: slot.sent_at });
        }
        if self.timers.len() > 2 * self.in_flight + INITIAL {
            self.drop_outdated_timers();
        }
    }

    /// Segments that are refused and requested again much faster than timeouts pass would leave
    /// timers without end behind the first that runs.
    #[cold]
    fn drop_outdated_timers(&mut self) {
        let mut timers = std::mem::take(&mut self.timers);
        timers.retain(|timer| self.is_current(timer.segment, timer.sends));
        self.timers = timers;
    }

    /// Data of `segment` arrives.
    pub(crate) fn on_data(&mut self, segment: u64) -> Arrival {
        if segment >= self.next {
            return Arrival::Unsolicited;
        }
        if segment < self.base || self.slot(segment).state == SegmentState::Received {
            return Arrival::Duplicate;
        }
        let slot = *self.slot(segment);
        self.in_flight -= usize::from(slot.state == SegmentState::InFlight);
        self.slot_mut(segment).state = SegmentState::Received;
        while self.is(self.base, SegmentState::Received) {
            self.base += 1;
        }
        self.prune();
        Arrival::New(slot)
    }

    /// The Interest of `segment` failed, so that the segment is to be retransmitted. False if none
    /// was in flight.
    pub(crate) fn fail(&mut self, segment: u64) -> bool {
        let failed = self.is(segment, SegmentState::InFlight);
        if failed {
            self.slot_mut(segment).state = SegmentState::Retransmit;
            self.in_flight -= 1;
            self.retransmit.push_back(segment);
            self.prune();
        }
        failed
    }

    /// The Interest of `segment` has not been answered in time. False if none was in flight.
    pub(crate) fn time_out(&mut self, segment: u64) -> bool {
        if self.is(segment, SegmentState::InFlight) {
            self.slot_mut(segment).timed_out = true;
        }
        self.fail(segment)
    }

    /// Times out the Interest that left first, if that is `rto` ago. Returns when it left.
    pub(crate) fn expire(&mut self, now: Time, rto: Span) -> Option<Time> {
        let first = *self.timers.front().filter(|timer| timer.sent_at + rto <= now)?;
        self.time_out(first.segment);
        Some(first.sent_at)
    }

    /// When to call [`expire`](Segments::expire) next.
    pub(crate) fn due(&self, rto: Span) -> Time {
        self.timers.front().map_or(Time::NEVER, |first| first.sent_at + rto)
    }

    fn is_current(&self, segment: u64, sends: u32) -> bool {
        self.is(segment, SegmentState::InFlight) && self.slot(segment).sends == sends
    }

    /// Removes outdated entries from the heads of the queues after the state of a segment has
    /// changed.
    fn prune(&mut self) {
        self.prune_retransmit();
        while self.timers.front().is_some_and(|timer| !self.is_current(timer.segment, timer.sends))
        {
            self.timers.pop_front();
        }
    }

    fn prune_retransmit(&mut self) {
        while self
            .retransmit
            .front()
            .is_some_and(|segment| !self.is(*segment, SegmentState::Retransmit))
        {
            self.retransmit.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_are_refused_again_and_again_leave_few_timers() {
        let mut segments = Segments::new(None);
        let mut now = Time::ZERO;
        let mut send = |segments: &mut Segments| {
            now += Span::from_nanos(1);
            let (segment, _) = segments.send(now, Class::Primary, 0, None);
            segments.start_timer(segment);
            segment
        };
        // One is in flight throughout, so that the first timer runs; ten others are refused and
        // requested again.
        let waiting = send(&mut segments);
        for _ in 0..10 {
            send(&mut segments);
        }
        for round in 0..100_000 {
            assert!(segments.fail(waiting + 1 + round % 10));
            send(&mut segments);
        }
        assert!(
            segments.timers.len() <= 2 * segments.in_flight() + INITIAL,
            "{} timers",
            segments.timers.len()
        );
        let current: Vec<u64> = (0..11)
            .map(|_| {
                segments
                    .expire(now + Span::from_secs(1), Span::from_millis(1))
                    .map(|_| 1)
                    .unwrap_or(0)
            })
            .collect();
        assert_eq!(
            (current, segments.in_flight()),
            (vec![1; 11], 0),
            "each of the eleven has its timer"
        );
    }
}
