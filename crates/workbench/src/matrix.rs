//! `narrows matrix`: all pairs of controllers, run as a sweep over the pairs and over each
//! controller alone.

use crate::error::Failure;
use crate::inputs::Files;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::pairs::{BUFFER, FLOW, pairings};
use crate::request;
use crate::routers;
use crate::sweep::Job;
use narrows_scenario::{Changes, Comparison, Draft, ENDS, Keys, NamedWorkload, PathProfile, Sweep};
use narrows_units::Span;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Runs all pairs on all networks and shows which controllers harm which.
pub fn matrix(args: request::Matrix) -> Result<Outcome, Failure> {
    let started = Started::now();
    let names: Vec<String> =
        args.controllers.iter().map(|choice| choice.text().to_owned()).collect();
    if let Some(twice) =
        names.iter().enumerate().find(|(index, name)| names[..*index].contains(name))
    {
        return Err(Failure::Other(format!(
            "{} is named twice; name each controller once, self-pairs are always included",
            twice.1
        )));
    }
    args.on.refuse_two_networks()?;
    routers::refuse(&args.controllers, "all pairs share one queue")?;
    let sweep = Sweep::parse(&toml(&args, &names), "matrix.toml", &Changes::default())?;
    let job = Job::new(
        sweep,
        Files::beside(Path::new("matrix.toml")),
        |kept| remake(&args, kept),
        None,
        &args.output.console,
    )?
    .of_pairs(names);
    job.refuse_unknown(&args.shown.metric)?;
    let reserved = job.reserve(&args.output, None)?;
    let directory = reserved.directory().to_owned();
    let grid = job.run(reserved, &args.output, &started)?;
    output::show(&grid, &args.shown.metric, &directory, &args.output)?;
    Ok(Outcome::Ok)
}

fn label(pairing: &[String]) -> String {
    match pairing {
        [only] => format!("{only} alone"),
        both => both.join(" beside "),
    }
}

/// Maximum duration of a run on a path, unless a duration is given. It is the default duration on a
/// link.
const LONGEST: Span = Span::from_secs(60);

fn toml(args: &request::Matrix, names: &[String]) -> String {
    let duration = args.duration.unwrap_or(LONGEST);
    let warmup = args.warmup.unwrap_or(duration / 6);
    let on_path = !args.on.path.is_empty();
    let [from, to] = if on_path { ENDS } else { ["left", "right"] };
    let flow = |(place, name): (usize, &String)| {
        // Both flows draw the same transfers, so that differences are due to the controllers.
        Keys::new()
            .text("name", ["first", "second"][place])
            .text("stream", "both")
            .text("from", from)
            .text("to", to)
            .text("controller", name)
    };
    let flows = pairings(names).into_iter().map(|pairing| {
        let label = Keys::new().text("label", label(&pairing));
        label.tables("value", pairing.iter().enumerate().map(flow))
    });
    let (network, axes) = if on_path {
        (Draft::default(), paths(args))
    } else {
        let (link, axes) = link(args);
        (Draft::default().with("link", [link]), axes)
    };
    let workloads = args.on.workloads();
    let workload =
        |own: &NamedWorkload| Keys::new().text("label", &own.name).written("value", &own.toml);
    // The workload axis must follow the axis of flows.
    let sweep = axes
        .when(!args.on.queue.is_empty(), |keys| keys.texts("queue", &args.on.queue))
        .lines(FLOW, flows)
        .when(!workloads.is_empty(), |keys| {
            keys.lines("flow.*.workload", workloads.iter().map(workload))
        })
        .whole("seeds", args.seeds.into());
    let keys = Keys::new()
        .text("name", "Pairs of controllers")
        .whole("seed", args.seed)
        .text("duration", duration)
        .text("warmup", warmup);
    Draft::new(keys).and(network).table("sweep", sweep).to_string()
}

/// Returns the link that the flags describe, and its axes.
fn link(args: &request::Matrix) -> (Keys, Keys) {
    let or = |texts: Vec<String>, default: &[&str]| {
        if texts.is_empty() {
            default.iter().map(|text| (*text).to_owned()).collect()
        } else {
            texts
        }
    };
    let delays = if args.rtt.is_empty() { vec![Span::from_millis(30)] } else { args.rtt.clone() };
    let delays = delays
        .iter()
        .map(|rtt| Keys::new().text("label", format!("{rtt} round trip")).text("value", *rtt / 2));
    let buffers =
        or(args.buffer.iter().map(ToString::to_string).collect(), &["0.5 bdp", "1 bdp", "4 bdp"]);
    // With a trace, this rate is for the reverse direction, as in a comparison.
    let (first, capacity) = match args.on.trace.is_empty() {
        true => {
            let rates = or(args.rate.iter().map(ToString::to_string).collect(), &["50 Mbit/s"]);
            (rates[0].clone(), Keys::new().texts("link.bottleneck.rate", rates))
        }
        false => {
            let traces = args.on.trace.iter().map(|trace| trace.display());
            (Comparison::default().rate.to_string(), Keys::new().texts("trace", traces))
        }
    };
    let link = Keys::new()
        .text("name", "bottleneck")
        .texts("between", ["left", "right"])
        .text("rate", first);
    (link, capacity.tables("link.bottleneck.delay", delays).texts(BUFFER, buffers))
}

/// Returns the axis of paths, each with its duration and warm-up.
fn paths(args: &request::Matrix) -> Keys {
    let value = |name: &String| {
        let own = PathProfile::named(name).expect("the argument was checked").scenario();
        let duration = args.duration.unwrap_or(own.duration.min(LONGEST));
        let warmup =
            args.warmup.unwrap_or(if duration == own.duration { own.warmup } else { duration / 6 });
        let all = [name.clone(), duration.to_string(), warmup.to_string()];
        Keys::new().text("label", name).texts("value", all)
    };
    Keys::new().lines("path, duration, warmup", args.on.path.iter().map(value))
}

fn remake(args: &request::Matrix, kept: &BTreeMap<String, String>) -> String {
    let names = args.controllers.iter().map(ToString::to_string).collect();
    let trace = |file: &PathBuf| {
        let own = file.display().to_string();
        kept.get(&own).cloned().unwrap_or(own)
    };
    let traces = args.on.trace.iter().map(trace).collect();
    request::remake("matrix", args, &[("controllers", names), ("trace", traces)])
}
