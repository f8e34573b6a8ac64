//! Runs scenarios on all cores, shows progress, stops at Ctrl-C.

use crate::cli::OutputArgs;
use crate::error::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use narrows_measure::Record;
use narrows_scenario::Scenario;
use narrows_sim::SimError;
use narrows_units::{Span, Time};
use rayon::prelude::*;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks runs to stop.
static WATCH: LazyLock<()> = LazyLock::new(|| {
    // Without the handler Ctrl-C ends the process at once, which is as good.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
});

/// Runs all scenarios; records come back in the same order, whatever the number of threads.
pub fn run_all(scenarios: &[Scenario], output: &OutputArgs) -> Result<Vec<Record>, Failure> {
    LazyLock::force(&WATCH);
    let bar = progress_bar(scenarios, output.quiet);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(output.jobs.unwrap_or(0) as usize)
        .build()
        .map_err(|error| Failure::Other(format!("threads cannot be started: {error}; try --jobs 1")))?;
    let records: Result<Vec<Record>, SimError> = pool.install(|| scenarios.par_iter().map(|scenario| run_one(scenario, &bar)).collect());
    bar.finish_and_clear();
    match records {
        Err(SimError::Stopped) => Err(Failure::Interrupted),
        other => Ok(other?),
    }
}

fn run_one(scenario: &Scenario, bar: &ProgressBar) -> Result<Record, SimError> {
    let mut shown = Time::ZERO;
    let record = narrows_sim::run_with_progress(scenario, &mut |now| {
        bar.inc(steps(now.since(shown)));
        shown = now;
        !INTERRUPTED.load(Ordering::Relaxed)
    })?;
    bar.inc(steps(scenario.duration).saturating_sub(steps(shown.since(Time::ZERO))));
    Ok(record)
}

/// Virtual time in the steps of the progress bar.
fn steps(span: Span) -> u64 {
    span.as_micros()
}

fn progress_bar(scenarios: &[Scenario], quiet: bool) -> ProgressBar {
    let total = scenarios.iter().map(|scenario| steps(scenario.duration)).sum();
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("simulating {bar:40} {percent:>3} %  {eta} left").expect("a valid template");
    ProgressBar::with_draw_target(Some(total), target).with_style(style)
}
