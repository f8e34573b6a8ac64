//! What the network hands out: counted by flow, and put in order for the hosts.

use crate::classify::Lanes;
use crate::network::{Load, Transit, Watcher};
use crate::round_trip::RoundTrips;
use crate::sockets::number_of;
use crate::wire::{Endpoints, TcpFlags, WirePacket};
use narrows_measure::{FlowCounters, FlowSample, Histogram};
use narrows_path::Packet;
use narrows_scenario::Flow;
use narrows_transport::RangeSet;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;
use std::collections::{BTreeMap, VecDeque};

/// What the emulator counts of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowTally {
    pub counters: FlowCounters,
    pub at_warmup: FlowCounters,
    pub one_way: Histogram,
    pub rtt: Histogram,
    pub latest_rtt: Option<Span>,
    /// At each sample, as far as the network knows.
    pub samples: Vec<FlowSample>,
    /// The numbers of datagrams that were dropped.
    pub lost: Vec<u64>,
}

/// A packet at the end of its way.
pub struct Parcel {
    /// When it should be there.
    pub due: Time,
    /// The place of its host.
    pub host: usize,
    pub packet: WirePacket,
}

/// Counts what the network hands out, and keeps it until it can be written.
pub struct Desk<'a> {
    lanes: &'a Lanes,
    /// The scenario's flows, without those of programs.
    flows: &'a [Flow],
    /// What has arrived of each connection.
    streams: BTreeMap<Endpoints, Stream>,
    pub tallies: Vec<FlowTally>,
    round_trips: Vec<RoundTrips>,
    /// In order of their times.
    pub outbox: VecDeque<Parcel>,
}

impl Desk<'_> {
    /// One that has seen nothing. `flows`: those of the scenario, perhaps others after them.
    pub fn new<'a>(lanes: &'a Lanes, flows: &'a [Flow]) -> Desk<'a> {
        let flows = &flows[..lanes.own()];
        let count = lanes.ends.len();
        let round_trips = (0..count).map(|_| RoundTrips::default()).collect();
        let tallies = vec![FlowTally::default(); count];
        Desk { lanes, flows, streams: BTreeMap::new(), tallies, round_trips, outbox: VecDeque::new() }
    }

    /// The warm-up is over.
    pub fn end_warmup(&mut self) {
        for tally in &mut self.tallies {
            tally.at_warmup = tally.counters;
            (tally.one_way, tally.rtt) = (Histogram::new(), Histogram::new());
        }
    }

    /// Takes a sample of each flow.
    pub fn sample(&mut self) {
        for FlowTally { counters, samples, latest_rtt, .. } in &mut self.tallies {
            let FlowCounters { arrived_wire, sent, dropped, goodput, .. } = *counters;
            samples.push(FlowSample { rtt: *latest_rtt, arrived_wire, sent, dropped, goodput, ..FlowSample::default() });
        }
    }

    /// A packet of this flow enters the network: what it carries.
    pub fn sent(&mut self, now: Time, flow: u32, back: bool, packet: &WirePacket) -> Load {
        let payload = packet.payload().len() as u32;
        let tcp = packet.tcp();
        let number = if back || tcp.is_some() { None } else { number_of(packet.payload()) };
        let (round_trips, syn) = (&mut self.round_trips[flow as usize], tcp.is_some_and(|tcp| tcp.flags.any(TcpFlags::SYN)));
        if back {
            let acknowledges = tcp.is_some_and(|tcp| payload == 0 && !syn && !tcp.flags.any(TcpFlags::RST));
            self.tallies[flow as usize].counters.acks += u64::from(acknowledges);
        } else if payload > 0 {
            self.tallies[flow as usize].counters.sent += 1;
            if let (Some(tcp), Some(endpoints)) = (tcp, packet.endpoints()) {
                round_trips.sent(now, endpoints, &tcp);
            }
        } else if syn && let Some(endpoints) = packet.endpoints() {
            round_trips.opened(&endpoints);
        }
        Load { payload, number }
    }
}

impl Watcher<WirePacket> for Desk<'_> {
    fn delivered(&mut self, at: Time, transit: Transit<WirePacket>) {
        let flow = transit.flow as usize;
        let (from, to) = self.lanes.ends[flow];
        let tally = &mut self.tallies[flow];
        if !transit.back {
            let plan = self.flows.get(flow);
            let payload = fresh(&mut self.streams, &transit.packet, plan.map(|plan| plan.transport.headers));
            tally.counters.goodput += payload;
            if plan.and_then(|plan| plan.stop).is_some_and(|stop| at > stop) {
                tally.counters.late_goodput += payload;
            }
        }
        if transit.back {
            if let (Some(tcp), Some(endpoints)) = (transit.packet.tcp(), transit.packet.endpoints())
                && let Some(rtt) = self.round_trips[flow].acknowledged(at, &endpoints.reversed(), &tcp)
            {
                tally.rtt.record(rtt);
                tally.latest_rtt = Some(rtt);
            }
        } else if transit.load.payload > 0 {
            tally.counters.arrived += 1;
            tally.counters.arrived_wire += transit.packet.size();
            tally.one_way.record(at.since(transit.entered));
            match transit.packet.ecn() {
                Ecn::NotEct => {}
                Ecn::Ect0 => tally.counters.ect0 += 1,
                Ecn::Ect1 => tally.counters.ect1 += 1,
                Ecn::Ce => tally.counters.ce += 1,
            }
        }
        self.outbox.push_back(Parcel { due: at, host: if transit.back { from } else { to }, packet: transit.packet });
    }

    fn dropped(&mut self, flow: u32, back: bool, load: Load) {
        if !back && load.payload > 0 {
            let tally = &mut self.tallies[flow as usize];
            tally.counters.dropped += 1;
            tally.lost.extend(load.number);
        }
    }
}

/// What has arrived of one connection.
#[derive(Default)]
struct Stream {
    /// The sequence number of its first byte.
    first: u32,
    /// Positions from there on, and one past the highest.
    arrived: RangeSet,
    end: u64,
}

impl Stream {
    /// Bytes from this sequence number on arrive: how many of them had not arrived before.
    fn take(&mut self, sequence: u32, payload: u64) -> u64 {
        // Sequence numbers wrap (RFC 9293 section 3.4): the nearest one is meant. A keepalive probe repeats one before the first byte.
        let ahead = sequence.wrapping_sub(self.first).wrapping_sub(self.end as u32) as i32;
        let Some(start) = self.end.checked_add_signed(ahead.into()) else { return 0 };
        let end = start + payload;
        self.end = self.end.max(end);
        let mut fresh = 0;
        self.arrived.insert(start..end, |new| fresh += new.end - new.start);
        fresh
    }
}

/// Payload that arrives for the first time; `headers` are those of the scenario's datagrams.
fn fresh(streams: &mut BTreeMap<Endpoints, Stream>, packet: &WirePacket, headers: Option<Bytes>) -> Bytes {
    let (Some(endpoints), Some(tcp)) = (packet.endpoints(), packet.tcp()) else {
        return headers.map_or(Bytes::new(packet.payload().len() as u64), |headers| packet.size().saturating_sub(headers));
    };
    if tcp.flags.any(TcpFlags::SYN) {
        // A connection begins anew. Its SYN has a number of its own.
        streams.insert(endpoints, Stream { first: tcp.sequence.wrapping_add(1), ..Stream::default() });
    }
    if tcp.payload == 0 {
        return Bytes::ZERO;
    }
    let stream = streams.entry(endpoints).or_insert_with(|| Stream { first: tcp.sequence, ..Stream::default() });
    Bytes::new(stream.take(tcp.sequence, tcp.payload as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_counts_once_when_it_arrives() {
        let first = u32::MAX - 150;
        let mut stream = Stream { first, ..Stream::default() };
        let mut take = |offset: u32, payload| stream.take(first.wrapping_add(offset), payload);
        assert_eq!(take(100, 100), 100, "the one before it is missing, and numbers wrap within it");
        assert_eq!(take(300, 50), 50);
        assert_eq!(take(0, 100), 100);
        assert_eq!(take(100, 100), 0, "sent again for nothing");
        assert_eq!(take(150, 200), 100, "half of it fills the gap");
        assert_eq!(take(u32::MAX, 1), 0, "a keepalive probe");
    }
}
