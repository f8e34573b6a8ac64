//! Where the neighbours of nodes are: each link between two hosts has addresses of its own, which tell it from others between them.

use crate::plan::subnet_v4;
use narrows_scenario::{Face, Icn, LinkId, Scenario};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Both ends of each link.
pub struct LinkEnds {
    /// The link on which packets leave that go from one address to another.
    links: BTreeMap<(IpAddr, IpAddr), u32>,
    /// The host where each link ends.
    pub to: Vec<usize>,
    /// The addresses of the neighbours of faces, in the order of the scenario's faces.
    pub neighbours: Vec<IpAddr>,
    /// The most links between two hosts, each of which needs a network of addresses.
    pub networks: usize,
}

impl LinkEnds {
    /// Those of a scenario's links. Hosts have the numbers of their nodes.
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

    /// The link on which a packet from one address to another leaves.
    pub fn link(&self, from: IpAddr, to: IpAddr) -> Option<u32> {
        self.links.get(&(from, to)).copied()
    }
}
