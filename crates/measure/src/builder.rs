//! How worlds put a record together.

use crate::{Change, Emulation, FlowRecord, IcnRecord, LinkRecord, Record};
use narrows_units::Span;

/// A record that grows until the run is finished.
#[derive(Clone, Debug)]
pub struct RecordBuilder {
    record: Record,
}

impl RecordBuilder {
    /// The record of a run of `duration` with this seed, of which statistics leave out `warmup`,
    /// sampled at each `interval`, with what changed in the network.
    pub fn new(
        seed: u64,
        duration: Span,
        warmup: Span,
        interval: Span,
        changes: Vec<Change>,
    ) -> RecordBuilder {
        let flows = Vec::new();
        let links = Vec::new();
        let record = Record {
            seed,
            duration,
            warmup,
            part: None,
            interval,
            flows,
            links,
            changes,
            events: 0,
            hops: 0,
            icn: None,
            emulation: None,
        };
        RecordBuilder { record }
    }

    /// The flows, in the scenario's order.
    pub fn flows(mut self, flows: Vec<FlowRecord>) -> RecordBuilder {
        self.record.flows = flows;
        self
    }

    /// The links, in the scenario's order, and with them the packet-hops.
    pub fn links(mut self, links: Vec<LinkRecord>) -> RecordBuilder {
        self.record.hops = links.iter().map(|link| link.total.delivered).sum();
        self.record.links = links;
        self
    }

    /// How many events the world processed.
    pub fn events(mut self, events: u64) -> RecordBuilder {
        self.record.events = events;
        self
    }

    /// The part that only information-centric networks have.
    pub fn icn(mut self, icn: IcnRecord) -> RecordBuilder {
        self.record.icn = Some(Box::new(icn));
        self
    }

    /// How exact the emulation was.
    pub fn emulation(mut self, emulation: Emulation) -> RecordBuilder {
        self.record.emulation = Some(emulation);
        self
    }

    /// The record.
    pub fn finish(self) -> Record {
        self.record
    }
}
