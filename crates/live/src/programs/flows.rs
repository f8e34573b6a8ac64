//! The flows of programs in a scenario: all that two hosts send each other beside the scenario's own flows.

use narrows_scenario::{Change, Flow, FlowId, NodeId, Scenario, What};
use narrows_units::{Span, Time};
use std::collections::BTreeMap;

/// The scenario with the flows of programs behind its own flows, if those are wanted: two for each pair of hosts that a flow connects, one
/// in each direction, over the routes of the first flow between them. Also returns the number of its own flows.
pub fn with_program_flows(scenario: &Scenario, with_flows: bool) -> (Scenario, usize) {
    let mut flows = if with_flows { scenario.flows.clone() } else { Vec::new() };
    let own = flows.len();
    // The first of the two for a flow that has given them its routes, by that flow's number.
    let mut between: BTreeMap<usize, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate().filter(|(_, flow)| flow.controller.is_some()) {
        let pair = (flow.from.min(flow.to), flow.from.max(flow.to));
        if !pairs.contains(&pair) {
            pairs.push(pair);
            between.insert(index, flows.len());
            let there = Flow { controller: None, start: Time::ZERO, stop: None, pauses: Vec::new(), ..flow.clone() };
            let back = Flow { from: flow.to, to: flow.from, route: flow.back.clone(), back: flow.route.clone(), ..there.clone() };
            flows.extend([there, back]);
        }
    }
    let several = pairs.len() > 1;
    for flow in &mut flows[own..] {
        let node = |id: NodeId| &scenario.nodes[id.0].name;
        flow.name = if several { format!("program {} to {}", node(flow.from), node(flow.to)) } else { "program".to_owned() };
    }
    let mut changes = Vec::new();
    for change in &scenario.changes {
        let What::Route { flow, route, back } = &change.what else {
            changes.push(change.clone());
            continue;
        };
        let mut push = |flow: usize, route: &[_], back: &[_]| {
            changes.push(Change { at: change.at, what: What::Route { flow: FlowId(flow), route: route.to_vec(), back: back.to_vec() } });
        };
        if with_flows {
            push(flow.0, route, back);
        }
        if let Some(first) = between.get(&flow.0) {
            push(*first, route, back);
            push(first + 1, back, route);
        }
    }
    (Scenario { flows, changes, warmup: Span::ZERO, ..scenario.clone() }, own)
}
