//! What the network hands out: counted by flow, and put in order for the hosts.

use crate::classify::Lanes;
use crate::network::{Load, Transit, Watcher};
use crate::round_trip::RoundTrips;
use crate::sockets::number_of;
use crate::wire::{Endpoints, TcpFlags, WirePacket};
use narrows_control::Ecn;
use narrows_measure::{FlowCounters, FlowSample, Histogram};
use narrows_path::Packet;
use narrows_units::{Bytes, Span, Time};
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
    /// How far each connection of the programs' flows has come.
    reached: BTreeMap<Endpoints, u32>,
    pub tallies: Vec<FlowTally>,
    round_trips: Vec<RoundTrips>,
    /// In order of their times.
    pub outbox: VecDeque<Parcel>,
}

impl Desk<'_> {
    /// One that has seen nothing.
    pub fn new(lanes: &Lanes) -> Desk<'_> {
        let count = lanes.ends.len();
        let round_trips = (0..count).map(|_| RoundTrips::default()).collect();
        Desk { lanes, reached: BTreeMap::new(), tallies: vec![FlowTally::default(); count], round_trips, outbox: VecDeque::new() }
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
        if flow >= self.lanes.own() && !transit.back {
            tally.counters.goodput += fresh(&mut self.reached, &transit.packet);
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

/// Payload that its receiver did not have: of a TCP connection, what lies beyond all that arrived before.
fn fresh(reached: &mut BTreeMap<Endpoints, u32>, packet: &WirePacket) -> Bytes {
    let (Some(endpoints), Some(tcp)) = (packet.endpoints(), packet.tcp()) else {
        return Bytes::new(packet.payload().len() as u64);
    };
    let end = tcp.sequence.wrapping_add(tcp.payload as u32);
    if tcp.flags.any(TcpFlags::SYN) {
        // A connection begins anew. Its SYN has a number of its own.
        reached.insert(endpoints, tcp.sequence.wrapping_add(1));
        return Bytes::ZERO;
    }
    let reached = reached.entry(endpoints).or_insert(tcp.sequence);
    // Sequence numbers wrap (RFC 9293 section 3.4).
    let beyond = end.wrapping_sub(*reached) as i32;
    if beyond <= 0 {
        return Bytes::ZERO;
    }
    *reached = end;
    Bytes::new(beyond as u64)
}
