//! The parts of a network that share no link: what happens in one never reaches another.
//!
//! Each is run by itself, one after another, so that the state at work at any moment is that of one
//! part and stays near the processor however large the whole is.

use crate::follow::PartFollower;
use narrows_measure::{FlowRecord, Follower, LinkRecord, Record};
use narrows_scenario::{Change, Flow, FlowId, LinkId, Scenario, What};
use std::sync::Arc;

/// A scenario taken apart.
pub(crate) struct Parts<'a> {
    whole: &'a Scenario,
    parts: Vec<Part>,
    /// The number of each link and flow within its part.
    links: Vec<usize>,
    flows: Vec<usize>,
}

/// The elements of one part, by number in the scenario.
#[derive(Default)]
struct Part {
    links: Vec<usize>,
    flows: Vec<usize>,
    changes: Vec<usize>,
}

impl<'a> Parts<'a> {
    /// Links belong together if a flow crosses both at any time, out or back. Links that nobody
    /// uses are with the first.
    pub(crate) fn new(whole: &'a Scenario) -> Parts<'a> {
        let mut groups = Groups((0..whole.links.len()).collect());
        let mut used = vec![false; whole.links.len()];
        let mut join = |anchor: LinkId, route: &[LinkId]| {
            for link in route {
                groups.join(anchor.0, link.0);
                used[link.0] = true;
            }
        };
        let anchor = |flow: &Flow| flow.route[0];
        for flow in whole.flows.iter() {
            join(anchor(flow), &flow.route);
            join(anchor(flow), &flow.back);
        }
        for change in &whole.changes {
            if let What::Route { flow, route, back } = &change.what {
                join(anchor(&whole.flows[flow.0]), route);
                join(anchor(&whole.flows[flow.0]), back);
            }
        }
        for idle in (0..used.len()).filter(|link| !used[*link]) {
            groups.join(0, idle);
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut part_of = vec![0; whole.links.len()];
        let mut links = Vec::with_capacity(whole.links.len());
        for link in 0..whole.links.len() {
            let first = groups.first(link);
            if first == link {
                part_of[link] = parts.len();
                parts.push(Part::default());
            }
            part_of[link] = part_of[first];
            links.push(parts[part_of[link]].links.len());
            parts[part_of[link]].links.push(link);
        }
        let mut flows = Vec::with_capacity(whole.flows.len());
        for (number, flow) in whole.flows.iter().enumerate() {
            let part = &mut parts[part_of[anchor(flow).0]];
            flows.push(part.flows.len());
            part.flows.push(number);
        }
        for (number, change) in whole.changes.iter().enumerate() {
            let link = match &change.what {
                What::Link(link, _) => *link,
                What::Route { flow, .. } => anchor(&whole.flows[flow.0]),
            };
            parts[part_of[link.0]].changes.push(number);
        }
        Parts { whole, parts, links, flows }
    }

    pub(crate) fn count(&self) -> usize {
        self.parts.len()
    }

    /// One part as a scenario of its own. Names are kept, and with them the random draws.
    pub(crate) fn scenario(&self, part: usize) -> Scenario {
        let Scenario { seed, duration, warmup, interval, send_overhead, .. } = *self.whole;
        let Part { links, flows, changes } = &self.parts[part];
        Scenario {
            name: self.whole.name.clone(),
            seed,
            duration,
            warmup,
            interval,
            send_overhead,
            nodes: Vec::new(),
            links: links.iter().map(|link| self.whole.links[*link].clone()).collect(),
            flows: Arc::new(flows.iter().map(|flow| self.flow(*flow)).collect()),
            icn: None,
            changes: changes.iter().map(|change| self.change(*change)).collect(),
            expect: Vec::new(),
        }
    }

    /// Follows one part for someone who follows the whole.
    pub(crate) fn follower<'f>(
        &'f self,
        part: usize,
        whole: &'f mut dyn Follower,
    ) -> PartFollower<'f> {
        let Part { links, flows, .. } = &self.parts[part];
        PartFollower { flows, links, whole }
    }

    fn flow(&self, number: usize) -> Flow {
        let flow = &self.whole.flows[number];
        Flow { route: self.route(&flow.route), back: self.route(&flow.back), ..flow.clone() }
    }

    fn change(&self, number: usize) -> Change {
        let change = &self.whole.changes[number];
        let what = match &change.what {
            What::Link(link, change) => What::Link(LinkId(self.links[link.0]), *change),
            What::Route { flow, route, back } => What::Route {
                flow: FlowId(self.flows[flow.0]),
                route: self.route(route),
                back: self.route(back),
            },
        };
        Change { at: change.at, what }
    }

    fn route(&self, links: &[LinkId]) -> Vec<LinkId> {
        links.iter().map(|link| LinkId(self.links[link.0])).collect()
    }

    /// The record of the whole from those of its parts, in their order.
    pub(crate) fn join(&self, records: Vec<Record>) -> Record {
        let events = records.iter().map(|record| record.events).sum();
        let mut flows: Vec<(usize, FlowRecord)> = Vec::with_capacity(self.flows.len());
        let mut links: Vec<(usize, LinkRecord)> = Vec::with_capacity(self.links.len());
        for (part, record) in self.parts.iter().zip(records) {
            let back = |link: usize| part.links[link];
            let of_whole = |flow: FlowRecord| flow.with_links_at(back);
            flows.extend(part.flows.iter().copied().zip(record.flows.into_iter().map(of_whole)));
            links.extend(part.links.iter().copied().zip(record.links));
        }
        flows.sort_by_key(|(number, _)| *number);
        links.sort_by_key(|(number, _)| *number);
        let flows = flows.into_iter().map(|(_, flow)| flow).collect();
        let links = links.into_iter().map(|(_, link)| link).collect();
        self.whole.record().flows(flows).links(links).events(events).finish()
    }
}

/// Links that belong together: each says one of its group with a lower number, the first of a group
/// itself.
struct Groups(Vec<usize>);

impl Groups {
    fn first(&mut self, mut link: usize) -> usize {
        while self.0[link] != link {
            self.0[link] = self.0[self.0[link]];
            link = self.0[link];
        }
        link
    }

    fn join(&mut self, a: usize, b: usize) {
        let a = self.first(a);
        let b = self.first(b);
        self.0[a.max(b)] = a.min(b);
    }
}
