//! Counts of an emulation: of each flow, and of the emulator's own work.

use super::scheduler::SchedStat;
use narrows_measure::{FlowCounters, FlowSample, Histogram, LinkRecord};
use narrows_units::{Span, Time};

/// The results of an emulation.
pub struct Emulated<C> {
    pub links: Vec<LinkRecord>,
    /// What was counted of flows.
    pub flows: C,
    pub stats: EmulatorStats,
    /// When it stopped.
    pub ended: Time,
}

/// Counts of the emulator's own work.
#[derive(Debug, Default)]
pub struct EmulatorStats {
    /// How late each packet was written.
    pub lateness: Histogram,
    /// Packets of wire size read.
    pub packets: u64,
    /// Reads and writes that carried something.
    pub crossings: u64,
    /// Packets of no flow.
    pub unknown: u64,
    /// Packets that could not be written.
    pub refused: u64,
    /// Time spent waiting.
    pub idle: Span,
    /// The longest time in which no device was looked at while packets were under way.
    pub gap_max: Span,
    /// How much of such times a packet would have been read later than is sound.
    pub overlooked: Span,
    /// How long its thread waited for a core.
    pub scheduler: SchedStat,
}

impl EmulatorStats {
    /// Devices are polled again after such a time: packets that came in it may have waited for as long. Only the part beyond `sound`
    /// matters.
    pub fn polled_after(&mut self, gap: Span, sound: Span) {
        self.gap_max = self.gap_max.max(gap);
        self.overlooked += gap.saturating_sub(sound);
    }
}

/// A flow's sample: what the network knows of it, and what the kernel tells of its connections.
pub fn with_sockets(network: FlowSample, sockets: FlowSample) -> FlowSample {
    let FlowSample { rtt, arrived_wire, sent, dropped, goodput, .. } = network;
    FlowSample { rtt, arrived_wire, sent, dropped, goodput, ..sockets }
}

/// Counts of a flow in the network.
#[derive(Clone, Debug, Default)]
pub struct FlowStats {
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
