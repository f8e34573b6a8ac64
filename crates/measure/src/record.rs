//! The record of one run, as a world leaves it.

use crate::{Emulation, Histogram, IcnRecord, Transfers};
use narrows_units::{Bytes, Rate, Span, Time};

/// Everything measured in one run.
#[derive(Clone, Debug)]
pub struct Record {
    /// The run's seed.
    pub seed: u64,
    /// How long it ran.
    pub duration: Span,
    /// Statistics leave out what happened before this; series and totals hold it all.
    pub warmup: Span,
    /// The beginning of a part of a run made by [`Record::between`]; `None` for a whole
    /// run.
    pub part: Option<Time>,
    /// Time between samples of the series.
    pub interval: Span,
    /// The flows, in the scenario's order.
    pub flows: Vec<FlowRecord>,
    /// The links, in the scenario's order.
    pub links: Vec<LinkRecord>,
    /// Changes of the network during the run, by time.
    pub changes: Vec<Change>,
    /// Events of links, flows and connections that the world processed; samples and changes do not
    /// count.
    pub events: u64,
    /// Packet-hops: packets that finished crossing a link.
    pub hops: u64,
    /// The part of an information-centric network; `None` for any other.
    pub icn: Option<Box<IcnRecord>>,
    /// How exact the emulation was; `None` of a simulation, which is exact.
    pub emulation: Option<Emulation>,
}

/// Something of the network changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at: Time,
    /// The link that changed, or the flow whose route did, by name.
    pub of: String,
    /// The changed quantity.
    pub what: Changed,
    /// Its new value, as people read it.
    pub to: String,
}

/// The quantities of a link or flow that change during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The rate of a link.
    Rate,
    /// An outage of a link begins or ends.
    Outage,
    /// The propagation delay of a link.
    Delay,
    /// The extra delay of packets on a link.
    Jitter,
    /// The share of packets on a link that are late.
    Reordering,
    /// The time between bursts of deliveries on a link.
    Aggregation,
    /// The treatment of the ECN field by a link.
    Ecn,
    /// The loss model of a link.
    Loss,
    /// How much a link's queue holds.
    Buffer,
    /// The links that a flow crosses.
    Route,
}

impl Changed {
    /// All of them.
    pub const ALL: [Changed; 10] = [
        Changed::Rate,
        Changed::Outage,
        Changed::Delay,
        Changed::Jitter,
        Changed::Reordering,
        Changed::Aggregation,
        Changed::Ecn,
        Changed::Loss,
        Changed::Buffer,
        Changed::Route,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Changed::Rate => "rate",
            Changed::Outage => "outage",
            Changed::Delay => "delay",
            Changed::Jitter => "jitter",
            Changed::Reordering => "reordering",
            Changed::Aggregation => "aggregation",
            Changed::Ecn => "ecn",
            Changed::Loss => "loss",
            Changed::Buffer => "buffer",
            Changed::Route => "route",
        }
    }
}

/// One flow.
#[derive(Clone, Debug)]
pub struct FlowRecord {
    /// Its name.
    pub name: String,
    /// Its controller as written, parameters included; "none" without one.
    pub controller: String,
    /// When it began.
    pub start: Time,
    /// When all it had to send was acknowledged, when it was stopped, or when its connection timed
    /// out; `None` if it ran to the end.
    pub end: Option<Time>,
    /// True if it had a fixed size to send and all of it was acknowledged.
    pub completed: bool,
    /// Its transfers; `None` if its data has no units, as bulk and constant-rate data have none.
    pub transfers: Option<Transfers>,
    /// The links its data crosses, as indices into [`Record::links`]: those at the start of the
    /// run; in an information-centric network, those of the best path.
    pub route: Vec<usize>,
    /// The routes that it takes later, each from a time on, ascending.
    pub later_routes: Vec<(Time, Vec<usize>)>,
    /// Data may come by several paths at once, of which `route` is one.
    pub multipath: bool,
    /// Payload bytes of a full segment.
    pub mss: Bytes,
    /// The propagation delays of its route, out and back, at the start.
    pub base_rtt: Span,
    /// Counts over the whole run.
    pub total: FlowCounters,
    /// Counts since the warm-up ended.
    pub steady: FlowCounters,
    /// Round trips measured by the sender since the warm-up ended.
    pub rtt: Histogram,
    /// One-way delays of data packets since the warm-up ended, from leaving the host to arriving.
    pub one_way: Histogram,
    /// Samples at each interval, the first at one interval.
    pub samples: Vec<FlowSample>,
}

/// Counts of one flow; packets are data packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCounters {
    /// Data packets sent, retransmissions included.
    pub sent: u64,
    /// Of these, retransmissions.
    pub retransmitted: u64,
    /// Data packets that arrived, duplicates included.
    pub arrived: u64,
    /// Of these, packets whose data had already arrived.
    pub duplicates: u64,
    /// Data packets dropped on the way.
    pub dropped: u64,
    /// Wire bytes of the data packets that arrived.
    pub arrived_wire: Bytes,
    /// Payload that arrived, in order or not, each byte once.
    pub goodput: Bytes,
    /// The part of the goodput that arrived after the flow had ended.
    pub late_goodput: Bytes,
    /// Transmissions that the sender declared lost.
    pub declared_lost: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times that a recovery began.
    pub recoveries: u64,
    /// Reductions undone as spurious.
    pub undone: u64,
    /// Probe timeouts (RFC 9002 section 6.2) of a QUIC stack; those of TCP are not counted.
    pub probe_timeouts: u64,
    /// Time that a QUIC stack had more to send and was kept from it by its congestion window. Zero
    /// for TCP, like the next three.
    pub blocked_window: Span,
    /// Time that its pacer kept it from sending.
    pub blocked_pacer: Span,
    /// Time that its application had more to send, and flow control, or the number of open streams,
    /// kept it from sending.
    pub blocked_flow_control: Span,
    /// Time that its application had nothing to send.
    pub blocked_application: Span,
    /// Data packets that arrived with ECT(0).
    pub ect0: u64,
    /// Data packets that arrived with ECT(1).
    pub ect1: u64,
    /// Data packets that arrived with CE.
    pub ce: u64,
    /// Acknowledgements sent by the receiver.
    pub acks: u64,
    /// SYNs sent, repetitions included. Zero where a kernel opens connections.
    pub syns: u64,
    /// SYNs, their answers, and the acknowledgements of these, dropped on the way.
    pub dropped_handshakes: u64,
}

impl FlowCounters {
    /// Counts after `before`, an earlier state of these counters.
    pub fn since(&self, before: &FlowCounters) -> FlowCounters {
        FlowCounters {
            sent: self.sent - before.sent,
            retransmitted: self.retransmitted - before.retransmitted,
            arrived: self.arrived - before.arrived,
            duplicates: self.duplicates - before.duplicates,
            dropped: self.dropped - before.dropped,
            arrived_wire: self.arrived_wire - before.arrived_wire,
            goodput: self.goodput - before.goodput,
            late_goodput: self.late_goodput - before.late_goodput,
            declared_lost: self.declared_lost - before.declared_lost,
            timeouts: self.timeouts - before.timeouts,
            recoveries: self.recoveries - before.recoveries,
            undone: self.undone - before.undone,
            probe_timeouts: self.probe_timeouts - before.probe_timeouts,
            blocked_window: self.blocked_window - before.blocked_window,
            blocked_pacer: self.blocked_pacer - before.blocked_pacer,
            blocked_flow_control: self.blocked_flow_control - before.blocked_flow_control,
            blocked_application: self.blocked_application - before.blocked_application,
            ect0: self.ect0 - before.ect0,
            ect1: self.ect1 - before.ect1,
            ce: self.ce - before.ce,
            acks: self.acks - before.acks,
            syns: self.syns - before.syns,
            dropped_handshakes: self.dropped_handshakes - before.dropped_handshakes,
        }
    }

    /// The part of its open connections' time in which a QUIC stack was kept from sending by
    /// something, from 0 to 1; `None` for TCP, and before a connection was open.
    pub fn blocked_share(&self, by: impl Fn(&FlowCounters) -> Span) -> Option<f64> {
        let all = [
            self.blocked_window,
            self.blocked_pacer,
            self.blocked_flow_control,
            self.blocked_application,
        ];
        let sum: f64 = all.iter().map(|span| span.as_secs_f64()).sum();
        (sum > 0.0).then(|| by(self).as_secs_f64() / sum)
    }
}

/// The state of a flow at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowSample {
    /// When.
    pub at: Time,
    /// Payload that arrived since the flow began, in order or not, each byte once.
    pub goodput: Bytes,
    /// Wire bytes of data packets that arrived since the flow began.
    pub arrived_wire: Bytes,
    /// The latest round trip measured; `None` before the first.
    pub rtt: Option<Span>,
    /// The window in segments.
    pub cwnd: f64,
    /// The slow start threshold in segments, if the controller has one and it is finite.
    pub ssthresh: Option<f64>,
    /// Segments in flight.
    pub in_flight: u32,
    /// Its connections at work; of a flow of datagrams none.
    pub connections: u32,
    /// The pacing rate, if it paces.
    pub pacing: Option<Rate>,
    /// Data packets sent since the flow began.
    pub sent: u64,
    /// Data packets dropped on the way since the flow began.
    pub dropped: u64,
}

/// One link (one direction).
#[derive(Clone, Debug)]
pub struct LinkRecord {
    /// Its name.
    pub name: String,
    /// Its constant rate; `None` for a trace, for an unlimited link and for one whose rate changes
    /// or that has outages: the samples' capacity follows these.
    pub rate: Option<Rate>,
    /// Its propagation delay at the start.
    pub delay: Span,
    /// Its buffer in bytes at the start, if it has a limit in bytes.
    pub buffer: Option<Bytes>,
    /// The buffer in packets at the start, if it has a limit in packets.
    pub buffer_packets: Option<u32>,
    /// Its other effects on packets.
    pub nature: LinkNature,
    /// Counts over the whole run.
    pub total: LinkCounters,
    /// Counts since the warm-up ended.
    pub steady: LinkCounters,
    /// The amount that the link could have sent since the warm-up ended; `None` for an unlimited
    /// link.
    pub capacity: Option<Bytes>,
    /// Queueing delays since the warm-up ended: from arrival in the queue to the start of
    /// transmission.
    pub queueing: Histogram,
    /// Samples at each interval.
    pub samples: Vec<LinkSample>,
    /// Packets left in the queue at the end.
    pub left_queued: u64,
    /// Packets that had left the queue but not arrived at the end.
    pub left_in_flight: u64,
}

/// The effects of a link on packets besides delaying them at its rate, as the scenario has them at
/// the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkNature {
    /// Its queue discipline with parameters, empty for drop-tail.
    pub queue: String,
    /// How much is lost in the long run that has nothing to do with its queue, in words; empty for
    /// none.
    pub loss: String,
    /// Deliveries come in bursts, one in each such time; zero for none.
    pub aggregate: Span,
}

/// Counts of one link, of packets of every kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets offered to it.
    pub offered: u64,
    /// Packets whose transmission ended.
    pub departed: u64,
    /// Wire bytes sent: those of these packets, and the part of the packet in transmission that has
    /// left.
    pub departed_bytes: Bytes,
    /// Packets delivered at the far end.
    pub delivered: u64,
    /// Packets lost by the link's loss model.
    pub lost: u64,
    /// Packets dropped because the buffer was full.
    pub overflowed: u64,
    /// Packets dropped by the discipline before that.
    pub dropped_early: u64,
    /// Packets marked CE.
    pub marked: u64,
}

impl LinkCounters {
    /// Counts after `before`, an earlier state of these counters.
    pub fn since(&self, before: &LinkCounters) -> LinkCounters {
        LinkCounters {
            offered: self.offered - before.offered,
            departed: self.departed - before.departed,
            departed_bytes: self.departed_bytes - before.departed_bytes,
            delivered: self.delivered - before.delivered,
            lost: self.lost - before.lost,
            overflowed: self.overflowed - before.overflowed,
            dropped_early: self.dropped_early - before.dropped_early,
            marked: self.marked - before.marked,
        }
    }
}

/// The state of a link at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkSample {
    /// When.
    pub at: Time,
    /// Bytes waiting, the packet in transmission not counted.
    pub queue: Bytes,
    /// Packets waiting, the packet in transmission not counted.
    pub queue_packets: u64,
    /// Wire bytes sent since the run began, the part of the packet in transmission that has left
    /// included.
    pub departed_bytes: Bytes,
    /// Packets dropped for any reason since the run began.
    pub dropped: u64,
    /// Packets marked since the run began.
    pub marked: u64,
    /// The amount that the link could have sent since the run began; zero for an unlimited link.
    pub capacity: Bytes,
}
