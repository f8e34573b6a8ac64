//! `narrows fit`: from a measurement to a scenario, and its simulation over the measurement.

use crate::deploy::simulated;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::quote::quote;
use crate::request;
use crate::runner::{run_all, with_seeds};
use narrows_files::{Limit, read};
use narrows_fit::{Estimate, Means, Measured, Origin};
use narrows_measure::Record;
use narrows_report::{Case, Comparison, Overlay};
use narrows_scenario::{Scenario, parse, to_toml};
use std::io;

/// Points of a capture that a report draws.
const DRAWN: usize = 2000;
/// Distance from the measurement by which the simulation of a simpler path may be further off. The
/// value is our choice.
const AS_NEAR: f64 = 0.05;
/// The controller of the simulation where nothing else is known.
const DEFAULT: &str = "cubic";

/// Estimates the path of a measured flow, simulates the flow on it, and draws both.
pub fn fit(args: request::Fit) -> Result<Outcome, Failure> {
    let started = Started::now();
    let path = &args.measurement;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = read(path, Limit::MEASUREMENT).map_err(|error| {
        Failure::Other(format!(
            "the measurement {} cannot be read: {error}; give the output of iperf3 --json, lines of ss -tin, or a capture of at most 256 MiB (tcpdump -s 128)",
            path.display()
        ))
    })?;
    let refused = |error: narrows_fit::FitError| Failure::Other(error.to_string());
    let measured = narrows_fit::read(&name, &bytes).map_err(refused)?;
    let estimates = narrows_fit::estimates(&name, &measured).map_err(refused)?;
    let (controller, remark, is_measured) = controller(&args, &measured);
    let title = format!("Path of {name}");
    let reserved = output::reserve(&args.output, &title)?;
    let mut simulated = Vec::new();
    for estimate in estimates {
        let keys = narrows_fit::scenario(&title, &measured, &estimate, &controller);
        let toml = to_toml(&keys).map_err(Failure::Other)?;
        let none = |_: &_| Err(io::Error::other("it names no file"));
        let scenario = parse(&toml, "the estimated path", &none)?;
        let runs = run_all(&with_seeds(&scenario, None, args.seeds), &args.output)?;
        simulated.push(Simulated::new(estimate, scenario, runs));
    }
    let nearest = simulated.into_iter().reduce(Simulated::or);
    let Some(nearest) = nearest else { unreachable!("there is an estimate") };
    // Another controller than the measured one need not do the same.
    let misses =
        if is_measured { narrows_fit::misses(&nearest.estimate, nearest.means) } else { None };
    let Simulated { estimate, scenario, runs, .. } = nearest;
    if !args.output.json && !args.output.quiet {
        let text = narrows_fit::text(&name, &measured, &estimate);
        args.output.console.print(&format!("{text}\n"))?;
    }
    let overlay = overlay(&name, &bytes, &measured)?;
    let mut remake = format!("narrows run scenario.toml --overlay {}", quote(&overlay.file()));
    if args.seeds > 1 {
        remake += &format!(" --seeds {}", args.seeds);
    }
    let case = Case { label: controller.clone(), scenario_toml: scenario.to_toml(), runs };
    let mut comparison = Comparison::new(title, vec![case], remake);
    comparison.overlays = vec![overlay];
    comparison.notes.push(narrows_fit::sentence(&estimate));
    comparison.notes.extend(remark);
    comparison.notes.extend(misses.clone());
    let directory = reserved.directory().to_owned();
    let info = started.info(Vec::new(), &args.output.console);
    output::deliver(reserved, &comparison, &info, &args.output)?;
    if !args.output.json && !args.output.quiet {
        let scenario = quote(&directory.join("scenario.toml").display().to_string());
        args.output.console.print(&format!("{}\n", started.cost()))?;
        if misses.is_none() {
            args.output.console.print(&format!(
                "Try next: narrows compare --file {scenario} to compare controllers on this path\n"
            ))?;
        }
    }
    Ok(Outcome::Ok)
}

/// A path, and what the flow does on it.
struct Simulated {
    estimate: Estimate,
    scenario: Scenario,
    runs: Vec<Record>,
    means: Means,
}

impl Simulated {
    fn new(estimate: Estimate, scenario: Scenario, runs: Vec<Record>) -> Simulated {
        let mean =
            |of: &dyn Fn(&Record) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
        let seconds = scenario.duration.as_secs_f64();
        let goodput = mean(&|run| run.flows[0].total.goodput.get() as f64 * 8.0 / seconds);
        let median_rtt =
            mean(&|run| run.flows[0].rtt.quantile(0.5).map_or(0.0, |own| own.as_secs_f64()));
        Simulated { estimate, scenario, runs, means: Means { goodput, median_rtt } }
    }

    /// Returns `other`, the path with fewer causes of loss, if its simulation is as near to the
    /// measurement.
    fn or(self, other: Simulated) -> Simulated {
        let distance = |own: &Simulated| own.estimate.distance(own.means);
        if distance(&other) <= distance(&self) + AS_NEAR { other } else { self }
    }
}

/// Returns the controller of the simulation, a remark if another one was measured, and whether it
/// is the measured one.
fn controller(args: &request::Fit, measured: &Measured) -> (String, Option<String>, bool) {
    let known = measured.controller.as_ref().and_then(|name| simulated(name).ok());
    if let Some(chosen) = &args.controller {
        let chosen = chosen.text().to_owned();
        let is_measured = known.is_some_and(|known| known == chosen);
        return (chosen, None, is_measured);
    }
    match &measured.controller {
        Some(name) => match simulated(name) {
            Ok(known) => (known, None, true),
            Err(_) => {
                let remark = format!(
                    "The measurement's controller is {name}, which is not simulated: {DEFAULT} stands for it; --controller gives another."
                );
                (DEFAULT.to_owned(), Some(remark), false)
            }
        },
        None => {
            let remark = format!(
                "The measurement does not name its controller: {DEFAULT} is simulated; --controller gives another."
            );
            (DEFAULT.to_owned(), Some(remark), false)
        }
    }
}

/// Returns the measurement as the report draws it: its own text, or a capture as lines of ss.
fn overlay(name: &str, bytes: &[u8], measured: &Measured) -> Result<Overlay, Failure> {
    let (name, text) = match measured.origin {
        Origin::Capture => (format!("{name}.ss"), measured.as_ss(DRAWN)),
        _ => (name.to_owned(), String::from_utf8_lossy(bytes).into_owned()),
    };
    Overlay::parse(&name, &text).map_err(|error| Failure::Other(error.to_string()))
}
