//! The record of consumers before the run.

use super::model::{Icn, PrefixId};
use crate::{LinkId, NodeId, Scenario};
use narrows_measure::{
    ConsumerRecord, FlowCounters, FlowRecord, Histogram, IcnRecord, RatesRecord, Record,
};
use narrows_network::Routed;
use narrows_units::{Span, Time};

impl Icn {
    /// Returns the records of flows before the run: one for each consumer, and one for each node of
    /// each request process.
    pub fn flow_records(&self, scenario: &Scenario) -> Vec<FlowRecord> {
        let plan = |name: String,
                    controller: String,
                    start: Time,
                    end: Option<Time>,
                    at: NodeId,
                    prefix: PrefixId| {
            let way = self.way(at, prefix);
            FlowRecord {
                name,
                controller,
                start,
                end,
                completed: false,
                transfers: None,
                base_rtt: self.base_rtt(scenario, &way),
                route: way.iter().map(|link| link.0).collect(),
                later_routes: Vec::new(),
                multipath: self.has_several_paths(scenario, at, prefix),
                mss: self.prefixes[prefix.0].data,
                total: FlowCounters::default(),
                steady: FlowCounters::default(),
                rtt: Histogram::new(),
                one_way: Histogram::new(),
                samples: Vec::new(),
            }
        };
        let single = self.consumers.iter().map(|consumer| {
            plan(
                consumer.name.clone(),
                consumer.by.text().to_owned(),
                consumer.start,
                consumer.stop,
                consumer.at,
                consumer.prefix,
            )
        });
        let many = self
            .requests
            .iter()
            .flat_map(|process| process.at.iter().map(move |at| (process, *at)));
        let many = many.map(|(process, at)| {
            let name = process.at_node(&scenario.nodes[at.0].name);
            plan(name, process.by.text().to_owned(), process.start, None, at, process.prefixes[0])
        });
        single.chain(many).collect()
    }

    /// True if Interests from a node may take more than one path to the producers.
    fn has_several_paths(&self, scenario: &Scenario, at: NodeId, prefix: PrefixId) -> bool {
        let mut taken = vec![false; scenario.nodes.len()];
        let (mut from, mut several) = (vec![at], false);
        while let Some(node) = from.pop() {
            if std::mem::replace(&mut taken[node.0], true)
                || self.prefixes[prefix.0].at.contains(&node)
            {
                continue;
            }
            let next = self.next_hops(node, prefix);
            several |= next.len() > 1;
            from.extend(next.iter().map(|link| scenario.links[link.0].to));
        }
        several
    }

    /// Returns the propagation delays along a path of Data, out and back.
    fn base_rtt(&self, scenario: &Scenario, way: &[LinkId]) -> Span {
        let both =
            way.iter().filter_map(|coming| self.faces.iter().find(|face| face.coming == *coming));
        let delay = |link: LinkId| scenario.links[link.0].config.delay;
        both.fold(Span::ZERO, |sum, face| sum + delay(face.leaving) + delay(face.coming))
    }

    /// Builds the record without measurements; `P` is the packet type of the world.
    pub fn blank_record<P: Routed>(&self, scenario: &Scenario) -> Record {
        let flows = self.flow_records(scenario);
        let consumer = |place| ConsumerRecord {
            many: place >= self.consumers.len(),
            ..ConsumerRecord::default()
        };
        let record = IcnRecord {
            law: self.law.as_ref().map(|law| law.text().to_owned()),
            rates: vec![RatesRecord::default(); scenario.links.len()],
            consumers: (0..flows.len()).map(consumer).collect(),
            ..IcnRecord::default()
        };
        scenario.blank_record::<P>().flows(flows).icn(record).finish()
    }
}
