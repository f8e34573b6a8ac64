//! Packets that leave the network: counted by flow, and queued for their hosts.

use super::classifier::Classifier;
use super::round_trip::RoundTrips;
use super::stats::FlowStats;
use super::transit::{Identity, Load, Transit};
use crate::wire::{Endpoints, Frame, TcpFlags, WirePacket, number_of};
use narrows_measure::{FlowCounters, FlowSample, Histogram};
use narrows_network::{Network, Visitor};
use narrows_path::Packet;
use narrows_scenario::Flow;
use narrows_transport::RangeSet;
use narrows_units::{Bytes, Time};
use narrows_wire::Ecn;
use std::collections::{BTreeMap, VecDeque};

/// A packet that has crossed the network.
pub struct EgressPacket {
    /// Time at which it should arrive.
    pub due: Time,
    /// Number of the receiving host.
    pub host: usize,
    pub packet: WirePacket,
}

/// The counts and the queue of packets: classifies packets, counts them, and queues those that
/// leave the network.
pub trait Egress: Visitor<Transit<WirePacket>> {
    /// Results of the counts.
    type Counts: Send;

    /// Returns the flow of a packet from a host, and true if it goes to the flow's sender; `None`
    /// if it must be dropped.
    fn classify(&self, frame: &Frame, host: usize) -> Option<(u32, bool)>;

    /// Counts a packet of this flow that enters the network, and returns its load.
    fn sent(&mut self, now: Time, flow: u32, back: bool, packet: &WirePacket) -> Load;

    /// Notes the end of the warm-up.
    fn end_warmup(&mut self);

    /// Takes a sample of each flow.
    fn sample(&mut self);

    /// Returns the last sample of each flow.
    fn latest_samples(&self) -> impl Iterator<Item = FlowSample>;

    /// Returns the queue of packets that have left the network, in time order.
    fn packets(&mut self) -> &mut VecDeque<EgressPacket>;

    /// Returns the counts.
    fn finish(self) -> Self::Counts;
}

/// Counts the packets that leave the network, and queues them until they are written.
pub struct EgressQueue<'a> {
    classifier: &'a Classifier,
    /// Flows of the scenario, without those of programs.
    flows: &'a [Flow],
    /// Received bytes of each connection.
    streams: BTreeMap<Endpoints, Stream>,
    stats: Vec<FlowStats>,
    round_trips: Vec<RoundTrips>,
    packets: VecDeque<EgressPacket>,
}

impl EgressQueue<'_> {
    /// Makes an empty queue. `flows` begins with the flows of the scenario.
    pub fn new<'a>(classifier: &'a Classifier, flows: &'a [Flow]) -> EgressQueue<'a> {
        let flows = &flows[..classifier.scenario_flows()];
        let count = classifier.ends.len();
        let round_trips = (0..count).map(|_| RoundTrips::default()).collect();
        let stats = vec![FlowStats::default(); count];
        EgressQueue {
            classifier,
            flows,
            streams: BTreeMap::new(),
            stats,
            round_trips,
            packets: VecDeque::new(),
        }
    }
}

impl Egress for EgressQueue<'_> {
    type Counts = Vec<FlowStats>;

    fn classify(&self, frame: &Frame, host: usize) -> Option<(u32, bool)> {
        self.classifier.classify(frame, host)
    }

    fn packets(&mut self) -> &mut VecDeque<EgressPacket> {
        &mut self.packets
    }

    fn finish(self) -> Vec<FlowStats> {
        self.stats
    }

    fn end_warmup(&mut self) {
        for stats in &mut self.stats {
            stats.at_warmup = stats.counters;
            (stats.one_way, stats.rtt) = (Histogram::new(), Histogram::new());
        }
    }

    fn sample(&mut self) {
        for FlowStats { counters, samples, latest_rtt, .. } in &mut self.stats {
            let FlowCounters { arrived_wire, sent, dropped, goodput, .. } = *counters;
            samples.push(FlowSample {
                rtt: *latest_rtt,
                arrived_wire,
                sent,
                dropped,
                goodput,
                ..FlowSample::default()
            });
        }
    }

    fn latest_samples(&self) -> impl Iterator<Item = FlowSample> {
        self.stats.iter().filter_map(|stats| stats.samples.last().copied())
    }

    fn sent(&mut self, now: Time, flow: u32, back: bool, packet: &WirePacket) -> Load {
        let payload = packet.payload().len() as u32;
        let tcp = packet.tcp();
        let number = if back || tcp.is_some() { None } else { number_of(packet.payload()) };
        let (round_trips, syn) = (
            &mut self.round_trips[flow as usize],
            tcp.is_some_and(|tcp| tcp.flags.any(TcpFlags::SYN)),
        );
        if back {
            let acknowledges =
                tcp.is_some_and(|tcp| payload == 0 && !syn && !tcp.flags.any(TcpFlags::RST));
            self.stats[flow as usize].counters.acks += u64::from(acknowledges);
        } else if payload > 0 {
            self.stats[flow as usize].counters.sent += 1;
            if let (Some(tcp), Some(endpoints)) = (tcp, packet.endpoints()) {
                round_trips.sent(now, endpoints, &tcp);
            }
        } else if syn && let Some(endpoints) = packet.endpoints() {
            round_trips.opened(&endpoints);
        }
        Load { payload, number, urgent: false }
    }
}

impl Visitor<Transit<WirePacket>> for EgressQueue<'_> {
    fn delivered(
        &mut self,
        _network: &mut Network<Transit<WirePacket>>,
        at: Time,
        _link: usize,
        transit: Transit<WirePacket>,
    ) {
        let Identity { flow, back, load } = transit.identity;
        let flow = flow as usize;
        let (from, to) = self.classifier.ends[flow];
        let stats = &mut self.stats[flow];
        if !back {
            let plan = self.flows.get(flow);
            let payload =
                fresh(&mut self.streams, &transit.packet, plan.map(|plan| plan.transport.headers));
            stats.counters.goodput += payload;
            if plan.and_then(|plan| plan.stop).is_some_and(|stop| at > stop) {
                stats.counters.late_goodput += payload;
            }
        }
        if back {
            if let (Some(tcp), Some(endpoints)) = (transit.packet.tcp(), transit.packet.endpoints())
                && let Some(rtt) =
                    self.round_trips[flow].acknowledged(at, &endpoints.reversed(), &tcp)
            {
                stats.rtt.record(rtt);
                stats.latest_rtt = Some(rtt);
            }
        } else if load.payload > 0 {
            stats.counters.arrived += 1;
            stats.counters.arrived_wire += transit.packet.size();
            stats.one_way.record(at.since(transit.entered));
            match transit.packet.ecn() {
                Ecn::NotEct => {}
                Ecn::Ect0 => stats.counters.ect0 += 1,
                Ecn::Ect1 => stats.counters.ect1 += 1,
                Ecn::Ce => stats.counters.ce += 1,
            }
        }
        self.packets.push_back(EgressPacket {
            due: at,
            host: if back { from } else { to },
            packet: transit.packet,
        });
    }

    fn dropped(&mut self, _at: Time, _link: usize, Identity { flow, back, load }: Identity) {
        if !back && load.payload > 0 {
            let stats = &mut self.stats[flow as usize];
            stats.counters.dropped += 1;
            stats.lost.extend(load.number);
        }
    }
}

/// The received bytes of a connection.
#[derive(Default)]
struct Stream {
    /// Sequence number of the first byte.
    first: u32,
    /// Received ranges, relative to `first`, and the end of the highest.
    arrived: RangeSet,
    end: u64,
}

impl Stream {
    /// Adds bytes from this sequence number on. Returns the number of bytes that arrive for the
    /// first time.
    fn take(&mut self, sequence: u32, payload: u64) -> u64 {
        // Sequence numbers wrap (RFC 9293 section 3.4), so take the nearest. A keepalive probe
        // repeats the byte before the first.
        let ahead = sequence.wrapping_sub(self.first).wrapping_sub(self.end as u32) as i32;
        let Some(start) = self.end.checked_add_signed(ahead.into()) else { return 0 };
        let end = start + payload;
        self.end = self.end.max(end);
        let mut fresh = 0;
        self.arrived.insert(start..end, |new| fresh += new.end - new.start);
        fresh
    }
}

/// Returns the payload that arrives for the first time; `headers` are those of the scenario's
/// datagrams.
fn fresh(
    streams: &mut BTreeMap<Endpoints, Stream>,
    packet: &WirePacket,
    headers: Option<Bytes>,
) -> Bytes {
    let (Some(endpoints), Some(tcp)) = (packet.endpoints(), packet.tcp()) else {
        return headers.map_or(Bytes::new(packet.payload().len() as u64), |headers| {
            packet.size().saturating_sub(headers)
        });
    };
    if tcp.flags.any(TcpFlags::SYN) {
        // A new connection begins. Its SYN has a sequence number.
        streams
            .insert(endpoints, Stream { first: tcp.sequence.wrapping_add(1), ..Stream::default() });
    }
    if tcp.payload == 0 {
        return Bytes::ZERO;
    }
    let stream = streams
        .entry(endpoints)
        .or_insert_with(|| Stream { first: tcp.sequence, ..Stream::default() });
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
