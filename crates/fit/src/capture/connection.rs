//! One direction of a connection, packet by packet, as its sender saw it.

use super::packet::{Flow, Packet};
use crate::measured::{Measured, Origin, Point};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Data that was sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Sequence numbers of the first byte and of that behind the last one, counted from the first
    /// byte of the connection.
    begin: u64,
    end: u64,
    at: Duration,
    /// False if a part of the data was retransmitted. Its acknowledgement then gives no round trip.
    is_single: bool,
    /// False of less than half a segment. Its acknowledgement gives no round trip either, because
    /// links take less time for it than for the packets of which the base round trip is computed.
    is_full: bool,
}

/// Follows the data of one direction, and the acknowledgements of the data.
pub struct Connection {
    flow: Flow,
    /// Time of the first packet.
    begins: Option<Duration>,
    /// Sequence number of byte 0 on the wire.
    first: Option<u32>,
    /// Times of the first packet of this direction and of the other one, if they are SYNs.
    syn: [Option<Duration>; 2],
    /// Least time from a SYN to the answer, and true if the sender of the data sent the SYN.
    handshake: Option<(Duration, bool)>,
    /// Next new byte.
    next: u64,
    /// All bytes below this one have arrived.
    arrived: u64,
    /// Ranges above `arrived` that have arrived.
    above: BTreeMap<u64, u64>,
    /// Data in flight that was sent once, in order.
    under_way: VecDeque<Sent>,
    largest: u32,
    headers: u32,
    mss: Option<u16>,
    has_timestamps: bool,
    /// Bytes retransmitted since the last point, and in total.
    resent: [f64; 2],
    sent: f64,
    points: Vec<Point>,
}

/// Seconds that no handshake over a network takes. Captures of simulated flows have shortened ones.
const SHORTENED: f64 = 1e-6;

impl Connection {
    /// Starts to follow a direction.
    pub fn new(flow: Flow) -> Connection {
        Connection {
            flow,
            begins: None,
            first: None,
            syn: [None; 2],
            handshake: None,
            next: 0,
            arrived: 0,
            above: BTreeMap::new(),
            under_way: VecDeque::new(),
            largest: 0,
            headers: 0,
            mss: None,
            has_timestamps: false,
            resent: [0.0; 2],
            sent: 0.0,
            points: Vec::new(),
        }
    }

    /// Takes the next packet of the file.
    pub fn take(&mut self, at: Duration, packet: Packet) {
        if packet.flow == self.flow {
            self.begins.get_or_insert(at);
            self.forward(at, &packet);
        } else if packet.flow == self.flow.back() {
            self.begins.get_or_insert(at);
            self.back(at, &packet);
        }
    }

    /// Returns a sequence number on the wire as an offset from the first byte, nearest to `near`.
    fn counted(&self, number: u32, near: u64) -> Option<u64> {
        let offset = number.wrapping_sub(self.first?);
        let ahead = offset.wrapping_sub(near as u32) as i32;
        near.checked_add_signed(i64::from(ahead))
    }

    fn forward(&mut self, at: Duration, packet: &Packet) {
        if packet.is_syn {
            self.first = Some(packet.seq.wrapping_add(1));
            self.syn[0] = Some(at);
            self.mss = self.mss.or(packet.mss);
            // This packet answers the other side's SYN.
            if let Some(other) = self.syn[1] {
                self.handshaken(at.saturating_sub(other), false);
            }
            return;
        }
        if packet.payload == 0 {
            // The third packet of the handshake. Captured at its sender, it gives no round trip.
            return;
        }
        self.first.get_or_insert(packet.seq);
        self.largest = self.largest.max(packet.payload);
        self.headers = self.headers.max(packet.headers);
        self.has_timestamps |= packet.has_timestamps;
        self.sent += f64::from(packet.payload);
        let Some(begin) = self.counted(packet.seq, self.next) else { return };
        let end = begin + u64::from(packet.payload);
        if begin < self.next {
            let again = end.min(self.next).saturating_sub(begin);
            self.resent.iter_mut().for_each(|own| *own += again as f64);
            // A super-segment may be repeated in parts.
            for own in self.under_way.iter_mut().filter(|own| own.begin < end && begin < own.end) {
                own.is_single = false;
            }
        }
        if end > self.next {
            let full = self.mss.map_or(self.largest, u32::from);
            let is_full = 2 * packet.payload >= full;
            let is_single = begin >= self.next;
            self.under_way.push_back(Sent { begin, end, at, is_single, is_full });
            self.next = end;
        }
    }

    fn back(&mut self, at: Duration, packet: &Packet) {
        if packet.is_syn {
            self.syn[1] = Some(at);
            self.mss = self.mss.map(|own| own.min(packet.mss.unwrap_or(own))).or(packet.mss);
            if let (Some(own), Some(_)) = (self.syn[0], packet.ack) {
                self.handshaken(at.saturating_sub(own), true);
            }
            return;
        }
        // This packet ends the handshake of a connection that the receiver opened.
        if self.next == 0
            && let (Some(own), Some(other)) = (self.syn[0], self.syn[1])
            && own >= other
        {
            self.handshaken(at.saturating_sub(own), true);
        }
        let Some(ack) = packet.ack.and_then(|ack| self.counted(ack, self.arrived)) else { return };
        if ack > self.next {
            // It acknowledges data that is not in the file: the capture lost packets.
            return;
        }
        let before = self.delivered();
        let mut newest = None;
        for (from, to) in packet.blocks.into_iter().flatten() {
            let (Some(from), Some(to)) =
                (self.counted(from, self.arrived), self.counted(to, self.arrived))
            else {
                continue;
            };
            // A range below the acknowledgement reports a duplicate (RFC 2883).
            if ack <= from && from < to && to <= self.next {
                let sent = self.latest_below(to, from);
                if self.add(from, to) {
                    newest = newest.max(sent);
                }
            }
        }
        if ack > self.arrived {
            newest = newest.max(self.latest_below(ack, self.arrived));
            self.arrived = ack;
            self.above.retain(|_, to| *to > ack);
            while self.under_way.front().is_some_and(|own| own.end <= ack) {
                self.under_way.pop_front();
            }
        }
        let delivered = self.delivered();
        if delivered > before || self.resent[0] > 0.0 {
            let since = at.saturating_sub(self.begins.unwrap_or(at)).as_secs_f64();
            self.points.push(Point {
                at: since,
                delivered: delivered as f64,
                rtt: newest.map(|sent| at.saturating_sub(sent).as_secs_f64()),
                resent: std::mem::take(&mut self.resent[0]),
            });
        }
    }

    /// Keeps the least handshake time, measured at the side that opened the connection.
    fn handshaken(&mut self, took: Duration, is_senders: bool) {
        if self.handshake.is_none_or(|(least, _)| is_senders && took < least) {
            self.handshake = Some((took, is_senders));
        }
    }

    /// Returns the number of bytes that have arrived.
    fn delivered(&self) -> u64 {
        let above: u64 = self.above.iter().map(|(from, to)| to - (*from).max(self.arrived)).sum();
        self.arrived + above
    }

    /// Adds a range that has arrived. Returns true if some of it is new.
    fn add(&mut self, mut from: u64, mut to: u64) -> bool {
        let within = self.above.range(..=from).next_back();
        if within.is_some_and(|(_, end)| *end >= to) {
            return false;
        }
        let touched: Vec<(u64, u64)> = self
            .above
            .range(..=to)
            .filter(|(_, end)| **end >= from)
            .map(|(from, to)| (*from, *to))
            .collect();
        for (start, end) in touched {
            self.above.remove(&start);
            (from, to) = (from.min(start), to.max(end));
        }
        self.above.insert(from, to);
        true
    }

    /// Returns the time at which the last data with an end in (`from`, `to`] was sent. `None` if it
    /// was retransmitted or is short, or if a part of it was known to have arrived: such data waited
    /// for earlier data that was missing, so its acknowledgement gives no round trip.
    fn latest_below(&self, to: u64, from: u64) -> Option<Duration> {
        let index = self.under_way.partition_point(|own| own.end <= to).checked_sub(1)?;
        let own = self.under_way[index];
        let above = self.above.range(..own.end).next_back();
        let is_known = above.is_some_and(|(_, to)| *to >= own.end);
        (own.end > from && own.is_single && own.is_full && !is_known).then_some(own.at)
    }

    /// Returns the measurement, or the reason why it cannot be made.
    pub fn finish(self) -> Result<Measured, &'static str> {
        if let Some((_, false)) = self.handshake {
            return Err("it was made at the receiver, where round trips cannot be seen");
        }
        if self.points.iter().filter(|point| point.rtt.is_some()).count() < 100 {
            return Err("fewer than a hundred of its acknowledgements have a round trip");
        }
        let options = if self.has_timestamps { 12.0 } else { 0.0 };
        // Super-segments (segmentation offload) are larger than packets on the wire. The negotiated
        // size does not count options (RFC 6691).
        let agreed = self.mss.map_or(1460.0, f64::from) - options;
        let mss = f64::from(self.largest).min(agreed).max(1.0);
        let mut points = self.points;
        points.iter_mut().for_each(|point| point.resent /= mss);
        Ok(Measured {
            origin: Origin::Capture,
            controller: None,
            mss,
            headers: f64::from(self.headers),
            least_rtt: self
                .handshake
                .map(|(took, _)| took.as_secs_f64())
                .filter(|took| *took > SHORTENED),
            sent: self.sent / mss,
            points,
            remark: self.handshake.is_none().then(|| {
                "The capture does not have the beginning of the connection, so it may have been made at the receiver, where round trips cannot be seen.".to_owned()
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// iperf3 first sends 37 bytes, whose round trip is shorter than those of full packets.
    #[test]
    fn short_segments_give_no_round_trip() {
        let [here, there] = ["10.0.0.1:1000", "10.0.0.2:5201"].map(|own| own.parse().unwrap());
        let flow = Flow { from: here, to: there };
        let mut own = Connection::new(flow);
        let mut packet = |ms, flow, seq, ack, payload, is_syn| {
            own.take(
                Duration::from_millis(ms),
                Packet {
                    flow,
                    seq,
                    ack,
                    payload,
                    headers: 40,
                    is_syn,
                    mss: is_syn.then_some(1460),
                    has_timestamps: false,
                    blocks: [None; 4],
                },
            );
        };
        packet(0, flow, 0, None, 0, true);
        packet(80, flow.back(), 0, Some(1), 0, true);
        packet(81, flow, 1, Some(1), 37, false);
        packet(81, flow, 38, Some(1), 1460, false);
        packet(161, flow.back(), 1, Some(38), 0, false);
        packet(167, flow.back(), 1, Some(1498), 0, false);
        let found: Vec<(f64, Option<f64>)> =
            own.points.iter().map(|point| (point.delivered, point.rtt)).collect();
        assert_eq!(found, [(37.0, None), (1497.0, Some(0.086))]);
        assert_eq!(own.handshake, Some((Duration::from_millis(80), true)));
    }
}
