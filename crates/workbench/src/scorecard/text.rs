//! The sweep of a scorecard, and the command that repeats it.

use super::networks::{Source, file_name};
use crate::request;
use narrows_report::{Lineup, TrafficRun};
use narrows_scenario::{Draft, ENDS, Keys, NamedTraffic, NetworkTables};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns the sweep over the networks and over the flows on them.
pub fn sweep(args: &request::Compare, title: &str, lineup: &Lineup, sources: &[Source]) -> String {
    let networks = sources.iter().map(|source| {
        let label = Keys::new().text("label", &source.network.name);
        label.written("value", &source.tables.values())
    });
    let runs = lineup.runs().into_iter().map(|run| {
        Keys::new().text("label", run.label()).tables("value", flows(args, lineup, &run))
    });
    let sweep = Keys::new()
        .lines(NetworkTables::KEYS, networks)
        .lines("flow", runs)
        .whole("seeds", args.seeds.into());
    let mut keys = Keys::new().text("name", title).whole("seed", args.seed.unwrap_or(1));
    if let Some(queue) = args.on.queue.first() {
        keys = keys.text("queue", queue);
    }
    Draft::new(keys).table("sweep", sweep).to_string()
}

/// Returns the flows of a run: the flows with the traffic, and the competitor.
fn flows(args: &request::Compare, lineup: &Lineup, run: &TrafficRun) -> Vec<Keys> {
    let flow = |name: &str, controller: &str| {
        let [from, to] = ENDS;
        Keys::new()
            .text("name", name)
            .text("from", from)
            .text("to", to)
            .text("controller", controller)
    };
    let mut own = flow(run.group(), &run.controller);
    if let Some(named) = run.traffic.as_deref().and_then(|name| NamedTraffic::named(name).ok()) {
        own = own.written("workload", named.workload);
    }
    if run.traffic.as_deref() == Some("bulk") && lineup.flows != 1 {
        own = own.whole("count", lineup.flows.into());
        if let Some(stagger) = args.stagger {
            own = own.text("stagger", stagger);
        }
    }
    let competitor = run.beside.as_ref().map(|beside| flow("competitor", beside));
    std::iter::once(own).chain(competitor).collect()
}

/// Returns the command that repeats the scorecard in the result directory. `names` maps file names
/// of the command line to names in the directory.
pub fn remake(
    args: &request::Compare,
    lineup: &Lineup,
    names: &BTreeMap<String, String>,
) -> String {
    let kept = |file: &PathBuf| {
        let own = file.display().to_string();
        names.get(&own).cloned().unwrap_or(own)
    };
    let files = lineup
        .networks
        .iter()
        .filter(|network| network.file.is_some())
        .map(|network| file_name(&network.name));
    let changed = [
        ("controllers", lineup.controllers.clone()),
        ("file", files.collect()),
        ("trace", args.on.trace.iter().map(kept).collect()),
        ("trace_back", args.trace_back.iter().map(kept).collect()),
        ("traffic", lineup.traffic.clone()),
        ("beside", lineup.beside.clone()),
    ];
    request::remake("compare", args, &changed)
}
