//! Builds the network of a scenario, the same for every world.

use crate::{LinkId, Scenario, What};
use narrows_network::{Network, Routed};
use narrows_path::{LinkChange, LinkConfig};

impl Scenario {
    /// Builds the empty network: links, routes of flows, and pending changes. The nodes of an
    /// information-centric network choose link by link, so each of its links is the route of one
    /// flow.
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

    /// Returns the number of samples that a run takes.
    pub fn samples(&self) -> usize {
        (self.duration.as_nanos() / self.interval.as_nanos()) as usize
    }

    /// Yields the part of each link's record that is known before the run: the name, the
    /// configuration, and true if nothing changes its rate.
    pub fn link_plans(&self) -> impl Iterator<Item = (&str, &LinkConfig, bool)> {
        self.links
            .iter()
            .enumerate()
            .map(|(index, link)| (link.name.as_str(), &link.config, self.keeps_rate(LinkId(index))))
    }

    /// True if no change sets the rate of this link or takes it down.
    pub fn keeps_rate(&self, link: LinkId) -> bool {
        !self.changes.iter().any(|change| matches!(change.what, What::Link(of, LinkChange::Rate(_) | LinkChange::Down) if of == link))
    }
}
