//! `narrows run`.

use crate::bpf_log::BpfLog;
use crate::captures::{Captures, capturable};
use crate::error::Failure;
use crate::inputs;
use crate::notes::bursts;
use crate::notes::flow_control;
use crate::notes::timed_out;
use crate::notes::unmarked;
use crate::notes::unopened;
use crate::notes::unverified;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::overlays;
use crate::quote::quote;
use crate::request;
use crate::runner::with_seeds;
use crate::runner::{run_all_logged, run_followed};
use crate::watch::Watch;
use narrows_measure::Record;
use narrows_measure::metrics::{Metric, Summary, metric};
use narrows_measure::statistics::median;
use narrows_report::{Case, Comparison, Overlay};
use narrows_scenario::{Expectation, Overrides, Scenario};

/// Runs a scenario file and judges its expectations.
pub fn run(args: request::Run) -> Result<Outcome, Failure> {
    let started = Started::now();
    args.on.refuse_several("run", true)?;
    args.on.refuse_two_networks()?;
    let mut scenario = narrows_scenario::load_with(
        &args.scenario,
        &Overrides { set: args.set.set.clone(), ..args.on.overrides() },
        None,
    )?;
    capturable(&args.capture, &scenario, &args.scenario)?;
    let inputs = inputs::adopt(std::slice::from_mut(&mut scenario), Some(&args.scenario))?;
    let overlays = overlays::read(&args.overlay)?;
    let reserved = output::reserve(&args.output, &scenario.name)?;
    let plans = with_seeds(&scenario, args.seed, args.seeds);
    let names = plans.iter().map(|plan| format!("seed {}", plan.seed)).collect();
    let mut watch = args
        .watch
        .watch
        .map(|port| Watch::begin(port, &scenario.name, names, || ()))
        .transpose()?;
    let log = BpfLog::begin(args.bpf_log.as_deref(), &plans)?;
    let mut captures = Captures::begin(&args.capture, &plans[0], &reserved)?;
    let one = |index, plan: &Scenario, run: &mut dyn FnMut() -> Result<Record, Failure>| match &log
    {
        Some(log) => log.gather(index, "", plan, run),
        None => run(),
    };
    let records: Result<Vec<Record>, Failure> = if !args.capture.is_empty() {
        one(0, &plans[0], &mut || {
            run_followed(&plans[0], Some(&mut captures), &mut watch, &args.output)
        })
        .map(|record| vec![record])
    } else if watch.is_some() {
        // Run one after another, so that the page can show each run.
        let each = plans.iter().enumerate();
        each.map(|(index, plan)| {
            one(index, plan, &mut || run_followed(plan, None, &mut watch, &args.output))
        })
        .collect()
    } else {
        run_all_logged(&plans, log.as_ref(), |_| "", &args.output)
    };
    // Write the log even after a fault, because its lines help to find the fault.
    log.map_or(Ok(()), BpfLog::finish)?;
    let records = records?;
    captures.finish(&reserved)?;
    let verdicts: Vec<Verdict> = scenario
        .expect
        .iter()
        .map(|expectation| judge(expectation, |metric| Summary::of(metric, &records)))
        .collect();
    let case =
        Case { label: scenario.name.clone(), scenario_toml: scenario.to_toml(), runs: records };
    let mut changed = vec![("scenario", vec!["scenario.toml".to_owned()])];
    changed.push(("overlay", overlays.iter().map(Overlay::file).collect()));
    // The scenario file has these changes.
    changed.extend(IN_SCENARIO.map(|name| (name, Vec::new())));
    let remake = request::remake("run", &args, &changed);
    let mut comparison = Comparison::new(scenario.name.clone(), vec![case], remake);
    comparison.overlays = overlays;
    comparison.notes.extend(unmarked::note([&scenario]));
    comparison.notes.extend(bursts::note([&scenario]));
    let opened = unopened::note(
        comparison.cases.iter().map(|case| (case.label.as_str(), case.runs.as_slice())),
    );
    comparison.notes.extend(opened);
    let timed_out = timed_out::note(
        comparison.cases.iter().map(|case| (case.label.as_str(), case.runs.as_slice())),
    );
    comparison.notes.extend(timed_out);
    let flow_control = flow_control::note(
        comparison.cases.iter().map(|case| (case.label.as_str(), case.runs.as_slice())),
    );
    comparison.notes.extend(flow_control);
    comparison.notes.extend(unverified::notes());
    comparison.notes.extend(verdicts.iter().map(|verdict| verdict.text.clone()));
    let report = reserved.directory().join("report.html");
    output::deliver(
        reserved,
        &comparison,
        &started.info(inputs, &args.output.console),
        &args.output,
    )?;
    if !args.output.json && !args.output.quiet {
        let file = quote(&args.scenario.display().to_string());
        args.output.console.print(&format!("{}\n", started.cost()))?;
        let next = match scenario.icn {
            Some(_) => format!(
                "narrows compare --icn --file {file} to compare rate laws and consumers on it"
            ),
            None => format!("narrows compare --file {file} to compare controllers on it"),
        };
        args.output.console.print(&format!("Try next: {next}\n"))?;
    }
    if let Some(watch) = watch {
        watch.end(&report, args.output.console.stop());
    }
    Ok(if verdicts.iter().all(|verdict| verdict.met) { Outcome::Ok } else { Outcome::Missed })
}

/// Flags whose changes are in the scenario file of a result.
pub const IN_SCENARIO: [&str; 5] = ["path", "trace", "queue", "workload", "set"];

pub struct Verdict {
    pub met: bool,
    pub text: String,
}

/// Judges an expectation. It is met if the median over the seeds is within the bounds. A seed
/// without a value counts as outside of every bound, because an event that never happens is not
/// early.
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
            text: format!("missed: {name} has no value in this run; expected {band} {unit}")
                .trim_end()
                .to_owned(),
        };
    };
    let beyond = |bound: f64| {
        median(&summary.values.iter().map(|value| value.unwrap_or(bound)).collect::<Vec<f64>>())
    };
    let lowest = |min: f64| beyond(f64::NEG_INFINITY).is_some_and(|value| value >= min);
    let highest = |max: f64| beyond(f64::INFINITY).is_some_and(|value| value <= max);
    let met = min.is_none_or(lowest) && max.is_none_or(highest);
    let verdict = if met { "met" } else { "missed" };
    let (defined, all) = (summary.defined(), summary.values.len());
    let seeds = if defined < all { format!(" ({defined} of {all} seeds)") } else { String::new() };
    let text = format!(
        "{verdict}: {name} is {} {unit}{seeds}; expected {band} {unit}",
        plain(summary.median)
    );
    Verdict { met, text: text.replace(" ;", ";").replace("  ", " ").trim_end().to_owned() }
}

/// Formats a number with up to four decimals, without trailing zeros.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_happens_in_most_seeds_is_not_soon() {
        let of = |values: &[Option<f64>], min, max| {
            let expectation = Expectation { metric: "convergence".to_owned(), min, max };
            let verdict = judge(&expectation, |_| Summary::over(values.to_vec()));
            (verdict.met, verdict.text)
        };
        let rare = [None, Some(13.1), None, Some(3.35), None, Some(0.75), None, None, None, None];
        let missed = "missed: convergence is 3.35 s (3 of 10 seeds); expected at most 5 s";
        assert_eq!(of(&rare, None, Some(5.0)), (false, missed.to_owned()));
        assert!(!of(&rare, Some(1.0), None).0, "nor is it late");
        assert_eq!(
            of(&[Some(1.0), None, Some(2.0)], None, Some(5.0)).1,
            "met: convergence is 1.5 s (2 of 3 seeds); expected at most 5 s"
        );
        assert!(!of(&[Some(1.0), None], None, Some(5.0)).0, "half is no majority");
        assert_eq!(
            of(&[Some(1.0)], Some(0.5), Some(5.0)),
            (true, "met: convergence is 1 s; expected 0.5 to 5 s".to_owned())
        );
    }
}
