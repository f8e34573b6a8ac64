//! The network of a scenario, as every world runs it.

use crate::{LinkId, Scenario, What};
use narrows_network::{Network, Routed};
use narrows_path::{LinkChange, LinkConfig};

impl Scenario {
    /// Its links, empty, with the routes of its flows and everything that is to change. The nodes of an information-centric network choose
    /// link by link: there each link is the route of a flow of its own.
    pub fn network<P: Routed>(&self) -> Network<P> {
        let links = self.links.iter().map(|link| (link.name.as_str(), &link.config));
        let mut network = Network::new(links, self.seed, self.samples());
        match self.icn {
            None => self.flows.iter().for_each(|flow| network.add_flow(&flow.route, &flow.back)),
            Some(_) => {
                (0..self.links.len()).for_each(|link| network.add_flow(&[LinkId(link)], &[]))
            }
        }
        network.set_changes(&self.changes);
        network
    }

    /// Samples that a run takes.
    pub fn samples(&self) -> usize {
        (self.duration.as_nanos() / self.interval.as_nanos()) as usize
    }

    /// What the record of each link says of it beside what was measured: its name, its configuration, and whether nothing changes its rate.
    pub fn link_plans(&self) -> impl Iterator<Item = (&str, &LinkConfig, bool)> {
        self.links
            .iter()
            .enumerate()
            .map(|(index, link)| (link.name.as_str(), &link.config, self.keeps_rate(LinkId(index))))
    }

    /// True if nothing changes the rate of this link.
    pub fn keeps_rate(&self, link: LinkId) -> bool {
        !self.changes.iter().any(|change| matches!(change.what, What::Link(of, LinkChange::Rate(_) | LinkChange::Down) if of == link))
    }
}
