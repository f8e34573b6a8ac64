//! A flow as a TCP connection: sequence numbers in bytes, timestamps, and the handshake.

use super::frame::Segment;
use narrows_transport::{Ack, Data};
use narrows_units::Time;
use std::collections::VecDeque;

/// Initial sequence number of both ends.
const INITIAL_SEQUENCE: u32 = 1_000;
/// The largest window scale (RFC 7323 section 2.2).
const MAX_SCALE: u8 = 14;

/// State of a connection, with its packets in flight.
#[derive(Debug)]
pub(super) struct Connection {
    mss: u64,
    scale: u8,
    accurate_ecn: bool,
    /// Segments that were shorter than `mss`, in order, each with the number of bytes by which it
    /// and the short segments before it were shorter in all.
    short: Vec<(u64, u64)>,
    /// One past the highest segment sent.
    next: u64,
    /// The latest timestamp that the sender has received.
    heard: u32,
    /// Packets in flight with their timestamp options, which the simulation's packets do not carry.
    under_way: VecDeque<(Key, (u32, u32))>,
}

/// Key that distinguishes packets in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    Data(u64, Time),
    Ack(Ack),
}

impl Connection {
    /// Returns a connection with full segments of `mss` bytes, whose receiver can hold `window`
    /// bytes. With `accurate_ecn`, acknowledgements count marks (RFC 9768).
    pub fn new(mss: u64, window: Option<u64>, accurate_ecn: bool) -> Connection {
        let scale = (0..MAX_SCALE)
            .find(|scale| window.is_some_and(|window| window.div_ceil(1 << scale) <= 65_535));
        Connection {
            mss,
            scale: scale.unwrap_or(MAX_SCALE),
            accurate_ecn,
            short: vec![],
            next: 0,
            heard: 0,
            under_way: VecDeque::new(),
        }
    }

    /// Notes a segment that the sender sends.
    pub fn on_sent(&mut self, data: &Data) {
        if data.number >= self.next && data.bytes.get() < self.mss {
            let before = self.short.last().map_or(0, |(_, missing)| *missing);
            self.short.push((data.number, before + self.mss - data.bytes.get()));
        }
        self.next = self.next.max(data.number + 1);
        self.under_way
            .push_back((Key::Data(data.number, data.stamp), (ticks(data.stamp), self.heard)));
    }

    /// Notes an acknowledgement that the receiver sends.
    pub fn on_acknowledged(&mut self, at: Time, ack: &Ack) {
        self.under_way.push_back((Key::Ack(*ack), (ticks(at), ticks(ack.echo))));
    }

    /// Forgets a packet that is no longer in flight. `heard` is true if it arrived at the sender.
    pub fn on_gone(&mut self, key: Key, heard: bool) {
        let found = self.under_way.iter().position(|(own, _)| *own == key);
        if let Some((_, stamps)) = found.and_then(|place| self.under_way.remove(place))
            && heard
        {
            self.heard = stamps.0;
        }
    }

    fn stamps(&self, key: Key) -> (u32, u32) {
        let latest = self.under_way.back().filter(|(own, _)| *own == key);
        let found = latest.or_else(|| self.under_way.iter().find(|(own, _)| *own == key));
        found.map_or((0, 0), |(_, stamps)| *stamps)
    }

    /// Returns the sequence number of the first byte of a segment.
    fn sequence(&self, number: u64) -> u32 {
        let shorter = self.short.partition_point(|(short, _)| *short < number);
        let missing = shorter.checked_sub(1).map_or(0, |last| self.short[last].1);
        INITIAL_SEQUENCE.wrapping_add(1).wrapping_add((number * self.mss - missing) as u32)
    }

    /// Returns the TCP segment of a data packet.
    pub fn data(&self, data: &Data) -> Segment {
        Segment {
            sequence: self.sequence(data.number),
            acknowledgement: INITIAL_SEQUENCE.wrapping_add(1),
            ack: true,
            ecn_bits: if self.accurate_ecn { counter(0) } else { [false, data.cwr, false] },
            window: 65_535,
            stamps: self.stamps(Key::Data(data.number, data.stamp)),
            payload: data.bytes.get() as usize,
            ..Segment::default()
        }
    }

    /// Returns the TCP segment of an acknowledgement.
    pub fn ack(&self, ack: &Ack) -> Segment {
        let window = (u64::from(ack.window) * self.mss).div_ceil(1 << self.scale).min(65_535);
        Segment {
            sequence: INITIAL_SEQUENCE.wrapping_add(1),
            acknowledgement: self.sequence(ack.next).wrapping_add(ack.part),
            ack: true,
            ecn_bits: if self.accurate_ecn { counter(ack.ce) } else { [false, false, ack.ece] },
            window: window as u16,
            stamps: self.stamps(Key::Ack(*ack)),
            blocks: ack
                .blocks
                .iter()
                .map(|block| (self.sequence(block.start), self.sequence(block.end)))
                .collect(),
            ..Segment::default()
        }
    }

    /// Returns the handshake, shortened so that it ends at `at`: SYN, SYN and ACK, ACK. `ecn` is
    /// true if the connection uses ECN.
    ///
    /// The handshake takes a nanosecond, because Wireshark uses its round trip. Wireshark calls a
    /// retransmission out of order if it leaves within that round trip after new data, or within 3
    /// ms without new data.
    pub fn handshake(&self, at: Time, ecn: bool) -> [(Time, Segment); 3] {
        let before = Time::from_nanos(at.since(Time::ZERO).as_nanos().saturating_sub(1));
        let now = ticks(at);
        // The size that is offered does not count options: those of timestamps are in every segment
        // (RFC 6691, section 3).
        let offer = Some(((self.mss + 12).min(65_495) as u16, self.scale));
        let (syn_bits, reply_bits) = match (ecn, self.accurate_ecn) {
            (false, _) => ([false; 3], [false; 3]),
            (true, false) => ([false, true, true], [false, false, true]),
            (true, true) => ([true; 3], [false, true, false]),
        };
        let syn = Segment {
            sequence: INITIAL_SEQUENCE,
            syn: true,
            ecn_bits: syn_bits,
            window: 65_535,
            stamps: (now, 0),
            offer,
            ..Segment::default()
        };
        let reply = Segment {
            acknowledgement: INITIAL_SEQUENCE.wrapping_add(1),
            ack: true,
            ecn_bits: reply_bits,
            stamps: (now, now),
            ..syn.clone()
        };
        // The last segment reports that the SYN and ACK arrived as Not-ECT (RFC 9768 section 3.1.1,
        // table 3: ACE 0b010). Later segments count marks.
        let ecn_bits = if ecn && self.accurate_ecn { [false, true, false] } else { [false; 3] };
        let last = Segment { ecn_bits, ..self.bare(at, 1, 1) };
        [(before, syn), (before, reply), (at, last)]
    }

    /// Returns the end of the connection at `at`, which the simulation leaves out: FIN, FIN and
    /// ACK, ACK.
    pub fn farewell(&self, at: Time) -> [(Time, Segment); 3] {
        let sent = self.sequence(self.next).wrapping_sub(INITIAL_SEQUENCE);
        let fin = Segment { fin: true, ..self.bare(at, sent, 1) };
        let reply = Segment { fin: true, ..self.bare(at, 1, sent.wrapping_add(1)) };
        [fin, reply, self.bare(at, sent.wrapping_add(1), 2)].map(|segment| (at, segment))
    }

    /// Returns an acknowledgement with no payload. Its numbers are relative to the initial sequence
    /// number.
    fn bare(&self, at: Time, sequence: u32, acknowledgement: u32) -> Segment {
        Segment {
            sequence: INITIAL_SEQUENCE.wrapping_add(sequence),
            acknowledgement: INITIAL_SEQUENCE.wrapping_add(acknowledgement),
            ack: true,
            window: 65_535,
            stamps: (ticks(at), ticks(at)),
            ..Segment::default()
        }
    }
}

/// Returns the timestamp clock: milliseconds as in Linux, from 1 at the start of the run.
fn ticks(at: Time) -> u32 {
    (at.since(Time::ZERO).as_nanos() / 1_000_000 + 1) as u32
}

/// Returns the counter of marked packets as the bits AE, CWR and ECE. It begins at 5 (RFC 9768
/// section 3.2.1).
fn counter(marked: u32) -> [bool; 3] {
    let count = marked.wrapping_add(5);
    [count & 4 != 0, count & 2 != 0, count & 1 != 0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::{Bytes, Span};

    fn data(number: u64, bytes: u64, ms: u64) -> Data {
        let stamp = Time::ZERO + Span::from_millis(ms);
        Data {
            number,
            bytes: Bytes::new(bytes),
            stamp,
            packet: 0,
            acked: 0,
            retransmission: false,
            cwr: false,
        }
    }

    #[test]
    fn the_last_packet_of_an_accurate_handshake_says_that_the_answer_was_not_ect() {
        let bits = |accurate, ecn| {
            Connection::new(1000, None, accurate)
                .handshake(Time::ZERO, ecn)
                .map(|(_, segment)| segment.ecn_bits)
        };
        assert_eq!(bits(true, true), [[true; 3], [false, true, false], [false, true, false]]);
        assert_eq!(
            bits(false, true),
            [[false, true, true], [false, false, true], [false; 3]],
            "RFC 3168 section 6.1.1"
        );
        assert_eq!(bits(true, false), [[false; 3]; 3]);
    }

    #[test]
    fn numbers_become_bytes_across_short_segments_and_the_end_of_the_number_space() {
        let mut connection = Connection::new(1000, None, false);
        for (number, bytes) in [(0, 1000), (1, 300), (2, 1000), (3, 1), (4, 1000)] {
            connection.on_sent(&data(number, bytes, 0));
        }
        let relative: Vec<u32> =
            (0..=5).map(|number| connection.sequence(number) - INITIAL_SEQUENCE - 1).collect();
        assert_eq!(relative, [0, 1000, 1300, 2300, 2301, 3301]);
        // 5,000,000 segments are 5 * 10^9 bytes, 1699 of them missing: 705032704 - 1699 after one
        // wrap.
        assert_eq!(connection.sequence(5_000_000), INITIAL_SEQUENCE + 1 + 705_032_704 - 1699);
        // A short segment that is retransmitted counts only once.
        connection.on_sent(&data(3, 1, 5));
        assert_eq!(connection.sequence(5), INITIAL_SEQUENCE + 1 + 3301);
    }

    #[test]
    fn data_echoes_the_stamp_of_the_latest_acknowledgement_that_arrived() {
        let mut connection = Connection::new(1000, None, false);
        let first = data(0, 1000, 10);
        connection.on_sent(&first);
        assert_eq!(connection.data(&first).stamps, (11, 0));
        connection.on_gone(Key::Data(0, first.stamp), false);
        let ack = Ack { next: 1, echo: first.stamp, window: u32::MAX, ..Ack::default() };
        connection.on_acknowledged(Time::ZERO + Span::from_millis(25), &ack);
        assert_eq!(connection.ack(&ack).stamps, (26, 11));
        connection.on_gone(Key::Ack(ack), true);
        let second = data(1, 1000, 40);
        connection.on_sent(&second);
        assert_eq!(connection.data(&second).stamps, (41, 26));
        assert_eq!(connection.under_way.len(), 1);
    }

    #[test]
    fn the_window_never_looks_smaller_than_it_is() {
        let window = |bytes: u64| {
            let connection = Connection::new(1448, Some(bytes), false);
            let ack = Ack { window: (bytes / 1448) as u32, ..Ack::default() };
            (connection.scale, u64::from(connection.ack(&ack).window) << connection.scale)
        };
        assert_eq!(window(65_160), (0, 65_160));
        assert_eq!(window(144_800), (2, 144_800));
        let (scale, shown) = window(6_291_456);
        assert_eq!(scale, 7);
        assert!((6_291_456 - 1448..6_291_456 + 128).contains(&shown), "{shown}");
        assert_eq!(Connection::new(1448, None, false).scale, 14);
    }

    #[test]
    fn marks_are_counted_from_five_in_three_bits() {
        assert_eq!(counter(0), [true, false, true]);
        assert_eq!(counter(2), [true, true, true]);
        assert_eq!(counter(3), [false, false, false]);
    }
}
