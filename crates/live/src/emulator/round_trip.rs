//! Round trips of TCP, measured where packets leave and reach the sender's host.

use crate::wire::{Endpoints, Tcp};
use narrows_units::{Span, Time};
use std::collections::{BTreeMap, VecDeque};

/// The segments in flight on the connections of a flow, by their endpoints in its direction.
#[derive(Debug, Default)]
pub struct RoundTrips(BTreeMap<Endpoints, Flight>);

/// The segments in flight on a connection, in order and without gaps.
#[derive(Debug)]
struct Flight {
    segments: VecDeque<Segment>,
    /// Sequence number after the last sent byte.
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Sequence number after its last byte.
    end: u32,
    sent: Time,
    /// True if it was retransmitted or acknowledged, so that it gives no sample (Karn and Partridge
    /// 1987).
    spent: bool,
}

/// True if `a` equals `b` or comes before it, in sequence number arithmetic (RFC 9293 section 3.4).
fn reaches(a: u32, b: u32) -> bool {
    b.wrapping_sub(a) as i32 >= 0
}

impl RoundTrips {
    /// Forgets all segments between these endpoints, because the sender's SYN begins a new
    /// connection.
    pub fn opened(&mut self, ends: &Endpoints) {
        self.0.remove(ends);
    }

    /// Records a segment with payload that leaves the sender.
    pub fn sent(&mut self, now: Time, ends: Endpoints, tcp: &Tcp) {
        let flight = self.0.entry(ends).or_insert_with(|| Flight::new(tcp.sequence));
        flight.sent(now, tcp.sequence, tcp.sequence.wrapping_add(tcp.payload as u32));
    }

    /// Takes an acknowledgement that reaches the sender. Returns the round trip of the newest
    /// segment that it is the first to acknowledge, if that segment was sent only once.
    pub fn acknowledged(&mut self, at: Time, ends: &Endpoints, tcp: &Tcp) -> Option<Span> {
        let flight = self.0.get_mut(ends)?;
        let selective =
            tcp.sack_blocks().filter_map(|(start, end)| flight.sacked(start, end)).max();
        let sent = selective.max(flight.acknowledged(tcp.acknowledgement));
        if flight.segments.is_empty() && flight.next.wrapping_add(1) == tcp.acknowledgement {
            // The FIN is acknowledged too.
            self.0.remove(ends);
        }
        sent.map(|sent| at.since(sent))
    }
}

impl Flight {
    /// Makes an empty flight; `next` is the sequence number of the connection's first byte.
    fn new(next: u32) -> Flight {
        Flight { segments: VecDeque::new(), next }
    }

    fn sent(&mut self, now: Time, start: u32, end: u32) {
        if reaches(self.next, start) {
            self.segments.push_back(Segment { end, sent: now, spent: false });
            self.next = end;
            return;
        }
        let first = self.segments.partition_point(|segment| reaches(segment.end, start));
        for segment in self.segments.range_mut(first..) {
            segment.spent = true;
            if reaches(end, segment.end) {
                break;
            }
        }
        if !reaches(end, self.next) {
            self.segments.push_back(Segment { end, sent: now, spent: true });
            self.next = end;
        }
    }

    /// Removes all segments up to `next`. Returns the sending time of the newest one that gives a
    /// sample.
    fn acknowledged(&mut self, next: u32) -> Option<Time> {
        let mut newest = None;
        while let Some(segment) =
            self.segments.front().copied().filter(|segment| reaches(segment.end, next))
        {
            self.segments.pop_front();
            newest = (!segment.spent).then_some(segment.sent).or(newest);
        }
        newest
    }

    /// Marks the segments of a SACK block as acknowledged. Returns the sending time of the newest
    /// one that gives a sample. Blocks usually grow at their end, so segments before a marked one
    /// are marked already.
    fn sacked(&mut self, start: u32, end: u32) -> Option<Time> {
        let after = self.segments.partition_point(|segment| reaches(segment.end, end));
        let mut newest = None;
        for segment in self.segments.range_mut(..after).rev() {
            if segment.spent || reaches(segment.end, start) {
                break;
            }
            newest = newest.max(Some(segment.sent));
            segment.spent = true;
        }
        newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Four segments of 1000 bytes at 0, 1, 2 and 3 ms, across the wrap of sequence numbers.
    fn flight() -> Flight {
        let mut flight = Flight::new(FIRST);
        for index in 0..4u32 {
            let start = (index * 1000).wrapping_sub(1500);
            flight.sent(ms(index.into()), start, start.wrapping_add(1000));
        }
        flight
    }

    const FIRST: u32 = 0u32.wrapping_sub(1500);

    fn byte(offset: u32) -> u32 {
        FIRST.wrapping_add(offset)
    }

    #[test]
    fn an_acknowledgement_is_a_sample_of_the_newest_segment_it_covers() {
        let mut flight = flight();
        assert_eq!(flight.acknowledged(byte(999)), None, "not whole");
        assert_eq!(flight.acknowledged(byte(2000)), Some(ms(1)));
        assert_eq!(flight.acknowledged(byte(2000)), None, "again");
        assert_eq!(flight.acknowledged(byte(4000)), Some(ms(3)));
    }

    #[test]
    fn what_was_sent_twice_is_no_sample() {
        let mut flight = flight();
        flight.sent(ms(50), byte(1000), byte(2000));
        assert_eq!(flight.acknowledged(byte(2000)), Some(ms(0)), "the one before was sent once");
        flight.sent(ms(51), byte(2000), byte(4000));
        flight.sent(ms(51), byte(4000), byte(5000));
        assert_eq!(flight.acknowledged(byte(4000)), None);
        assert_eq!(flight.acknowledged(byte(5000)), Some(ms(51)));
    }

    #[test]
    fn a_selective_acknowledgement_is_a_sample_once() {
        let mut flight = flight();
        assert_eq!(flight.sacked(byte(1000), byte(2000)), Some(ms(1)));
        assert_eq!(flight.sacked(byte(1000), byte(3000)), Some(ms(2)));
        assert_eq!(flight.sacked(byte(1000), byte(3000)), None);
        assert_eq!(flight.acknowledged(byte(3000)), Some(ms(0)));
        assert_eq!(flight.acknowledged(byte(4000)), Some(ms(3)));
    }

    #[test]
    fn connections_of_one_port_are_told_apart_and_begin_anew() {
        let ends = |to: &str, port| Endpoints {
            source: "10.0.0.1".parse().unwrap(),
            destination: to.parse().unwrap(),
            protocol: 6,
            source_port: 40_000,
            destination_port: port,
        };
        let (one, other) = (ends("10.0.0.2", 80), ends("10.0.0.3", 80));
        let tcp = |sequence, acknowledgement, payload| {
            let mut tcp = Tcp::default();
            (tcp.sequence, tcp.acknowledgement, tcp.payload) = (sequence, acknowledgement, payload);
            tcp
        };
        let (data, ack) =
            (|sequence| tcp(sequence, 0, 1000), |acknowledgement| tcp(0, acknowledgement, 0));
        let mut trips = RoundTrips::default();
        trips.sent(ms(0), one, &data(5000));
        trips.sent(ms(1), other, &data(9_000_000));
        assert_eq!(trips.acknowledged(ms(10), &one, &ack(6000)), Some(Span::from_millis(10)));
        assert_eq!(
            trips.acknowledged(ms(20), &other, &ack(9_001_000)),
            Some(Span::from_millis(19))
        );
        // Reset with a segment in flight; the next connection has lower sequence numbers.
        trips.sent(ms(30), one, &data(6000));
        trips.opened(&one);
        trips.sent(ms(40), one, &data(100));
        assert_eq!(trips.acknowledged(ms(55), &one, &ack(1100)), Some(Span::from_millis(15)));
    }
}
