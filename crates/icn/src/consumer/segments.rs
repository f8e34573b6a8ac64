//! Which segments have come, are asked for, or must be asked for again.

use crate::Class;
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The segments of one content, asked for in order. Every operation takes constant time on average, and what is kept is bounded by [`MOST`] segments.
#[derive(Clone, Debug)]
pub(crate) struct Segments {
    /// Those from `base` to `next`, in a ring.
    slots: Vec<Slot>,
    /// First segment that has not come.
    base: u64,
    /// First segment never asked for.
    next: u64,
    /// One past the last; `None` without end.
    end: Option<u64>,
    in_flight: usize,
    /// To be asked for again, in this order. The first one still is; others may have come meanwhile.
    again: VecDeque<u64>,
    /// Interests in the order in which they left, by how often their segment has timed out: all of a queue are given up after the same time.
    timers: [VecDeque<Armed>; LEVELS],
}

/// One segment's latest Interest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    state: State,
    pub(crate) class: Class,
    timeouts: u8,
    /// How often it was asked for.
    pub(crate) sends: u32,
    pub(crate) nonce: u32,
    pub(crate) sent_at: Time,
    /// The subflow that it was sent over, if it was not to find its way.
    pub(crate) path: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    InFlight,
    Again,
    Come,
}

#[derive(Clone, Copy, Debug)]
struct Armed {
    segment: u64,
    sends: u32,
    sent_at: Time,
}

/// What Data turned out to be.
pub(crate) enum Arrival {
    /// The first of its segment.
    New(Slot),
    /// Had come before.
    Duplicate,
    /// Was not asked for.
    Unsolicited,
}

/// Most segments beyond the first one missing that are asked for: half a second of Data of 1 kB at 2 Gbit/s.
pub(crate) const MOST: u64 = 1 << 17;
const INITIAL: usize = 16;
/// 200 ms doubles three times and is with the next one at [`LONGEST`].
const LEVELS: usize = 5;
/// Longest wait for an answer.
pub(crate) const LONGEST: Span = Span::from_secs(2);

impl Segments {
    pub(crate) fn new(end: Option<u64>) -> Segments {
        Segments {
            slots: vec![Slot::default(); INITIAL],
            base: 0,
            next: 0,
            end,
            in_flight: 0,
            again: VecDeque::new(),
            timers: Default::default(),
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

    fn is(&self, segment: u64, state: State) -> bool {
        (self.base..self.next).contains(&segment) && self.slot(segment).state == state
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// True once all have come.
    pub(crate) fn complete(&self) -> bool {
        self.end.is_some_and(|end| self.base >= end)
    }

    /// True if there is a segment to ask for.
    pub(crate) fn wanting(&self) -> bool {
        !self.again.is_empty() || (self.end.is_none_or(|end| self.next < end) && self.next - self.base < MOST)
    }

    /// The Interest of `segment` whose nonce this is, while in flight.
    pub(crate) fn in_flight_as(&self, segment: u64, nonce: u32) -> Option<Slot> {
        let known = self.is(segment, State::InFlight) && self.slot(segment).nonce == nonce;
        known.then(|| *self.slot(segment))
    }

    /// An Interest for the next segment leaves; returns the segment and how often it has been asked for, this time included. Call only while
    /// [`wanting`](Segments::wanting). Without a timer until [`arm`](Segments::arm).
    pub(crate) fn send(&mut self, now: Time, class: Class, nonce: u32, path: Option<u64>) -> (u64, u32) {
        let segment = match self.again.pop_front() {
            Some(segment) => segment,
            None => self.add(),
        };
        let slot = self.slot_mut(segment);
        *slot =
            Slot { state: State::InFlight, class, sends: slot.sends.saturating_add(1), nonce, sent_at: now, path, timeouts: slot.timeouts };
        let sends = slot.sends;
        self.in_flight += 1;
        self.tidy();
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

    /// From now on the Interest of `segment` that is in flight is given up when its time is over; nothing if none is. Call in the order in which Interests leave.
    pub(crate) fn arm(&mut self, segment: u64) {
        if self.is(segment, State::InFlight) {
            let slot = *self.slot(segment);
            self.timers[usize::from(slot.timeouts)].push_back(Armed { segment, sends: slot.sends, sent_at: slot.sent_at });
        }
    }

    /// Data of `segment` came.
    pub(crate) fn come(&mut self, segment: u64) -> Arrival {
        if segment >= self.next {
            return Arrival::Unsolicited;
        }
        if segment < self.base || self.slot(segment).state == State::Come {
            return Arrival::Duplicate;
        }
        let slot = *self.slot(segment);
        self.in_flight -= usize::from(slot.state == State::InFlight);
        self.slot_mut(segment).state = State::Come;
        while self.is(self.base, State::Come) {
            self.base += 1;
        }
        self.tidy();
        Arrival::New(slot)
    }

    /// The Interest of `segment` in flight failed: it is to be asked for again. False if none was in flight.
    pub(crate) fn fail(&mut self, segment: u64) -> bool {
        let failed = self.is(segment, State::InFlight);
        if failed {
            self.slot_mut(segment).state = State::Again;
            self.in_flight -= 1;
            self.again.push_back(segment);
            self.tidy();
        }
        failed
    }

    /// Gives up what was sent too long ago: `rto` doubles with each time that a segment was given up, to 2 s. Returns how many there were.
    pub(crate) fn expire(&mut self, now: Time, rto: Span) -> u64 {
        let mut expired = 0;
        for level in 0..LEVELS {
            while let Some(&Armed { segment, sends, sent_at }) = self.timers[level].front() {
                if self.waits(segment, sends) {
                    if sent_at + patience(rto, level) > now {
                        break;
                    }
                    self.slot_mut(segment).timeouts = (level + 1).min(LEVELS - 1) as u8;
                    self.timers[level].pop_front();
                    self.fail(segment);
                    expired += 1;
                } else {
                    self.timers[level].pop_front();
                }
            }
        }
        expired
    }

    /// When [`expire`](Segments::expire) is wanted next.
    pub(crate) fn due(&self, rto: Span) -> Time {
        let due = |(level, timers): (usize, &VecDeque<Armed>)| timers.front().map(|armed| armed.sent_at + patience(rto, level));
        self.timers.iter().enumerate().filter_map(due).min().unwrap_or(Time::NEVER)
    }

    fn waits(&self, segment: u64, sends: u32) -> bool {
        self.is(segment, State::InFlight) && self.slot(segment).sends == sends
    }

    /// Forgets at the heads of all queues what no longer counts.
    fn tidy(&mut self) {
        while self.again.front().is_some_and(|segment| !self.is(*segment, State::Again)) {
            self.again.pop_front();
        }
        for level in 0..LEVELS {
            while self.timers[level].front().is_some_and(|armed| !self.waits(armed.segment, armed.sends)) {
                self.timers[level].pop_front();
            }
        }
    }
}

/// How long an answer may take to an Interest for a segment given up `level` times.
fn patience(rto: Span, level: usize) -> Span {
    (rto * (1 << level)).min(LONGEST.max(rto))
}
