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
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks runs to stop.
static WATCH: LazyLock<()> = LazyLock::new(|| {
    // Without the handler Ctrl-C ends the process at once, which is as good.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
});

/// Runs all scenarios; records come back in the same order, whatever the number of threads.
pub fn run_all(scenarios: &[Scenario], output: &OutputArgs) -> Result<Vec<Record>, Failure> {
    let bar = progress_bar(scenarios.iter().map(|scenario| scenario.duration), output.quiet);
    let pool = pool(output)?;
    let records: Result<Vec<Record>, SimError> = pool.install(|| scenarios.par_iter().map(|scenario| run_one(scenario, &bar)).collect());
    bar.finish_and_clear();
    match records {
        Err(SimError::Stopped) => Err(Failure::Interrupted),
        other => Ok(other?),
    }
}

/// Runs the cells of `pending`, each made by `scenario` when its turn comes, and hands each record to `done`, which is the last to see it. Which cells are
/// done when depends on the threads.
pub fn run_cells(
    pending: &[u64],
    lengths: impl Iterator<Item = Span>,
    scenario: impl Fn(u64) -> Result<Scenario, Failure> + Sync,
    done: impl Fn(u64, Record) -> Result<(), Failure> + Sync,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let bar = progress_bar(lengths, output.quiet);
    let finished = AtomicU64::new(0);
    let one = |cell: &u64| -> Result<(), Failure> {
        let scenario = scenario(*cell)?;
        match run_one(&scenario, &bar) {
            Err(SimError::Stopped) => return Err(Failure::Interrupted),
            Err(error) => return Err(Failure::Other(format!("cell {cell}: {error}"))),
            Ok(record) => done(*cell, record)?,
        }
        let finished = finished.fetch_add(1, Ordering::Relaxed) + 1;
        bar.set_message(format!(" {finished} of {} runs, ", pending.len()));
        Ok(())
    };
    let result = pool(output)?.install(|| pending.par_iter().with_max_len(1).try_for_each(one));
    bar.finish_and_clear();
    result
}

/// The threads, and from now on Ctrl-C stops runs.
fn pool(output: &OutputArgs) -> Result<rayon::ThreadPool, Failure> {
    LazyLock::force(&WATCH);
    rayon::ThreadPoolBuilder::new()
        .num_threads(output.jobs.unwrap_or(0) as usize)
        .build()
        .map_err(|error| Failure::Other(format!("threads cannot be started: {error}; try --jobs 1")))
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

fn progress_bar(lengths: impl Iterator<Item = Span>, quiet: bool) -> ProgressBar {
    let total = lengths.map(steps).sum();
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("simulating {bar:40} {percent:>3} % {msg} {eta} left").expect("a valid template");
    ProgressBar::with_draw_target(Some(total), target).with_style(style)
}
