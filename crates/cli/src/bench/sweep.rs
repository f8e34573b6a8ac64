//! `narrows lab bench --sweep`: the cost of many short runs, measured over whole commands with all
//! files that they write.

use super::child;
use narrows_files::leftovers::TemporaryFolder;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::meter;
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::process::Command;
use std::time::Instant;

/// Number of simulated runs in each command.
const CELLS: u32 = 1_200;

/// Number of threads of a command.
const JOBS: &str = "2";

/// One CUBIC flow for two seconds at 10 Mbit/s, about 1700 packets.
const SCENARIO: &str = r#"name = "Short"
duration = "2 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "cubic"
"#;

/// Result of one command.
#[derive(Serialize)]
struct Row {
    command: &'static str,
    /// Number of simulated runs.
    cells: u32,
    /// Runs per second of wall-clock time.
    cells_per_s: f64,
    /// CPU time of all threads.
    cpu_us_per_cell: f64,
}

/// Returns the labels and arguments of the commands, with [`CELLS`] runs each.
fn commands() -> [(&'static str, Vec<String>); 5] {
    let words = |text: String| text.split('|').map(str::to_owned).collect();
    let network = "--duration|2 s|--rate|10 Mbit/s";
    [
        ("sweep, seeds", words(format!("sweep|short.toml|--seeds|{CELLS}"))),
        (
            "sweep, delays",
            words(format!(
                "sweep|short.toml|--set|link.bottleneck.delay={{ from = '5 ms', to = '50 ms', count = {CELLS} }}"
            )),
        ),
        ("run, seeds", words(format!("run|short.toml|--seeds|{CELLS}"))),
        (
            "compare",
            words(format!("compare|newreno|cubic|bbr|{network}|--flows|1|--seeds|{}", CELLS / 3)),
        ),
        (
            "matrix",
            words(format!("matrix|newreno|cubic|{network}|--buffer|1 bdp|--seeds|{}", CELLS / 5)),
        ),
    ]
}

/// Runs each command `runs` times, in turns, and prints a table or JSON.
pub fn bench(runs: u32, json: bool) -> Result<Outcome, Failure> {
    let place = Place::new()?;
    let commands = commands();
    let mut costs = vec![Vec::new(); commands.len()];
    for _ in 0..runs {
        commands
            .iter()
            .zip(&mut costs)
            .try_for_each(|((_, words), costs)| place.run(words).map(|cost| costs.push(cost)))?;
    }
    let rows = commands.iter().zip(costs).map(|((command, _), mut costs)| {
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (wall, cpu) = costs[costs.len() / 2];
        Row {
            command,
            cells: CELLS,
            cells_per_s: f64::from(CELLS) / wall,
            cpu_us_per_cell: cpu * 1e6 / f64::from(CELLS),
        }
    });
    let rows: Vec<Row> = rows.collect();
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(Outcome::Ok);
    }
    writeln!(out, "Runs of 2 s with one flow on 10 Mbit/s, {JOBS} threads")?;
    writeln!(out, "{:<14} {:>6} {:>8} {:>12}", "command", "cells", "cells/s", "CPU us/cell")?;
    for Row { command, cells, cells_per_s, cpu_us_per_cell } in &rows {
        writeln!(out, "{command:<14} {cells:>6} {cells_per_s:>8.0} {cpu_us_per_cell:>12.0}")?;
    }
    Ok(Outcome::Ok)
}

/// Temporary directory in which commands run. It is removed on drop.
struct Place(TemporaryFolder);

impl Place {
    fn new() -> Result<Place, Failure> {
        let made = TemporaryFolder::new().and_then(|folder| {
            fs::write(folder.path().join("short.toml"), SCENARIO)?;
            Ok(folder)
        });
        made.map(Place).map_err(|error| {
            Failure::Other(format!(
                "a temporary folder cannot be written: {error}; set TMPDIR to another place"
            ))
        })
    }

    /// Runs a command and returns its wall-clock time and its CPU time, in seconds.
    fn run(&self, words: &[String]) -> Result<(f64, f64), Failure> {
        let fail = |problem: String| {
            Failure::Other(format!("narrows {} cannot be measured: {problem}", words.join(" ")))
        };
        let program = std::env::current_exe().map_err(|error| fail(error.to_string()))?;
        let (before, began) = (meter::cpu_time_of_children(), Instant::now());
        let mut command = Command::new(program);
        command
            .args(words)
            .args(["--jobs", JOBS, "--quiet", "--out", "out"])
            .current_dir(self.0.path());
        let output = child::output(&mut command, |error| fail(error.to_string()))?;
        let (wall, cpu) = (began.elapsed(), meter::cpu_time_of_children() - before);
        if !output.status.success() {
            return Err(fail(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        fs::remove_dir_all(self.0.path().join("out")).map_err(|error| fail(error.to_string()))?;
        Ok((wall.as_secs_f64(), cpu.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_scenario::{Changes, Sweep};

    #[test]
    fn the_sweeps_have_the_cells_that_are_counted() {
        for (name, words) in commands().into_iter().filter(|(name, _)| name.starts_with("sweep")) {
            let after = |flag: &str| words.iter().skip_while(|word| *word != flag).nth(1).cloned();
            let set = after("--set").and_then(|set| {
                set.split_once('=').map(|(path, values)| (path.to_owned(), values.to_owned()))
            });
            let changes = Changes {
                set: set.into_iter().collect(),
                seeds: after("--seeds").map(|seeds| seeds.parse().expect("a number")),
                ..Changes::default()
            };
            let sweep = Sweep::parse(SCENARIO, "short.toml", &changes)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(sweep.cells(), u64::from(CELLS), "{name}");
            sweep
                .check(&|_| Err(std::io::ErrorKind::NotFound.into()))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
