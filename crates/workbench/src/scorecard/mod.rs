//! `narrows compare` with traffic, competitors or several networks: a sweep over networks and
//! flows, shown as a scorecard.

mod networks;
mod text;

use crate::contenders::{baseline, controllers, distinct, join};
use crate::error::Failure;
use crate::inputs::Files;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::request;
use crate::routers;
use crate::sweep::Job;
use narrows_report::Lineup;
use narrows_scenario::{Changes, NamedTraffic, Sweep};
use std::collections::BTreeMap;
use std::path::Path;

/// True if the arguments describe a scorecard rather than a comparison on one network.
pub fn is_wanted(args: &request::Compare) -> bool {
    !args.icn
        && (!args.traffic.is_empty()
            || !args.beside.is_empty()
            || args.on.path.len() + args.file.len() + args.on.trace.len() > 1)
}

/// Runs each controller with each traffic on each network, alone and next to each competitor, and
/// shows the effects on both.
pub fn scorecard(args: &request::Compare) -> Result<Outcome, Failure> {
    let started = Started::now();
    let tested = controllers(args)?;
    let names = distinct(tested.iter().map(|choice| choice.text()))?;
    let beside = distinct(args.beside.iter().map(|choice| choice.text()))?;
    routers::refuse(
        tested.iter().chain(&args.beside),
        "all that are on a network of a scorecard share its queues",
    )?;
    if !args.on.workloads().is_empty() {
        return Err(Failure::Other(
            "a scorecard shows kinds of traffic; name them with --traffic instead of --workload"
                .to_owned(),
        ));
    }
    let traffic = traffic(args)?;
    if args.seed.is_some_and(|seed| i64::try_from(seed).is_err()) {
        return Err(Failure::Other(format!(
            "a scorecard's first seed is at most {}; give a smaller --seed",
            i64::MAX
        )));
    }
    let sources = networks::sources(args)?;
    distinct(sources.iter().map(|source| source.network.name.as_str()))?;
    let lineup = Lineup {
        networks: sources.iter().map(|source| source.network.clone()).collect(),
        traffic: traffic.iter().map(|traffic| traffic.name.to_owned()).collect(),
        baseline: baseline(args, &names)?,
        controllers: names,
        beside,
        flows: args.flows.unwrap_or(1),
    };
    let title = format!("Scorecard of {}", join(&lineup.controllers));
    let sweep = Sweep::parse(
        &text::sweep(args, &title, &lineup, &sources),
        "scorecard.toml",
        &Changes::default(),
    )?;
    let remake = |names: &BTreeMap<String, String>| text::remake(args, &lineup, names);
    let job = Job::new(
        sweep,
        Files::beside(Path::new("scorecard.toml")),
        remake,
        Some(lineup.clone()),
        &args.output.console,
    )?;
    let reserved = job.reserve(&args.output, None)?;
    let directory = reserved.directory().to_owned();
    let grid = job.run(reserved, &args.output, &started)?;
    output::show(&grid, &[], &directory, &args.output)?;
    Ok(Outcome::Ok)
}

fn traffic(args: &request::Compare) -> Result<Vec<&'static NamedTraffic>, Failure> {
    if args.traffic.is_empty() {
        return NamedTraffic::named("bulk").map(|bulk| vec![bulk]).map_err(Failure::Other);
    }
    distinct(args.traffic.iter().map(|traffic| traffic.name))?;
    Ok(args.traffic.clone())
}
