//! The packets that a transmitter has been given, with their departures.

use narrows_measure::Histogram;
use narrows_units::{Bytes, Span, Time};
use std::collections::VecDeque;

/// A packet in transmission and those that wait behind it with departures already known.
///
/// Every packet touches what comes first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Transmissions {
    line: VecDeque<Transmission>,
    bytes: u64,
    /// Those at the head of the line that will have departed when the latest packet arrives, if that is still to come.
    ahead: usize,
    ahead_bytes: u64,
    /// When the packet before the first has departed.
    free_at: Time,
    /// The delay of the first is in `queueing`.
    counted: bool,
    pub(crate) departed: u64,
    pub(crate) departed_bytes: Bytes,
    pub(crate) queueing: Histogram,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    pub(crate) arrived: Time,
    pub(crate) departure: Time,
    /// Work that the transmitter has gained by rounding up the departure.
    pub(crate) spare: u64,
    pub(crate) size: u64,
}

/// Room for so many packets is made at least.
const LEAST_ROOM: usize = 16;

impl Transmissions {
    /// A further packet.
    #[inline]
    pub(crate) fn push(&mut self, transmission: Transmission) {
        self.bytes += transmission.size;
        self.line.push_back(transmission);
    }

    /// All that have departed by `t` leave the line. Returns the departure of the last of them.
    pub(crate) fn depart(&mut self, t: Time) -> Option<Time> {
        let (mut gone, mut bytes, mut at_once) = (0, 0, 0);
        for first in &self.line {
            if !self.counted {
                let start = first.arrived.max(self.free_at);
                if start > t {
                    break;
                }
                self.counted = true;
                match start.since(first.arrived) {
                    Span::ZERO => at_once += 1,
                    delay => self.queueing.record(delay),
                }
            }
            if first.departure > t {
                break;
            }
            gone += 1;
            bytes += first.size;
            self.free_at = first.departure;
            self.counted = false;
        }
        self.queueing.record_zeros(at_once);
        if gone == 0 {
            return None;
        }
        for passed in self.line.drain(..gone).take(self.ahead) {
            self.ahead_bytes -= passed.size;
        }
        self.ahead = self.ahead.saturating_sub(gone);
        self.bytes -= bytes;
        self.departed += gone as u64;
        self.departed_bytes += Bytes::new(bytes);
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

    /// What a packet that arrives at `t` will find waiting, the packet in transmission not counted: bytes and packets. Calls come in time order.
    #[inline]
    pub(crate) fn waiting_at(&mut self, t: Time) -> (Bytes, usize) {
        while let Some(next) = self.line.get(self.ahead)
            && next.departure <= t
        {
            self.ahead += 1;
            self.ahead_bytes += next.size;
        }
        let in_service = self.line.get(self.ahead).map_or(0, |first| first.size);
        (Bytes::new(self.bytes - self.ahead_bytes - in_service), (self.line.len() - self.ahead).saturating_sub(1))
    }

    /// The packet in transmission at `t`, up to which all has departed that does so, with the bytes behind it.
    pub(crate) fn in_service(&self, t: Time) -> Option<(Transmission, u64)> {
        let first = self.line.front().filter(|first| first.arrived <= t)?;
        Some((*first, self.bytes - first.size))
    }

    /// Packets and bytes that have arrived by `t` and not departed.
    pub(crate) fn present(&self, t: Time) -> (usize, u64) {
        let future = self.line.iter().rev().take_while(|last| last.arrived > t);
        future.fold((self.line.len(), self.bytes), |(packets, bytes), last| (packets - 1, bytes - last.size))
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

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Transmission> {
        self.line.iter_mut()
    }
}
