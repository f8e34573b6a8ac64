//! Flows of programs in a scenario: all traffic between two hosts that does not belong to the
//! scenario's flows.

use super::set::Beside;
use narrows_scenario::{Change, Flow, FlowId, NodeId, Scenario, What};
use narrows_units::{Span, Time};
use std::collections::BTreeMap;

/// Adds the flows of programs after the scenario's flows that stay. There are two for each pair of
/// hosts with a removed flow that has a controller, or with any such flow if none is removed: one
/// in each direction, over the routes of the first of these flows. Also returns the number of flows
/// that stay.
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
    // New index of each flow that stays.
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    let mut flows = Vec::new();
    for (place, flow) in scenario.flows.iter().enumerate().filter(|(place, _)| stays(*place)) {
        places.insert(place, flows.len());
        flows.push(flow.clone());
    }
    let own = flows.len();
    // Index of the first of the two program flows, by the index of the flow that gives the routes.
    let mut between: BTreeMap<usize, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (index, flow) in scenario
        .flows
        .iter()
        .enumerate()
        .filter(|(place, flow)| flow.controller.is_some() && gives_way(*place))
    {
        let pair = (flow.from.min(flow.to), flow.from.max(flow.to));
        if !pairs.contains(&pair) {
            pairs.push(pair);
            between.insert(index, flows.len());
            let there = Flow {
                controller: None,
                start: Time::ZERO,
                stop: None,
                pauses: Vec::new(),
                ..flow.clone()
            };
            let back = Flow {
                from: flow.to,
                to: flow.from,
                route: flow.back.clone(),
                back: flow.route.clone(),
                ..there.clone()
            };
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
            changes.push(Change {
                at: change.at,
                what: What::Route {
                    flow: FlowId(flow),
                    route: route.to_vec(),
                    back: back.to_vec(),
                },
            });
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
    (Scenario { flows: flows.into(), changes, warmup, ..scenario.clone() }, own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Two flows between the same hosts, the first with a change of its route, and a flow between
    /// other hosts.
    fn scenario() -> Scenario {
        let link = |name: &str| {
            format!(
                "[[link]]\nname = \"{name}\"\nbetween = [\"left\", \"right\"]\nrate = \"10 Mbit/s\"\n"
            )
        };
        let flow = |name: &str, from: &str| {
            format!(
                "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"right\"\ncontroller = \"cubic\"\n"
            )
        };
        let text = [
            "duration = \"10 s\"\nwarmup = \"2 s\"\n".to_owned(),
            link("one"),
            link("two"),
            "[[link]]\nname = \"far\"\nbetween = [\"far\", \"left\"]\nrate = \"10 Mbit/s\"\n"
                .to_owned(),
            flow("other", "left").replace("controller", "route = [\"one\"]\ncontroller"),
            flow("self", "left").replace("controller", "route = [\"one\"]\ncontroller"),
            flow("third", "far").replace("controller", "route = [\"far\", \"one\"]\ncontroller"),
            "[[change]]\nflow = \"self\"\nat = \"5 s\"\nroute = [\"two\"]\n".to_owned(),
            "[[change]]\nflow = \"third\"\nat = \"6 s\"\nroute = [\"far\", \"two\"]\n".to_owned(),
        ]
        .concat();
        let none = |_: &std::path::Path| Err(io::Error::from(io::ErrorKind::NotFound));
        narrows_scenario::parse(&text, "t.toml", &none)
            .unwrap_or_else(|error| panic!("{}", error.short()))
    }

    fn names(scenario: &Scenario) -> Vec<&str> {
        scenario.flows.iter().map(|flow| flow.name.as_str()).collect()
    }

    #[test]
    fn a_program_that_replaces_a_flow_has_its_name_route_and_warmup() {
        let before = scenario();
        let (after, own) = with_program_flows(&before, Beside::AllBut(FlowId(1)));
        assert_eq!((names(&after), own), (vec!["other", "third", "self", "self"], 2));
        assert_eq!(after.warmup, before.warmup);
        let [there, back] = [&after.flows[2], &after.flows[3]];
        assert_eq!((&there.route, &back.route), (&before.flows[1].route, &before.flows[1].back));
        assert!(there.controller.is_none() && back.controller.is_none());
        let changed: Vec<usize> = after
            .changes
            .iter()
            .filter_map(|change| {
                if let What::Route { flow, .. } = &change.what { Some(flow.0) } else { None }
            })
            .collect();
        assert_eq!(changed, [2, 3, 1], "both directions of the program, and the flow that stays");
    }

    #[test]
    fn a_program_that_replaces_all_or_runs_beside_all_has_no_warmup() {
        let before = scenario();
        let (after, own) = with_program_flows(&before, Beside::Nothing);
        assert_eq!((names(&after)[0], own, after.warmup), ("program left to right", 0, Span::ZERO));
        let (after, own) = with_program_flows(&before, Beside::Everything);
        assert_eq!(
            (own, after.flows.len()),
            (3, 7),
            "of the flows between the same hosts the first gives its routes"
        );
        assert_eq!(after.flows[3].route, before.flows[0].route);
    }
}
