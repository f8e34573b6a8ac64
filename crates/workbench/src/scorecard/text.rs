//! The sweep of a scorecard, and the command that repeats it.

use super::networks::{Source, file_name};
use crate::request;
use narrows_report::{Lineup, TrafficRun};
use narrows_scenario::{ENDS, NamedTraffic, NetworkTables, quoted};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns the sweep over the networks and over the flows on them.
pub fn sweep(args: &request::Compare, title: &str, lineup: &Lineup, sources: &[Source]) -> String {
    let networks: String = sources
        .iter()
        .map(|source| {
            format!(
                "    {{ label = {}, value = {} }},\n",
                quoted(&source.network.name),
                source.tables.values()
            )
        })
        .collect();
    let runs: String = lineup
        .runs()
        .iter()
        .map(|run| {
            format!(
                "    {{ label = {}, value = [{}] }},\n",
                quoted(&run.label()),
                flows(args, lineup, run)
            )
        })
        .collect();
    let queue = args
        .on
        .queue
        .first()
        .map_or_else(String::new, |queue| format!("queue = {}\n", quoted(queue)));
    format!(
        "name = {}\nseed = {}\n{queue}\n[sweep]\n\"{}\" = [\n{networks}]\nflow = [\n{runs}]\nseeds = {}\n",
        quoted(title),
        args.seed.unwrap_or(1),
        NetworkTables::KEYS,
        args.seeds
    )
}

/// Returns the flows of a run: the flows with the traffic, and the competitor.
fn flows(args: &request::Compare, lineup: &Lineup, run: &TrafficRun) -> String {
    let flow = |name: &str, controller: &str, more: &str| {
        let [from, to] = ENDS;
        format!(
            "{{ name = \"{name}\", from = \"{from}\", to = \"{to}\", controller = {}{more} }}",
            quoted(controller)
        )
    };
    let workload = run
        .traffic
        .as_deref()
        .and_then(|name| NamedTraffic::named(name).ok())
        .map(|own| format!(", workload = {}", own.workload));
    let mut more = workload.unwrap_or_default();
    if run.traffic.as_deref() == Some("bulk") && lineup.flows != 1 {
        more += &format!(", count = {}", lineup.flows);
        more +=
            &args.stagger.map_or_else(String::new, |stagger| format!(", stagger = \"{stagger}\""));
    }
    let own = flow(run.group(), &run.controller, &more);
    run.beside
        .as_ref()
        .map_or_else(|| own.clone(), |beside| format!("{own}, {}", flow("competitor", beside, "")))
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
