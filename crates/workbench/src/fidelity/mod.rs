//! `narrows lab fidelity`: the distance between simulator and kernel.

mod design;
mod goals;

use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::request;
use crate::runner::{run_all, run_live_together};
use design::{Cell, cells};
use goals::Concern;
use narrows_measure::{Emulation, Record, distances};
use narrows_report::{Fidelity, FidelityCell, fidelity_json, fidelity_table, write_fidelity};
use narrows_scenario::Scenario;
use narrows_units::Span;
use std::collections::HashMap;

pub use design::{CELLS, CONTROLLERS};

/// Maximum total load of concurrent runs on the kernel. The load of a run is the rate of its
/// bottleneck in Mbit/s plus [`LEAST_LOAD`].
const CAPACITY: f64 = 200.0;
/// Load of a run in addition to its rate, for its devices and processes, in the unit of
/// [`CAPACITY`].
const LEAST_LOAD: f64 = 15.0;

/// Runs the cells in the simulator and on the kernel, and judges the distances.
pub fn fidelity(args: request::Fidelity) -> Result<Outcome, Failure> {
    let started = Started::now();
    crate::live::acquire(&args.output.console)?;
    let reserved = output::reserve(&args.output, "fidelity")?;
    let (duration, seeds) =
        if args.quick { (Span::from_secs(15), 1) } else { (Span::from_secs(30), 3) };
    let controllers: Vec<String> =
        args.controllers.iter().map(|choice| choice.text().to_owned()).collect();
    let mut cells: Vec<Cell> = cells(args.quick && args.cells.is_empty(), &controllers);
    cells.retain(|cell| args.cells.is_empty() || args.cells.contains(&cell.number));
    let mut plans: Vec<Scenario> = Vec::new();
    for cell in &cells {
        for seed in 1..=seeds {
            plans.push(cell.scenario(duration, seed)?);
        }
    }
    let loads: Vec<f64> = cells
        .iter()
        .flat_map(|cell| (0..seeds).map(|_| cell.rate.as_bps() as f64 / 1e6 + LEAST_LOAD))
        .collect();
    let kernel = run_sound(&plans, &loads, &args)?;
    let simulator = run_all(&plans, &args.output)?;
    let seeds = seeds as usize;
    let measured = cells
        .iter()
        .zip(plans.chunks(seeds))
        .zip(kernel.chunks(seeds))
        .zip(simulator.chunks(seeds));
    let measured: Vec<FidelityCell> = measured
        .map(|(((cell, plans), kernel), simulator)| measure(cell, &plans[0], kernel, simulator))
        .collect();
    let concerns: HashMap<u32, Concern> =
        cells.iter().map(|cell| (cell.number, Concern::of(cell.kind))).collect();
    let goals = goals::judge(&measured, &|cell| concerns[&cell.number]);
    let mut result = Fidelity {
        title: format!(
            "Simulator beside kernel: {} cells, {duration}, {seeds} {}",
            cells.len(),
            if seeds == 1 { "seed" } else { "seeds" }
        ),
        remake: request::remake("lab fidelity", &args, &[]),
        notes: notes(&measured, seeds),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cells: measured,
        goals,
    };
    result.cells.sort_by(|a, b| goals::badness(b).total_cmp(&goals::badness(a)));
    args.output.console.print(&if args.output.json {
        fidelity_json(&result)
    } else {
        fidelity_table(&result)
    })?;
    let directory = reserved.directory().to_owned();
    write_fidelity(reserved, &result, &started.info(Vec::new(), &args.output.console))?;
    output::point_to(&directory, &args.output)?;
    if !args.output.json && !args.output.quiet {
        args.output.console.print(&format!("{}\n", started.cost()))?;
    }
    Ok(if result.goals.iter().all(|goal| goal.met) { Outcome::Ok } else { Outcome::Missed })
}

/// Runs all scenarios on the kernel. Repeats invalid runs once, with half the capacity.
fn run_sound(
    plans: &[Scenario],
    loads: &[f64],
    args: &request::Fidelity,
) -> Result<Vec<Record>, Failure> {
    let mut records = run_live_together(plans, loads, CAPACITY, &args.output)?;
    let spoiled: Vec<usize> =
        (0..plans.len()).filter(|run| unsound(&records[*run..=*run]).is_some()).collect();
    let again: Vec<Scenario> = spoiled.iter().map(|run| plans[*run].clone()).collect();
    let loads: Vec<f64> = spoiled.iter().map(|run| loads[*run]).collect();
    let repeated = run_live_together(&again, &loads, CAPACITY / 2.0, &args.output)?;
    for (run, record) in spoiled.into_iter().zip(repeated) {
        records[run] = record;
    }
    Ok(records)
}

/// Returns the reasons why live runs are invalid, or `None` if they are valid.
fn unsound(runs: &[Record]) -> Option<String> {
    let issues: Vec<String> = runs
        .iter()
        .filter_map(|run| run.emulation.as_ref())
        .flat_map(Emulation::validity_issues)
        .collect();
    (!issues.is_empty()).then(|| issues.join("; "))
}

fn notes(cells: &[FidelityCell], seeds: usize) -> Vec<String> {
    let statistic =
        (seeds > 1).then(|| format!("distances are of means over {seeds} seeds, of retransmissions over all packets of all seeds"));
    let note = |cell: &FidelityCell| {
        Some(format!("cell {} does not count: {}", cell.number, cell.invalid.as_ref()?))
    };
    statistic.into_iter().chain(cells.iter().filter_map(note)).collect()
}

fn measure(cell: &Cell, plan: &Scenario, kernel: &[Record], simulator: &[Record]) -> FidelityCell {
    FidelityCell {
        number: cell.number,
        label: cell.describe(),
        scenario_toml: plan.to_toml(),
        distances: distances(kernel, simulator),
        invalid: unsound(kernel),
    }
}
