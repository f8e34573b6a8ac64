//! Packets in flight, and the rate at which they are delivered.

use narrows_control::{RateSample, Tag};
use narrows_units::{Span, Time};
use std::collections::VecDeque;
use std::time::Instant;

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The number that the controller knows it by: packets are counted from 0.
    pub(crate) number: u64,
    /// The library's packet number. Numbers of the three spaces of QUIC overlap.
    packet: u64,
    sent: Instant,
    pub(crate) sent_at: Time,
    pub(crate) bytes: u32,
    pub(crate) tag: Tag,
    pub(crate) app_limited: bool,
    stamp: Stamp,
    open: bool,
}

/// The state of delivery when a packet left.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
}

/// Settled packets that may stay among those in flight before room is made.
const SETTLED: usize = 16;

/// Packets in flight, in the order in which they left.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    slots: VecDeque<Slot>,
    pub(crate) bytes: u64,
    pub(crate) packets: u32,
    /// Packets sent so far: the number of the next.
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    pub(crate) lost: u64,
    first_sent: Time,
    delivered_at: Time,
    newest: Option<Slot>,
}

impl Flight {
    /// A packet leaves at `now`, which is `at` for the controller.
    pub(crate) fn send(
        &mut self,
        (now, at): (Instant, Time),
        packet: u64,
        bytes: u64,
        (tag, app_limited): (Tag, bool),
    ) {
        if self.packets == 0 {
            (self.first_sent, self.delivered_at) = (at, at);
        }
        let Flight { first_sent, delivered, delivered_at, sent: number, .. } = *self;
        let stamp = Stamp { first_sent, delivered, delivered_at };
        let bytes = bytes as u32;
        let slot = Slot {
            number,
            packet,
            sent: now,
            sent_at: at,
            bytes,
            tag,
            app_limited,
            stamp,
            open: true,
        };
        self.slots.push_back(slot);
        self.sent += 1;
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    /// First packet that may be in flight still.
    pub(crate) fn una(&self) -> u64 {
        self.slots.front().map_or(self.sent, |slot| slot.number)
    }

    /// Takes out a packet that left at `sent`: the packet with this number, or any without a number.
    /// Times of departure are in order, so it is found by its time, and then by its number.
    pub(crate) fn take_sent(&mut self, sent: Instant, packet: Option<u64>) -> Option<Slot> {
        let first = self.slots.partition_point(|slot| slot.sent < sent);
        let place = (first..self.slots.len())
            .take_while(|place| self.slots[*place].sent == sent)
            .find(|place| self.is(*place, packet))?;
        Some(self.close(place))
    }

    /// Takes out the oldest packet with this number.
    pub(crate) fn take_numbered(&mut self, packet: u64) -> Option<Slot> {
        let place = (0..self.slots.len()).find(|place| self.is(*place, Some(packet)))?;
        Some(self.close(place))
    }

    /// Takes out the oldest packet, if it left at `sent` or before.
    pub(crate) fn take_oldest(&mut self, sent: Option<Instant>) -> Option<Slot> {
        let place = self.slots.iter().position(|slot| slot.open)?;
        sent.is_none_or(|sent| self.slots[place].sent <= sent).then(|| self.close(place))
    }

    fn is(&self, place: usize, packet: Option<u64>) -> bool {
        let slot = &self.slots[place];
        slot.open && packet.is_none_or(|packet| slot.packet == packet)
    }

    fn close(&mut self, place: usize) -> Slot {
        let slot = &mut self.slots[place];
        slot.open = false;
        let slot = *slot;
        self.packets -= 1;
        self.bytes -= u64::from(slot.bytes);
        while self.slots.front().is_some_and(|slot| !slot.open) {
            self.slots.pop_front();
        }
        // An old packet whose fate stays open keeps settled ones behind it.
        if self.slots.len() > 2 * self.packets as usize + SETTLED {
            self.slots.retain(|slot| slot.open);
        }
        slot
    }

    /// Counts a packet as delivered at `at`.
    pub(crate) fn deliver(&mut self, at: Time, slot: &Slot) {
        self.delivered += 1;
        self.delivered_at = at;
        if self.newest.is_none_or(|newest| slot.sent_at >= newest.sent_at) {
            self.first_sent = slot.sent_at;
            self.newest = Some(*slot);
        }
    }

    /// The newest packet delivered since the last call, and the rate sample that it gives, without
    /// an interval if that is shorter than the least round trip.
    pub(crate) fn sample(&mut self, at: Time, min_rtt: Span) -> Option<(Slot, RateSample)> {
        let newest = self.newest.take()?;
        let Stamp { first_sent, delivered, delivered_at } = newest.stamp;
        let send_interval = newest.sent_at.since(first_sent);
        let ack_interval = at.since(delivered_at);
        let interval = send_interval.max(ack_interval);
        let mut sample = RateSample::over((self.delivered - delivered) as u32, interval, delivered);
        if interval < min_rtt || interval.is_zero() {
            sample.interval = None;
        }
        (sample.send_interval, sample.ack_interval) = (send_interval, ack_interval);
        sample.app_limited = newest.app_limited;
        sample.end = newest.number + 1;
        Some((newest, sample))
    }

    /// Slots kept, settled ones included.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.slots.len()
    }
}
