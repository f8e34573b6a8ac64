//! The networks of a scorecard.

use crate::error::Failure;
use crate::request;
use narrows_report::{Input, Network};
use narrows_scenario::{Comparison, NetworkTables, PathProfile};
use narrows_units::Span;
use std::path::Path;

/// Maximum duration of a run, unless a duration is given: long enough for four periods of the named
/// paths that change, and short enough that four paths take about a minute.
const LONGEST: Span = Span::from_secs(60);

/// A network and its tables in a scenario.
pub struct Source {
    pub network: Network,
    pub tables: NetworkTables,
}

/// Returns the networks that the arguments name: paths, traces and files, or else the network that
/// the flags describe.
pub fn sources(args: &request::Compare) -> Result<Vec<Source>, Failure> {
    let mut all = Vec::new();
    for name in &args.on.path {
        let path = PathProfile::named(name).expect("the argument was checked");
        let tables = NetworkTables::parse(path.text, name, Path::new(""))?;
        all.push(source(args, name.clone(), (path.summary().to_owned(), path.source()), tables));
    }
    for trace in &args.on.trace {
        let name = format!("trace {}", own_name(trace, "trace-"));
        all.push(of_flags(
            args,
            name,
            "a link with recorded capacity",
            args.network_of(None, Some(trace)),
        )?);
    }
    for file in &args.file {
        let stem = own_name(&file.with_extension(""), "network-");
        let mut own = source(
            args,
            stem.clone(),
            (format!("the network of {stem}"), String::new()),
            NetworkTables::load(file)?,
        );
        own.network.file =
            Some(Input { name: file_name(&stem), text: own.tables.to_toml("cubic") });
        all.push(own);
    }
    if all.is_empty() {
        let network = args.network_of(None, None);
        let name = format!("{}, {}", network.rate, network.rtt);
        all.push(of_flags(args, name, "a link between two hosts", network)?);
    }
    Ok(all)
}

/// Returns the file name of a network in a result directory.
pub fn file_name(network: &str) -> String {
    format!("network-{network}.toml")
}

/// Returns the name of a file without the prefix that a result directory adds.
fn own_name(file: &Path, before: &str) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix(before).unwrap_or(&name).to_owned()
}

fn of_flags(
    args: &request::Compare,
    name: String,
    summary: &str,
    network: Comparison,
) -> Result<Source, Failure> {
    let text = Comparison { flows: 1, stagger: Span::ZERO, ..network }.to_toml("cubic", 1);
    let tables = NetworkTables::parse(&text, "the network given by flags", Path::new(""))?;
    Ok(source(args, name, (summary.to_owned(), String::new()), tables))
}

fn source(
    args: &request::Compare,
    name: String,
    (summary, source): (String, String),
    mut tables: NetworkTables,
) -> Source {
    let own = tables.duration;
    tables.duration = args.duration.unwrap_or(own.min(LONGEST));
    tables.warmup = args.warmup.unwrap_or(if tables.duration == own {
        tables.warmup
    } else {
        tables.duration / 6
    });
    let (duration, warmup) = (tables.duration.to_string(), tables.warmup.to_string());
    Source { network: Network { name, summary, source, duration, warmup, file: None }, tables }
}
