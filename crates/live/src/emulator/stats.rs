//! Counts of an emulation: for each flow, and for the emulator itself.

use super::scheduler::SchedStat;
use narrows_measure::{FlowCounters, FlowSample, Histogram, LinkRecord};
use narrows_units::{Span, Time};

/// The results of an emulation.
pub struct Emulated<C> {
    pub links: Vec<LinkRecord>,
    /// Counts of flows.
    pub flows: C,
    pub stats: EmulatorStats,
    /// Time at which it stopped.
    pub ended: Time,
}

/// Counts of the emulator itself.
#[derive(Debug, Default)]
pub struct EmulatorStats {
    /// Lateness of each written packet.
    pub lateness: Histogram,
    /// Number of packets read, in wire size.
    pub packets: u64,
    /// Reads and writes with data.
    pub crossings: u64,
    /// Packets that belong to no flow.
    pub unknown: u64,
    /// Packets that could not be written.
    pub refused: u64,
    /// Time spent waiting.
    pub idle: Span,
    /// Longest time between two polls of the devices while packets were in flight.
    pub gap_max: Span,
    /// Sum of the times by which such gaps exceeded the acceptable lateness of packets.
    pub overlooked: Span,
    /// Time for which its thread waited for a core.
    pub scheduler: SchedStat,
}

impl EmulatorStats {
    /// Records the gap between two polls of the devices. A packet may have waited for the whole
    /// gap; only the part beyond `sound` counts.
    pub fn polled_after(&mut self, gap: Span, sound: Span) {
        self.gap_max = self.gap_max.max(gap);
        self.overlooked += gap.saturating_sub(sound);
    }
}

/// Combines the network's sample of a flow with the kernel's sample of its connections.
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
    /// Samples of the network.
    pub samples: Vec<FlowSample>,
    /// Numbers of the dropped datagrams.
    pub lost: Vec<u64>,
}
