//! The hosts of a scenario: the nodes where its flows begin and end, in the order of the nodes; of an information-centric one, all.

use narrows_scenario::{NodeId, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// The hosts of a scenario, and those of each flow. Hosts are numbered from 0.
pub struct HostMap {
    /// The number of each node's host.
    pub numbers: BTreeMap<NodeId, usize>,
    /// The hosts of each flow's sender and receiver.
    pub ends: Vec<(usize, usize)>,
}

impl HostMap {
    /// Those of a scenario's flows.
    pub fn of(scenario: &Scenario) -> HostMap {
        let nodes: BTreeSet<NodeId> =
            scenario.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
        let numbers: BTreeMap<NodeId, usize> =
            nodes.into_iter().enumerate().map(|(host, node)| (node, host)).collect();
        let ends =
            scenario.flows.iter().map(|flow| (numbers[&flow.from], numbers[&flow.to])).collect();
        HostMap { numbers, ends }
    }

    /// Every node is a host, with its number, and each link the route of a flow.
    pub fn of_nodes(scenario: &Scenario) -> HostMap {
        let numbers = (0..scenario.nodes.len()).map(|node| (NodeId(node), node)).collect();
        let ends = scenario.links.iter().map(|link| (link.from.0, link.to.0)).collect();
        HostMap { numbers, ends }
    }

    /// The names of the hosts' nodes, in the order of their numbers.
    pub fn names<'a>(&self, scenario: &'a Scenario) -> Vec<&'a str> {
        self.numbers.keys().map(|node| scenario.nodes[node.0].name.as_str()).collect()
    }
}
