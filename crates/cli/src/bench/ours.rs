//! Measurement of a cell in our simulator.

use super::child;
use super::matrix::{BOTTLENECK, Cell};
use super::row::Row;
use crate::cli::BenchArgs;
use narrows_workbench::Failure;
use narrows_workbench::interruption::interruption;
use narrows_workbench::meter;
use narrows_workbench::of_simulation;
use std::process::Command;

/// Returns the median of several runs in this process.
pub fn measure(cell: &Cell, runs: u32) -> Result<Row, Failure> {
    let scenario = cell.scenario()?;
    let mut rows = Vec::new();
    for _ in 0..runs {
        let before = meter::cpu_time();
        let record = narrows_sim::run_until(&scenario, interruption()).map_err(of_simulation)?;
        let cost = meter::cpu_time() - before;
        rows.push(Row::of(
            cell,
            cost.as_nanos() as f64,
            &record,
            BOTTLENECK,
            meter::peak_memory_mib().unwrap_or(0.0),
        ));
    }
    Ok(Row::median(rows))
}

/// Returns the median of several runs in a separate process, so that memory retained from other
/// rows does not count. `args` select the table that contains the cell.
pub fn measure_apart(cell: &Cell, runs: u32, args: &BenchArgs) -> Result<Row, Failure> {
    let table = if args.large {
        vec!["--large".to_owned()]
    } else {
        vec!["--controllers".to_owned(), args.controllers.join(",")]
    };
    let fail =
        |problem: String| Failure::Other(format!("{} cannot be measured: {problem}", cell.name()));
    let program = std::env::current_exe().map_err(|error| fail(error.to_string()))?;
    let mut command = Command::new(program);
    command
        .args(["lab", "bench", "--json", "--runs", &runs.to_string(), "--only", &cell.name()])
        .args(table);
    let output = child::output(&mut command, |error| fail(error.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let rows: Vec<Row> =
        serde_json::from_slice(&output.stdout).map_err(|error| fail(error.to_string()))?;
    rows.into_iter().next().ok_or_else(|| fail("no row came back".to_owned()))
}
