//! What the network hands out: counted by flow, and put in order for the hosts.

use crate::network::{Transit, Watcher};
use crate::wire::WirePacket;
use narrows_measure::{FlowCounters, Histogram};
use narrows_path::Packet;
use narrows_units::{Bytes, Time};
use std::collections::VecDeque;

/// What the emulator counts of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowTally {
    pub counters: FlowCounters,
    pub at_warmup: FlowCounters,
    pub one_way: Histogram,
    /// Wire bytes arrived, packets sent and dropped at each sample.
    pub samples: Vec<(Bytes, u64, u64)>,
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
    ends: &'a [(usize, usize)],
    pub tallies: Vec<FlowTally>,
    /// In order of their times.
    pub outbox: VecDeque<Parcel>,
}

impl Desk<'_> {
    /// One that has seen nothing. `ends` are the places of each flow's hosts.
    pub fn new(ends: &[(usize, usize)]) -> Desk<'_> {
        Desk { ends, tallies: vec![FlowTally::default(); ends.len()], outbox: VecDeque::new() }
    }

    /// The warm-up is over.
    pub fn end_warmup(&mut self) {
        for tally in &mut self.tallies {
            (tally.at_warmup, tally.one_way) = (tally.counters, Histogram::new());
        }
    }

    /// Takes a sample of each flow.
    pub fn sample(&mut self) {
        for FlowTally { counters, samples, .. } in &mut self.tallies {
            samples.push((counters.arrived_wire, counters.sent, counters.dropped));
        }
    }

    /// A packet of this flow enters the network.
    pub fn sent(&mut self, flow: u32, back: bool, payload: u32) {
        let counters = &mut self.tallies[flow as usize].counters;
        counters.sent += u64::from(!back && payload > 0);
    }
}

impl Watcher<WirePacket> for Desk<'_> {
    fn delivered(&mut self, at: Time, transit: Transit<WirePacket>) {
        let (from, to) = self.ends[transit.flow as usize];
        let tally = &mut self.tallies[transit.flow as usize];
        if transit.back {
            tally.counters.acks += 1;
        } else if transit.payload > 0 {
            tally.counters.arrived += 1;
            tally.counters.arrived_wire += transit.packet.size();
            tally.one_way.record(at.since(transit.entered));
        }
        self.outbox.push_back(Parcel { due: at, host: if transit.back { from } else { to }, packet: transit.packet });
    }

    fn dropped(&mut self, _: Time, flow: u32, back: bool, payload: u32) {
        let counters = &mut self.tallies[flow as usize].counters;
        counters.dropped += u64::from(!back && payload > 0);
    }
}
