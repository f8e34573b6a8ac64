//! `narrows run`.

use crate::bpf_log::BpfLog;
use crate::captures::{Captures, capturable};
use crate::cli::RunArgs;
use crate::error::Failure;
use crate::inputs;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::overlays;
use crate::quote::quote;
use crate::runner::with_seeds;
use crate::runner::{run_all_logged, run_followed};
use crate::unmarked;
use crate::unverified;
use crate::watch::Watch;
use narrows_measure::Record;
use narrows_measure::metrics::{Metric, Summary, metric};
use narrows_report::{Case, Comparison};
use narrows_scenario::{Expectation, Scenario};

/// Runs a scenario file and judges its expectations.
pub fn run(args: RunArgs) -> Result<Outcome, Failure> {
    let started = Started::now();
    args.on.refuse_several("run", true)?;
    args.on.refuse_two_networks()?;
    let mut scenario = narrows_scenario::load_with(&args.scenario, &args.on.overrides(), None)?;
    capturable(&args.capture, &scenario, &args.scenario)?;
    let inputs = inputs::adopt(std::slice::from_mut(&mut scenario), Some(&args.scenario))?;
    let overlays = overlays::read(&args.overlay)?;
    let reserved = output::reserve(&args.output, &scenario.name)?;
    let plans = with_seeds(&scenario, args.seed, args.seeds);
    let names = plans.iter().map(|plan| format!("seed {}", plan.seed)).collect();
    let mut watch = args.watch.watch.map(|port| Watch::begin(port, &scenario.name, names, || ())).transpose()?;
    let log = BpfLog::begin(args.bpf_log.as_deref(), &plans)?;
    let mut captures = Captures::begin(&args.capture, &plans[0], &reserved)?;
    let one = |index, plan: &Scenario, run: &mut dyn FnMut() -> Result<Record, Failure>| match &log {
        Some(log) => log.gather(index, "", plan, run),
        None => run(),
    };
    let records: Result<Vec<Record>, Failure> = if !args.capture.is_empty() {
        one(0, &plans[0], &mut || run_followed(&plans[0], Some(&mut captures), &mut watch, &args.output)).map(|record| vec![record])
    } else if watch.is_some() {
        // One after another, so that each can be seen.
        let each = plans.iter().enumerate();
        each.map(|(index, plan)| one(index, plan, &mut || run_followed(plan, None, &mut watch, &args.output))).collect()
    } else {
        run_all_logged(&plans, log.as_ref(), |_| "", &args.output)
    };
    // What was printed before a fault helps to find it.
    log.map_or(Ok(()), BpfLog::finish)?;
    let records = records?;
    captures.finish(&reserved)?;
    let verdicts: Vec<Verdict> =
        scenario.expect.iter().map(|expectation| judge(expectation, |metric| Summary::of(metric, &records))).collect();
    let case = Case { label: scenario.name.clone(), scenario_toml: scenario.to_toml(), runs: records };
    let seed = args.seed.map_or(String::new(), |seed| format!(" --seed {seed}"));
    let rest = if args.capture.is_empty() { format!(" --seeds {}", args.seeds) } else { args.capture.words() };
    let remake = format!("narrows run scenario.toml{seed}{rest}{}", overlays::words(&overlays));
    let mut comparison = Comparison::new(scenario.name.clone(), vec![case], remake);
    comparison.overlays = overlays;
    comparison.notes.extend(unmarked::note([&scenario]));
    comparison.notes.extend(unverified::notes());
    comparison.notes.extend(verdicts.iter().map(|verdict| verdict.text.clone()));
    let report = reserved.directory().join("report.html");
    output::deliver(reserved, &comparison, &started.info(inputs, &args.output.console), &args.output)?;
    if !args.output.json && !args.output.quiet {
        let file = quote(&args.scenario.display().to_string());
        args.output.console.print(&format!("{}\n", started.cost()))?;
        let next = match scenario.icn {
            Some(_) => format!("narrows compare --icn --file {file} to compare rate laws and consumers on it"),
            None => format!("narrows compare --file {file} to compare controllers on it"),
        };
        args.output.console.print(&format!("Try next: {next}\n"))?;
    }
    if let Some(watch) = watch {
        watch.end(&report);
    }
    Ok(if verdicts.iter().all(|verdict| verdict.met) { Outcome::Ok } else { Outcome::Missed })
}

pub struct Verdict {
    pub met: bool,
    pub text: String,
}

/// An expectation is met if the median over seeds lies in its band.
pub fn judge(expectation: &Expectation, summary: impl Fn(&Metric) -> Option<Summary>) -> Verdict {
    let Expectation { metric: name, min, max } = expectation;
    let band = match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "anything".to_owned(),
    };
    let known = metric(name);
    let unit = known.map_or("", |metric| metric.unit);
    let Some(summary) = known.and_then(summary) else {
        return Verdict {
            met: false,
            text: format!("missed: {name} has no value in this run; expected {band} {unit}").trim_end().to_owned(),
        };
    };
    let value = summary.median;
    let met = min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max);
    let verdict = if met { "met" } else { "missed" };
    Verdict {
        met,
        text: format!("{verdict}: {name} is {} {unit}; expected {band} {unit}", plain(value)).replace(" ;", ";").trim_end().to_owned(),
    }
}

/// A number to four decimals, without zeros at the end.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
