//! The packets that a transmitter has been given, with their departures.

use narrows_measure::Histogram;
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// A packet in transmission and those that wait behind it with departures already known. Departures
/// are looked for when somebody asks or there is no more room.
///
/// Every packet touches what comes first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Transmissions {
    line: VecDeque<Transmission>,
    /// Bytes of all packets since the start.
    given: u64,
    /// Transmissions at the head of the line that are known to have departed when the latest packet
    /// arrives.
    ahead: usize,
    /// Bytes up to and with the first of the others, which is in transmission then.
    in_service: u64,
    /// When the packet before the first has departed.
    free_at: Time,
    /// The delay of the first is in `queueing`.
    counted: bool,
    pub(crate) departed: u64,
    departed_bytes: u64,
    pub(crate) queueing: Histogram,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    pub(crate) arrived: Time,
    pub(crate) departure: Time,
    /// Work that the transmitter has gained by rounding up the departure.
    pub(crate) spare: u64,
    /// Bytes of all packets since the start up to this one.
    end: u64,
}

/// Room for so many packets is made at least.
const LEAST_ROOM: usize = 16;

impl Transmissions {
    /// A further packet, of `size` bytes.
    #[inline]
    pub(crate) fn push(&mut self, arrived: Time, departure: Time, spare: u64, size: u64) {
        self.given += size;
        self.in_service = if self.line.len() == self.ahead { self.given } else { self.in_service };
        self.line.push_back(Transmission { arrived, departure, spare, end: self.given });
    }

    /// All that have departed by `t` leave the line. Returns the departure of the last of them.
    pub(crate) fn depart(&mut self, t: Time) -> Option<Time> {
        let mut gone = 0;
        let mut at_once = 0;
        // In registers: they change with each packet.
        let mut counted = self.counted;
        let mut free_at = self.free_at;
        for first in &self.line {
            if !counted {
                let start = first.arrived.max(free_at);
                if start > t {
                    break;
                }
                counted = true;
                match start.since(first.arrived) {
                    Span::ZERO => at_once += 1,
                    delay => self.queueing.record(delay),
                }
            }
            if first.departure > t {
                break;
            }
            gone += 1;
            free_at = first.departure;
            counted = false;
        }
        (self.counted, self.free_at) = (counted, free_at);
        self.queueing.record_zeros(at_once);
        if gone == 0 {
            return None;
        }
        self.departed_bytes = self.line[gone - 1].end;
        self.line.drain(..gone);
        self.departed += gone as u64;
        match self.ahead.checked_sub(gone) {
            Some(left) => self.ahead = left,
            None => {
                (self.ahead, self.in_service) =
                    (0, self.line.front().map_or(self.given, |first| first.end))
            }
        }
        Some(self.free_at)
    }

    /// True if there is no room for a further packet: those that have departed are to leave.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.line.len() == self.line.capacity()
    }

    /// Makes room for as many as there are, so that departures are seldom looked for.
    #[cold]
    pub(crate) fn make_room(&mut self) {
        self.line.reserve(self.line.len().max(LEAST_ROOM));
    }

    /// No less than what a packet that arrives next finds waiting, the packet in transmission not
    /// counted: bytes and packets.
    #[inline]
    pub(crate) fn at_most_waiting(&self) -> (Bytes, usize) {
        (Bytes::new(self.given - self.in_service), (self.line.len() - self.ahead).saturating_sub(1))
    }

    /// The queue that a packet arriving at `t` finds. Calls come in time order.
    #[inline]
    pub(crate) fn waiting_at(&mut self, t: Time) -> (Bytes, usize) {
        while self.line.get(self.ahead).is_some_and(|next| next.departure <= t) {
            self.ahead += 1;
        }
        self.in_service = self.line.get(self.ahead).map_or(self.given, |first| first.end);
        self.at_most_waiting()
    }

    /// The packet in transmission at `t`, up to which all has departed that does so.
    pub(crate) fn in_service(&self, t: Time) -> Option<InService> {
        let first = self.line.front().filter(|first| first.arrived <= t)?;
        Some(InService {
            transmission: *first,
            size: first.end - self.departed_bytes,
            behind: self.given - first.end,
        })
    }

    /// Packets and bytes that have arrived by `t` and not departed.
    pub(crate) fn present(&self, t: Time) -> (usize, u64) {
        let future = self.line.iter().rev().take_while(|last| last.arrived > t).count();
        let packets = self.line.len() - future;
        let end = packets.checked_sub(1).map_or(self.departed_bytes, |last| self.line[last].end);
        (packets, end - self.departed_bytes)
    }

    /// Bytes of packets that have departed.
    pub(crate) fn departed_bytes(&self) -> Bytes {
        Bytes::new(self.departed_bytes)
    }

    /// All that have not departed, with those still to come.
    pub(crate) fn len(&self) -> usize {
        self.line.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// When the first departs.
    pub(crate) fn first_departure(&self) -> Option<Time> {
        self.line.front().map(|first| first.departure)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Transmission> {
        self.line.iter()
    }

    /// Each packet with its size in bytes.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&mut Transmission, u64)> {
        let mut before = self.departed_bytes;
        self.line.iter_mut().map(move |transmission| {
            let size = transmission.end - before;
            before = transmission.end;
            (transmission, size)
        })
    }
}

/// A packet in transmission.
pub(crate) struct InService {
    pub(crate) transmission: Transmission,
    /// Its bytes.
    pub(crate) size: u64,
    /// The bytes of those behind it.
    pub(crate) behind: u64,
}
