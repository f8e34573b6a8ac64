//! The sweep of a scorecard, and the command that repeats it.

use super::networks::{Source, file_name};
use crate::cli::CompareArgs;
use crate::quote::quote;
use narrows_report::{Lined, Lineup};
use narrows_scenario::{ENDS, NamedTraffic, NetworkTables};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the sweep over the networks and over the flows on them.
pub fn sweep(args: &CompareArgs, title: &str, lineup: &Lineup, sources: &[Source]) -> String {
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

/// Returns the flows of a run: those with the traffic, and the competitor.
fn flows(args: &CompareArgs, lineup: &Lineup, run: &Lined) -> String {
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

/// Formats a basic string of TOML. A JSON string has the same form.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the command that repeats the scorecard in the result directory. `names` maps the file
/// names of the command line to those in the directory.
pub fn remake(args: &CompareArgs, lineup: &Lineup, names: &BTreeMap<String, String>) -> String {
    let mut words = vec!["narrows compare".to_owned()];
    words.extend(lineup.controllers.iter().map(|name| quote(name)));
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name} {}", quote(&value))))
    };
    let list = |texts: Vec<String>| (!texts.is_empty()).then(|| texts.join(","));
    let kept = |file: &Path| {
        let own = file.display().to_string();
        names.get(&own).cloned().unwrap_or(own)
    };
    let files = lineup
        .networks
        .iter()
        .filter(|network| network.file.is_some())
        .map(|network| file_name(&network.name));
    args.on.words(kept).into_iter().for_each(|(name, value)| option(name, Some(value)));
    option("trace-back", args.trace_back.as_deref().map(kept));
    option("file", list(files.collect()));
    option("baseline", args.baseline.as_ref().map(|own| own.text().to_owned()));
    option("rate", args.rate.map(|rate| rate.to_string()));
    option("host-rate", args.host_rate.map(|rate| rate.to_string()));
    option("rtt", args.rtt.map(|rtt| rtt.to_string()));
    option("buffer", args.buffer.map(|buffer| buffer.to_string()));
    // A bare 1 is refused because it could mean 1 %.
    option(
        "loss",
        args.loss.map(|loss| if loss == 1.0 { "100 %".to_owned() } else { loss.to_string() }),
    );
    option("traffic", list(lineup.traffic.clone()));
    option("beside", list(lineup.beside.clone()));
    option("flows", args.flows.map(|flows| flows.to_string()));
    option("stagger", args.stagger.map(|stagger| stagger.to_string()));
    option("duration", args.duration.map(|duration| duration.to_string()));
    option("warmup", args.warmup.map(|warmup| warmup.to_string()));
    option("seed", args.seed.map(|seed| seed.to_string()));
    option("seeds", Some(args.seeds.to_string()));
    words.join(" ")
}
