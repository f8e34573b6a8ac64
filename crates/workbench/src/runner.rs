//! Runs scenarios on all cores, shows the progress and stops when the command is interrupted.

use crate::bpf_log::BpfLog;
use crate::error::Failure;
use crate::host::Progress;
use crate::interruption::on_host;
use crate::node;
use crate::request;
use crate::work::{Work, steps};
use narrows_control::Session;
use narrows_live::{Acks, Ending, Extras, LiveError, Program};
use narrows_measure::{Follower, Record};
use narrows_scenario::Scenario;
use narrows_scenario::paper::World;
use narrows_sim::SimError;
use narrows_transport::Observer;
use narrows_units::Time;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// Runs all scenarios in the simulator. The records have the order of the scenarios.
pub fn run_all(scenarios: &[Scenario], output: &request::Output) -> Result<Vec<Record>, Failure> {
    run_all_logged(scenarios, None, |_| "", output)
}

/// Runs all scenarios like [`run_all`] and records the output of BPF programs in `log`. `label`
/// returns the name of a run in the log.
pub fn run_all_logged<'a>(
    scenarios: &[Scenario],
    log: Option<&BpfLog>,
    label: impl Fn(usize) -> &'a str + Sync,
    output: &request::Output,
) -> Result<Vec<Record>, Failure> {
    let bar = progress_bar("simulating", scenarios.iter().map(Work::of), output);
    let pool = pool(output)?;
    let one = |(index, scenario): (usize, &Scenario)| {
        let run = || run_one(scenario, &bar, 1, None, &mut ());
        log.map_or_else(run, |log| log.gather(index, label(index), scenario, run))
    };
    let told = |(index, scenario): (usize, &Scenario)| {
        one((index, scenario)).map_err(|error| match error {
            // With several runs, the message must name the failed one.
            error if error.is_of_controller() && scenarios.len() > 1 => Failure::Other(format!(
                "in the run of \"{}\" with seed {}: {error}",
                scenario.name, scenario.seed
            )),
            error => failure(error),
        })
    };
    let records: Result<Vec<Record>, Failure> =
        pool.install(|| scenarios.par_iter().enumerate().map(told).collect());
    bar.end();
    records
}

/// Runs one scenario. `observer` sees its packets, `follower` receives its samples.
pub fn run_followed(
    scenario: &Scenario,
    observer: Option<&mut dyn Observer>,
    follower: &mut dyn Follower,
    output: &request::Output,
) -> Result<Record, Failure> {
    let bar = progress_bar("simulating", std::iter::once(Work::of(scenario)), output);
    let record = run_one(scenario, &bar, 1, observer, follower);
    bar.end();
    record.map_err(failure)
}

/// Runs one scenario on the kernel. `follower` receives its samples.
pub fn run_live(
    scenario: &Scenario,
    extras: &Extras,
    follower: &mut dyn Follower,
    output: &request::Output,
) -> Result<(Record, Acks), Failure> {
    let bar = progress_bar("running live", std::iter::once(Work::of(scenario)), output);
    let _on_host = on_host();
    let record = narrows_live::run_with(scenario, extras, &mut live_progress(&bar, 1), follower);
    bar.end();
    record.map_err(live_failure)
}

/// Runs a program on a scenario's network. `follower` receives its samples. The program has the
/// terminal, so no progress is shown.
pub fn run_program(
    scenario: &Scenario,
    program: &Program,
    extras: &Extras,
    follower: &mut dyn Follower,
    output: &request::Output,
) -> Result<(Record, Ending), Failure> {
    let stop = output.console.stop();
    let _on_host = on_host();
    narrows_live::run_program(
        scenario,
        program,
        extras,
        &mut |_| !stop.load(Ordering::Relaxed),
        follower,
    )
    .map_err(live_failure)
}

/// Runs scenarios on the kernel, concurrently as long as the sum of their `loads` is at most
/// `capacity`. The records have the order of the scenarios.
pub fn run_live_together(
    plans: &[Scenario],
    loads: &[f64],
    capacity: f64,
    output: &request::Output,
) -> Result<Vec<Record>, Failure> {
    let bar = progress_bar("running live", plans.iter().map(Work::of), output);
    let mut pending: Vec<usize> = (0..plans.len()).collect();
    // Start the largest loads first, because they are the hardest to place.
    pending.sort_by(|a, b| loads[*b].total_cmp(&loads[*a]));
    let mut records: Vec<Option<Record>> = plans.iter().map(|_| None).collect();
    // Ends the other runs after an error, which does not stop the command.
    let failed = AtomicBool::new(false);
    let session = Session::current();
    let outcome = std::thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        let mut running: Vec<usize> = Vec::new();
        while !(pending.is_empty() && running.is_empty()) {
            let used = |running: &[usize]| running.iter().map(|index| loads[*index]).sum::<f64>();
            while let Some(place) = pending
                .iter()
                .position(|index| running.is_empty() || used(&running) + loads[*index] <= capacity)
            {
                let index = pending.remove(place);
                running.push(index);
                let (send, plan, bar, failed) = (send.clone(), &plans[index], &bar, &failed);
                let session = session.clone();
                scope.spawn(move || {
                    let _session = session.enter();
                    send.send((index, run_live_one(plan, bar, 1, failed))).ok()
                });
            }
            let Ok((index, record)) = receive.recv() else { break };
            running.retain(|own| *own != index);
            match record {
                Ok(record) => records[index] = Some(record),
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    return Err(live_failure(error));
                }
            }
        }
        Ok(())
    });
    bar.end();
    outcome.map(|()| records.into_iter().flatten().collect())
}

/// Runs a scenario on the kernel until its end, an interruption, or until `failed` is set.
fn run_live_one(
    plan: &Scenario,
    bar: &Progress,
    weight: u64,
    failed: &AtomicBool,
) -> Result<Record, LiveError> {
    let _on_host = on_host();
    // If the program file is unknown, a scenario that needs nodes reports the error.
    let extras = Extras { nodes: node::program().ok(), ..Extras::default() };
    let mut progress = live_progress(bar, weight);
    let mut go_on = |now: Time| progress(now) && !failed.load(Ordering::Relaxed);
    narrows_live::run_with(plan, &extras, &mut go_on, &mut ()).map(|(record, _)| record)
}

/// Returns a callback that shows the progress of a live run and stops it when the command is
/// interrupted.
fn live_progress(bar: &Progress, weight: u64) -> impl FnMut(Time) -> bool + '_ {
    let mut shown = Time::ZERO;
    move |now| {
        bar.inc(steps(now.since(shown)) * weight);
        shown = now;
        !bar.is_stopped()
    }
}

fn live_failure(error: LiveError) -> Failure {
    match error {
        LiveError::Stopped => Failure::Interrupted,
        other => Failure::Live(other),
    }
}

/// Converts an error of the simulator. An interruption becomes [`Failure::Interrupted`].
pub fn failure(error: SimError) -> Failure {
    match error {
        SimError::Stopped => Failure::Interrupted,
        other => Failure::Simulation(other),
    }
}

/// Adds the cell to an error.
pub fn in_cell(cell: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::Other(format!("in the cell with {cell}: {error}"))
}

/// Runs the cells of `pending` and passes each record to `done`, or the reason if a controller
/// fails. `scenario` creates the scenario of a cell when it starts. Runs start in order, but the
/// order in which they finish depends on the threads. Runs on the kernel are first, one at a time,
/// because concurrent runs would distort the measurement.
pub fn run_cells(
    pending: &[u64],
    work: impl Fn(u64) -> Work + Sync,
    world: impl Fn(u64) -> World + Sync,
    scenario: impl Fn(u64) -> Result<Scenario, Failure> + Sync,
    done: impl Fn(u64, Result<Record, String>) -> Result<(), Failure> + Sync,
    describe: impl Fn(u64) -> String + Sync,
    output: &request::Output,
) -> Result<(), Failure> {
    let bar = progress_bar("simulating", pending.iter().map(|cell| work(*cell)), output);
    let finished = AtomicU64::new(0);
    let one = |cell: &u64| -> Result<(), Failure> {
        bar.go_on()?;
        let scenario = scenario(*cell)?;
        let weight = work(*cell).weight;
        let ran = match world(*cell) {
            World::Kernel => Ok(run_live_sound(&scenario, &bar, weight).map_err(live_failure)?),
            World::Simulator => run_one(&scenario, &bar, weight, None, &mut ()),
        };
        match ran {
            Err(SimError::Stopped) => return Err(Failure::Interrupted),
            Err(fault) if fault.is_of_controller() => done(*cell, Err(fault.to_string()))?,
            Err(error) => return Err(in_cell(&describe(*cell), &error)),
            Ok(record) => done(*cell, Ok(record))?,
        }
        let finished = finished.fetch_add(1, Ordering::Relaxed) + 1;
        bar.tell(format!(" {finished} of {} runs, ", pending.len()));
        Ok(())
    };
    let (live, simulated): (Vec<u64>, Vec<u64>) =
        pending.iter().partition(|cell| world(**cell) == World::Kernel);
    let pool = pool(output)?;
    let result = live
        .iter()
        .try_for_each(one)
        .and_then(|()| pool.install(|| simulated.iter().par_bridge().try_for_each(one)));
    bar.end();
    result
}

/// Runs a scenario on the kernel. Repeats the run once if it is invalid.
fn run_live_sound(plan: &Scenario, bar: &Progress, weight: u64) -> Result<Record, LiveError> {
    let alone = AtomicBool::new(false);
    let record = run_live_one(plan, bar, weight, &alone)?;
    match record.emulation.as_ref().is_some_and(|emulation| !emulation.validity_issues().is_empty())
    {
        true => run_live_one(plan, bar, 0, &alone),
        false => Ok(record),
    }
}

/// Creates a thread pool with the requested number of threads.
pub fn pool(output: &request::Output) -> Result<rayon::ThreadPool, Failure> {
    let session = Session::current();
    rayon::ThreadPoolBuilder::new()
        .num_threads(output.jobs.unwrap_or(0) as usize)
        .start_handler(move |_| session.enter_for_life())
        .build()
        .map_err(|error| {
            Failure::Other(format!("threads cannot be started: {error}; try --jobs 1"))
        })
}

/// Runs a scenario in the simulator and shows the progress. `observer` sees its packets, `follower`
/// receives its samples.
fn run_one(
    scenario: &Scenario,
    bar: &Progress,
    weight: u64,
    observer: Option<&mut dyn Observer>,
    follower: &mut dyn Follower,
) -> Result<Record, SimError> {
    let mut shown = Time::ZERO;
    let mut heard = |now: Time| {
        bar.inc(steps(now.since(shown)) * weight);
        shown = now;
        true
    };
    let record = narrows_sim::run_followed(
        scenario,
        narrows_sim::Progress::new(&mut heard, bar.stop()),
        observer,
        follower,
    )?;
    bar.inc(steps(scenario.duration).saturating_sub(steps(shown.since(Time::ZERO))) * weight);
    Ok(record)
}

fn progress_bar(
    verb: &'static str,
    all: impl Iterator<Item = Work>,
    output: &request::Output,
) -> Progress {
    output.console.progress(verb, all.map(Work::total).sum(), output.quiet)
}

/// Returns the scenario with `count` consecutive seeds.
pub fn with_seeds(scenario: &Scenario, first: Option<u64>, count: u32) -> Vec<Scenario> {
    let first = first.unwrap_or(scenario.seed);
    (0..count as u64)
        .map(|offset| Scenario { seed: first.wrapping_add(offset), ..scenario.clone() })
        .collect()
}
