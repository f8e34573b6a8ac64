//! The receiving endpoint: reassembly and acknowledgement.

use crate::autotuning::Autotuning;
use crate::misbehaviour::{Ahead, Division};
use crate::ranges::RangeSet;
use crate::wire::{Ack, Block, Blocks, Data};
use crate::{AckFormat, MAX_OFFLOAD, Transport};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Signal};
use prefetch_index::prefetch_index;

/// Receives one connection's data and acknowledges it: at once when something is missing, filled or
/// marked, otherwise every `ack_every` segments or after a delay (RFC 5681 section 4.2, Linux
/// `__tcp_ack_snd_check`).
///
/// Every packet touches what comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    next: u64,
    /// Stamp of the first segment that advanced `next` since the latest acknowledgement (RFC 7323
    /// section 4.3).
    echo: Time,
    latest_arrival: Time,
    delay: Span,
    base_delay: Span,
    goodput: Bytes,
    unacknowledged: u32,
    quick_left: u32,
    gro: Span,
    ack_due: Option<Time>,
    /// When the segments taken in together since the first of them are passed on, and their
    /// payload.
    aggregate: Option<Time>,
    aggregated: Bytes,
    counts: [u32; 4],
    ack_every: u32,
    window: u32,
    /// One past the highest transmission received, if transmissions are numbered.
    next_packet: Option<u64>,
    /// It acknowledges what has not arrived.
    ahead: Option<Box<Ahead>>,
    sack: bool,
    echo_mark: bool,
    quick_acks: u32,
    /// Arrived above `next`.
    out_of_order: RangeSet,
    /// The window that Linux would advertise; `None` if the receiver does not look at it.
    autotuning: Option<Autotuning>,
    /// It acknowledges in pieces.
    division: Option<Box<Division>>,
    /// The ranges received that changed last, newest first: the SACK blocks of the next
    /// acknowledgement.
    recent: Blocks,
    /// The values that routers wrote into data not acknowledged yet.
    signal: Option<Signal>,
    duplicates: u64,
    mss: Bytes,
    long_silence: Span,
}

/// Longest acknowledgement delay (`TCP_DELACK_MAX`).
const MAX_DELAY: Span = Span::from_millis(200);

impl Receiver {
    /// A receiver at the start of a connection.
    pub fn new(transport: &Transport) -> Receiver {
        Receiver {
            next: 0,
            out_of_order: RangeSet::default(),
            recent: Blocks::default(),
            echo: Time::ZERO,
            unacknowledged: 0,
            ack_due: None,
            aggregate: None,
            aggregated: Bytes::ZERO,
            quick_left: transport.quick_acks,
            latest_arrival: Time::ZERO,
            delay: transport.ack_delay,
            counts: [0; 4],
            echo_mark: false,
            signal: None,
            goodput: Bytes::ZERO,
            duplicates: 0,
            mss: transport.mss,
            sack: transport.sack,
            ahead: (transport.ack_ahead > 0).then(|| Box::new(Ahead::new(transport.ack_ahead))),
            division: (transport.ack_pieces > 1)
                .then(|| Box::new(Division::new(transport.ack_pieces, transport.mss))),
            next_packet: (transport.acks == AckFormat::Numbered).then_some(0),
            gro: transport.gro,
            ack_every: transport.ack_every,
            base_delay: transport.ack_delay,
            quick_acks: transport.quick_acks,
            autotuning: (transport.receive_autotuning && transport.acks == AckFormat::Cumulative)
                .then(|| Autotuning::new(transport)),
            long_silence: transport.initial_rto,
            window: transport
                .receive_window
                .map_or(u32::MAX, |bytes| (bytes.get() / transport.mss.get()) as u32),
        }
    }

    /// Fetches what a segment touches into the processor's caches, without waiting for it.
    pub fn fetch(&self) {
        for line in 0..6 {
            prefetch_index(std::slice::from_ref(&self.next), line * 8);
        }
    }

    /// A segment arrives with the ECN code point and the signal that routers wrote into it. Returns
    /// the acknowledgement if it must be sent now.
    #[inline(always)]
    pub fn on_data(
        &mut self,
        now: Time,
        data: &Data,
        ecn: Ecn,
        signal: Option<Signal>,
    ) -> Option<Ack> {
        self.counts[ecn as usize] += 1;
        if let Some(signal) = signal {
            self.signal = Some(self.signal.map_or(signal, |before| before.then(signal)));
        }
        self.adapt_delay(now);
        if data.cwr || ecn == Ecn::Ce {
            self.note_mark(data.cwr, ecn);
        }
        if let Some(next_packet) = self.next_packet {
            return self.take_numbered(now, data, ecn, next_packet);
        }
        if let Some(autotuning) = &mut self.autotuning
            && data.number >= self.next
            && autotuning.grows(now, full_number(self.next, data.acked))
        {
            self.quick_left |= 1;
        }
        if self.ahead.is_some() {
            if !self.takes_ahead(data) {
                return Some(self.acknowledge(now));
            }
        } else if data.number != self.next {
            return Some(self.take_out_of_order(now, data));
        } else {
            self.next += 1;
        }
        self.goodput += data.bytes;
        self.echo = if self.unacknowledged == 0 { data.stamp } else { self.echo };
        self.unacknowledged += 1;
        if !self.out_of_order.is_empty() {
            return Some(self.fill(now));
        }
        if let Some(autotuning) = &mut self.autotuning {
            autotuning.on_read(now, self.next);
        }
        if !self.gro.is_zero() && ecn != Ecn::Ce && self.gathers(now, data.bytes) {
            return None;
        }
        self.acknowledge_in_order(now)
    }

    /// A segment comes to a receiver that acknowledges ahead, and for which none is out of order.
    /// False if it has come before.
    #[cold]
    fn takes_ahead(&mut self, data: &Data) -> bool {
        let new = self.ahead.as_mut().is_some_and(|ahead| ahead.take(data.number, self.next));
        self.duplicates += u64::from(!new);
        self.next = self.next.max(data.number + 1);
        new
    }

    /// True of a receiver that acknowledges in pieces.
    #[inline]
    pub fn divides(&self) -> bool {
        self.division.is_some()
    }

    /// The acknowledgements that go out before `ack`, of a receiver that acknowledges in pieces. To
    /// be called for each that goes out, in order.
    pub fn pieces(&mut self, ack: &Ack) -> Option<impl Iterator<Item = Ack> + use<>> {
        Some(self.division.as_mut()?.before(*ack))
    }

    /// A numbered transmission arrives. One that leaves a gap in the numbers is acknowledged at
    /// once (RFC 9000 section 13.2.1).
    fn take_numbered(&mut self, now: Time, data: &Data, ecn: Ecn, next_packet: u64) -> Option<Ack> {
        let packet = full_number(next_packet, data.packet);
        self.next_packet = Some(next_packet.max(packet + 1));
        self.note_packet(packet);
        let mut known = data.number < self.next;
        if !known {
            known = true;
            self.out_of_order.insert(data.number..data.number + 1, |_| known = false);
            if let Some(end) = self.out_of_order.end_of(self.next) {
                self.next = end;
                self.out_of_order.remove_below(end);
            }
        }
        if known {
            self.duplicates += 1;
        } else {
            self.goodput += data.bytes;
        }
        self.unacknowledged += 1;
        if packet != next_packet {
            return Some(self.acknowledge(now));
        }
        if !self.gro.is_zero() && ecn != Ecn::Ce && self.gathers(now, data.bytes) {
            return None;
        }
        self.acknowledge_in_order(now)
    }

    /// Adds a transmission to the ranges received of late, the one that changed last first.
    fn note_packet(&mut self, packet: u64) {
        let mut range = Block { start: packet, end: packet + 1 };
        self.recent.retain(|block| {
            let apart = block.end < range.start || range.end < block.start;
            if !apart {
                range =
                    Block { start: range.start.min(block.start), end: range.end.max(block.end) };
            }
            apart
        });
        self.recent.push_front(range);
    }

    /// Takes a segment in with those that follow; false if it completes the aggregate, by its size
    /// or, being short, as the end of a write.
    fn gathers(&mut self, now: Time, bytes: Bytes) -> bool {
        self.aggregated += bytes;
        let full = self.aggregated + self.mss > MAX_OFFLOAD || bytes < self.mss;
        if full {
            self.aggregate = None;
            self.aggregated = Bytes::ZERO;
        } else {
            self.aggregate.get_or_insert(now + self.gro);
        }
        !full
    }

    /// Segments came in order: acknowledges them now or later.
    #[inline]
    fn acknowledge_in_order(&mut self, now: Time) -> Option<Ack> {
        // Requirement, RFC 5681 section 4.2: "an ACK SHOULD be generated for at least every second
        // full-sized segment"
        if self.quick_left > 0 || self.unacknowledged >= self.ack_every {
            return Some(self.acknowledge(now));
        }
        // Requirement, RFC 5681 section 4.2: "MUST be generated within 500 ms of the arrival of the
        // first unacknowledged packet"
        if self.ack_due.is_none() {
            self.ack_due = Some(now + self.delay);
        }
        None
    }

    /// After a mark, and after the reduction that answers it, the sender's window may be too small
    /// to wait for (Linux `__tcp_ecn_check_ce`, `tcp_ecn_accept_cwr`).
    fn note_mark(&mut self, reduced: bool, ecn: Ecn) {
        if reduced {
            self.echo_mark = false;
            self.quick_left = self.quick_left.max(1);
        }
        if ecn == Ecn::Ce && !self.echo_mark {
            self.echo_mark = true;
            self.quick_left = self.quick_left.max(2);
        }
    }

    /// Linux `tcp_event_data_recv`: the delay follows the spacing of arrivals, and after a long
    /// silence the connection acknowledges quickly again.
    #[inline]
    fn adapt_delay(&mut self, now: Time) {
        let silence = now.since(self.latest_arrival);
        self.latest_arrival = now;
        if silence <= self.base_delay / 2 {
            self.delay = self.delay / 2 + self.base_delay / 2;
        } else if silence < self.delay {
            self.delay = (self.delay / 2 + silence).min(MAX_DELAY);
        } else if silence > self.long_silence {
            self.quick_left = self.quick_acks;
        }
    }

    /// A segment came before its predecessors, or once more.
    fn take_out_of_order(&mut self, now: Time, data: &Data) -> Ack {
        let number = data.number;
        if number < self.next {
            let ack = self.acknowledge_duplicate(now, number);
            self.quick_left = self.quick_acks;
            return ack;
        }
        let mut duplicate = true;
        let range = self.out_of_order.insert(number..number + 1, |_| duplicate = false);
        let block = Block { start: range.start, end: range.end };
        // One segment more joins no two ranges, so the other blocks stay as they are.
        if !self.recent.lengthen_first(block) {
            self.recent.retain(|block| block.end < range.start || range.end < block.start);
            self.recent.push_front(block);
        }
        if duplicate {
            return self.acknowledge_duplicate(now, number);
        }
        // Requirement, RFC 5681 section 4.2: "Out-of-order data segments SHOULD be acknowledged
        // immediately, in order to accelerate loss recovery"
        self.goodput += data.bytes;
        if let Some(autotuning) = &mut self.autotuning {
            autotuning.on_gap(range.end - self.next);
        }
        self.acknowledge(now)
    }

    /// The duplicate is reported before the ranges received (RFC 2883 section 4).
    fn acknowledge_duplicate(&mut self, now: Time, number: u64) -> Ack {
        self.duplicates += 1;
        let mut ack = self.acknowledge(now);
        if !self.sack {
            return ack;
        }
        ack.blocks.push_front(Block { start: number, end: number + 1 });
        ack.duplicate = true;
        ack
    }

    /// The hole at the front was filled: the segments behind it are delivered too.
    fn fill(&mut self, now: Time) -> Ack {
        // Requirement, RFC 5681 section 4.2: "the receiver SHOULD send an immediate ACK when it
        // receives a data segment that fills in all or part of a gap in the sequence space"
        if let Some(end) = self.out_of_order.end_of(self.next) {
            self.next = end;
            self.out_of_order.remove_below(end);
            self.recent.retain(|block| block.start >= end);
        }
        if let Some(autotuning) = &mut self.autotuning {
            autotuning.on_read(now, self.next);
        }
        self.acknowledge(now)
    }

    /// Segments delivered in order; of a receiver that acknowledges ahead one past the highest
    /// arrival, with holes.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// When [`on_timer`](Receiver::on_timer) is wanted.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        match (self.ack_due, self.aggregate) {
            (due, None) => due,
            (None, aggregate) => aggregate,
            (Some(due), Some(aggregate)) => Some(due.min(aggregate)),
        }
    }

    /// Acknowledges segments taken in together, or after a delay, if that is due.
    pub fn on_timer(&mut self, now: Time) -> Option<Ack> {
        if self.aggregate.is_some_and(|due| due <= now) {
            self.aggregate = None;
            self.aggregated = Bytes::ZERO;
            if let Some(ack) = self.acknowledge_in_order(now) {
                return Some(ack);
            }
        }
        self.ack_due.is_some_and(|due| due <= now).then(|| self.acknowledge(now))
    }

    #[inline]
    fn acknowledge(&mut self, now: Time) -> Ack {
        self.quick_left = self.quick_left.saturating_sub(self.unacknowledged.max(1));
        self.unacknowledged = 0;
        if let Some(autotuning) = &mut self.autotuning {
            autotuning.on_ack(now, self.next);
        }
        self.ack_due = None;
        self.aggregate = None;
        self.aggregated = Bytes::ZERO;
        let [_, ect1, ect0, ce] = self.counts;
        let ahead = self.ahead.as_ref().map_or(0, |ahead| ahead.reach());
        Ack {
            next: self.next + ahead,
            part: 0,
            echo: self.echo,
            window: self.window,
            ect0,
            ect1,
            ce,
            ece: self.echo_mark,
            duplicate: false,
            blocks: if self.sack { self.recent } else { Blocks::default() },
            signal: self.signal.take(),
        }
    }

    /// Payload that arrived, in order or not, each byte once.
    pub fn goodput(&self) -> Bytes {
        self.goodput
    }

    /// Segments that arrived more than once.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Packets received with ECT(0), ECT(1) and CE.
    pub fn ecn_counts(&self) -> (u32, u32, u32) {
        let [_, ect1, ect0, ce] = self.counts;
        (ect0, ect1, ce)
    }
}

/// The number nearest to `expected` that ends in these bits (RFC 9000 appendix A.3).
fn full_number(expected: u64, low: u32) -> u64 {
    let ahead = low.wrapping_sub(expected as u32) as i32;
    expected.saturating_add_signed(ahead as i64)
}
