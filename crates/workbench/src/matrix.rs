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
use narrows_scenario::{Changes, Comparison, ENDS, PathProfile, Sweep, quoted};
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
    let flow = |place: usize, name: &String| {
        let side = ["first", "second"][place];
        // Both flows draw the same transfers, so that differences are due to the controllers.
        format!(
            "{{ name = \"{side}\", stream = \"both\", from = \"{from}\", to = \"{to}\", controller = '{name}' }}"
        )
    };
    let flows = pairings(names).into_iter().map(|pairing| {
        let flows: Vec<String> =
            pairing.iter().enumerate().map(|(place, name)| flow(place, name)).collect();
        format!("    {{ label = '{}', value = [{}] }},\n", label(&pairing), flows.join(", "))
    });
    let (network, axes) = if on_path { (String::new(), paths(args)) } else { link(args) };
    let texts =
        |texts: Vec<String>| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
    let mut more = String::new();
    if !args.on.queue.is_empty() {
        more += &format!("queue = [{}]\n", texts(args.on.queue.clone()));
    }
    // The workload axis must follow the axis of flows.
    let workloads: String = args
        .on
        .workloads()
        .iter()
        .map(|own| format!("    {{ label = {}, value = {} }},\n", quoted(&own.name), own.toml))
        .collect();
    let workloads = if workloads.is_empty() {
        workloads
    } else {
        format!("\"flow.*.workload\" = [\n{workloads}]\n")
    };
    format!(
        "name = \"Pairs of controllers\"\nseed = {}\nduration = \"{duration}\"\nwarmup = \"{warmup}\"\n\n{network}\
         [sweep]\n{axes}{more}{FLOW} = [\n{}]\n{workloads}seeds = {}\n",
        args.seed,
        flows.collect::<String>(),
        args.seeds,
    )
}

/// Returns the link that the flags describe, and its axes.
fn link(args: &request::Matrix) -> (String, String) {
    let or = |texts: Vec<String>, default: &[&str]| {
        if texts.is_empty() {
            default.iter().map(|text| (*text).to_owned()).collect()
        } else {
            texts
        }
    };
    let list = |texts: Vec<String>| format!("[{}]", texts.join(", "));
    let quoted_all = |texts: Vec<String>| list(texts.iter().map(|text| quoted(text)).collect());
    let delays = if args.rtt.is_empty() { vec![Span::from_millis(30)] } else { args.rtt.clone() };
    let delays = list(
        delays
            .iter()
            .map(|rtt| format!("{{ label = \"{rtt} round trip\", value = \"{}\" }}", *rtt / 2))
            .collect(),
    );
    let buffers = quoted_all(or(
        args.buffer.iter().map(ToString::to_string).collect(),
        &["0.5 bdp", "1 bdp", "4 bdp"],
    ));
    // With a trace, this rate is for the reverse direction, as in a comparison.
    let (first, capacity) = match args.on.trace.is_empty() {
        true => {
            let rates = or(args.rate.iter().map(ToString::to_string).collect(), &["50 Mbit/s"]);
            (rates[0].clone(), format!("\"link.bottleneck.rate\" = {}\n", quoted_all(rates)))
        }
        false => {
            let traces = args.on.trace.iter().map(|trace| trace.display().to_string()).collect();
            (Comparison::default().rate.to_string(), format!("trace = {}\n", quoted_all(traces)))
        }
    };
    let link = format!(
        "[[link]]\nname = \"bottleneck\"\nbetween = [\"left\", \"right\"]\nrate = \"{first}\"\n\n"
    );
    (link, format!("{capacity}\"link.bottleneck.delay\" = {delays}\n\"{BUFFER}\" = {buffers}\n"))
}

/// Returns the axis of paths, each with its duration and warm-up.
fn paths(args: &request::Matrix) -> String {
    let value = |name: &String| {
        let own = PathProfile::named(name).expect("the argument was checked").scenario();
        let duration = args.duration.unwrap_or(own.duration.min(LONGEST));
        let warmup =
            args.warmup.unwrap_or(if duration == own.duration { own.warmup } else { duration / 6 });
        format!(
            "    {{ label = \"{name}\", value = [\"{name}\", \"{duration}\", \"{warmup}\"] }},\n"
        )
    };
    format!(
        "\"path, duration, warmup\" = [\n{}]\n",
        args.on.path.iter().map(value).collect::<String>()
    )
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
