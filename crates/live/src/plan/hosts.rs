//! Hosts of a scenario: the nodes at the ends of its flows, in the order of the nodes; all nodes of
//! an information-centric scenario.

use narrows_scenario::{NodeId, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// The hosts of a scenario and of each flow. Hosts are numbered from 0.
pub struct HostMap {
    /// Number of each node's host.
    pub numbers: BTreeMap<NodeId, usize>,
    /// Hosts of the sender and the receiver of each flow.
    pub ends: Vec<(usize, usize)>,
}

impl HostMap {
    /// Numbers the hosts of a scenario's flows.
    pub fn of(scenario: &Scenario) -> HostMap {
        let nodes: BTreeSet<NodeId> =
            scenario.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
        let numbers: BTreeMap<NodeId, usize> =
            nodes.into_iter().enumerate().map(|(host, node)| (node, host)).collect();
        let ends =
            scenario.flows.iter().map(|flow| (numbers[&flow.from], numbers[&flow.to])).collect();
        HostMap { numbers, ends }
    }

    /// Makes every node a host with the node's number, and each link the route of a flow.
    pub fn of_nodes(scenario: &Scenario) -> HostMap {
        let numbers = (0..scenario.nodes.len()).map(|node| (NodeId(node), node)).collect();
        let ends = scenario.links.iter().map(|link| (link.from.0, link.to.0)).collect();
        HostMap { numbers, ends }
    }

    /// Returns the names of the hosts' nodes, in the order of their numbers.
    pub fn names<'a>(&self, scenario: &'a Scenario) -> Vec<&'a str> {
        self.numbers.keys().map(|node| scenario.nodes[node.0].name.as_str()).collect()
    }
}
