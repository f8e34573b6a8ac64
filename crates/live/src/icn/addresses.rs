//! Addresses of neighbours. Each link between two hosts has its own addresses, which distinguish it
//! from other links between them.

use crate::plan::subnet_v4;
use narrows_scenario::{Face, Icn, LinkId, Scenario};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The ends of each link.
pub struct LinkEnds {
    /// Link of packets from one address to another.
    links: BTreeMap<(IpAddr, IpAddr), u32>,
    /// Host at the end of each link.
    pub to: Vec<usize>,
    /// Addresses of the faces' neighbours, in the order of the scenario's faces.
    pub neighbours: Vec<IpAddr>,
    /// Greatest number of links between two hosts, each of which needs a network of addresses.
    pub networks: usize,
}

impl LinkEnds {
    /// Assigns the addresses of a scenario's links. Hosts have the numbers of their nodes.
    pub fn of(scenario: &Scenario, icn: &Icn) -> LinkEnds {
        let mut used: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut network_of: BTreeMap<LinkId, usize> = BTreeMap::new();
        let (mut links, mut neighbours) = (BTreeMap::new(), Vec::new());
        let to: Vec<usize> = scenario.links.iter().map(|link| link.to.0).collect();
        for Face { node, leaving, coming } in &icn.faces {
            let (here, there) = (node.0, to[leaving.0]);
            let both = (*leaving).min(*coming);
            let network = *network_of.entry(both).or_insert_with(|| {
                let next = used.entry((here.min(there), here.max(there))).or_default();
                *next += 1;
                *next - 1
            });
            let address = |host: usize| subnet_v4(network, host as u16).address;
            links.insert((address(here), address(there)), leaving.0 as u32);
            neighbours.push(address(there));
        }
        LinkEnds { links, to, neighbours, networks: used.values().copied().max().unwrap_or(1) }
    }

    /// Returns the link of packets from one address to another.
    pub fn link(&self, from: IpAddr, to: IpAddr) -> Option<u32> {
        self.links.get(&(from, to)).copied()
    }
}
