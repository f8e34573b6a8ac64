//! The flows of programs in a scenario: all that two hosts send each other beside the scenario's own flows.

use super::set::Beside;
use narrows_scenario::{Change, Flow, FlowId, NodeId, Scenario, What};
use narrows_units::{Span, Time};
use std::collections::BTreeMap;

/// The scenario with the flows of programs behind those that run beside them: two for each pair of hosts that one of the others with a controller connects, one in
/// each direction, over the routes of the first flow between them. Also returns how many run beside them.
pub fn with_program_flows(scenario: &Scenario, beside: Beside) -> (Scenario, usize) {
    let stays = |place: usize| match beside {
        Beside::Nothing => false,
        Beside::Everything => true,
        Beside::AllBut(replaced) => place != replaced.0,
    };
    let gives_way = |place: usize| match beside {
        Beside::Nothing | Beside::Everything => true,
        Beside::AllBut(replaced) => place == replaced.0,
    };
    // Where each flow of the scenario is now.
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    let mut flows = Vec::new();
    for (place, flow) in scenario.flows.iter().enumerate().filter(|(place, _)| stays(*place)) {
        places.insert(place, flows.len());
        flows.push(flow.clone());
    }
    let own = flows.len();
    // The first of the two for a flow that has given them its routes, by that flow's number.
    let mut between: BTreeMap<usize, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (index, flow) in scenario.flows.iter().enumerate().filter(|(place, flow)| flow.controller.is_some() && gives_way(*place)) {
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
        flow.name = match beside {
            Beside::AllBut(replaced) => scenario.flows[replaced.0].name.clone(),
            _ if several => format!("program {} to {}", node(flow.from), node(flow.to)),
            _ => "program".to_owned(),
        };
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
        if let Some(place) = places.get(&flow.0) {
            push(*place, route, back);
        }
        if let Some(first) = between.get(&flow.0) {
            push(*first, route, back);
            push(first + 1, back, route);
        }
    }
    let warmup = if matches!(beside, Beside::AllBut(_)) { scenario.warmup } else { Span::ZERO };
    (Scenario { flows, changes, warmup, ..scenario.clone() }, own)
}
