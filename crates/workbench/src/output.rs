//! Result directories and printed output.

use crate::error::Failure;
use crate::host::Console;
use crate::inputs;
use crate::locale::localised;
use crate::meter;
use crate::program;
use crate::request;
use crate::run_store::{self, Origin};
use narrows_report::{Column, Comparison, Grid, Input, ReportError, Reserved, RunInfo};
use narrows_scenario::visible;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Start time of a command, for `run.json`.
pub struct Started {
    began: Instant,
    at: SystemTime,
}

impl Started {
    /// Records the current time.
    pub fn now() -> Started {
        Started { began: Instant::now(), at: SystemTime::now() }
    }

    /// Formats the time and memory used so far.
    pub fn cost(&self) -> String {
        let memory = meter::peak_memory_mib()
            .map_or(String::new(), |mib| format!(", at most {mib:.0} MiB of memory"));
        format!("Took {:.1} s{memory}", self.began.elapsed().as_secs_f64())
    }

    /// Returns the content of `run.json`. `inputs` are the files that the command read.
    pub fn info(&self, inputs: Vec<Input>, console: &Console) -> RunInfo {
        RunInfo {
            build: program::version().to_owned(),
            command: console.words(),
            host: host(),
            started_unix_s: self.at.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs()),
            wall: self.began.elapsed(),
            peak_memory_mib: meter::peak_memory_mib(),
            inputs,
            controllers: inputs::controllers(),
            stacks: inputs::stacks(),
        }
    }
}

fn host() -> String {
    let release = |name: &str| {
        std::fs::read_to_string(format!("/proc/sys/kernel/{name}"))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    format!(
        "{} {} {} {}",
        std::env::consts::OS,
        release("osrelease"),
        std::env::consts::ARCH,
        release("hostname")
    )
}

/// Reserves the result directory before anything runs: the directory from the command line, or the
/// next free one for this name.
pub fn reserve(output: &request::Output, name: &str) -> Result<Reserved, Failure> {
    match &output.out {
        Some(directory) => Ok(Reserved::new(directory)?),
        None => reserve_free((1u32..).map(|n| numbered(name, n))),
    }
}

/// Reserves the result directory of a command that stores its runs: the directory from the command
/// line, else one with stored runs of an equal origin, else the next free one.
pub fn reserve_resumable(
    output: &request::Output,
    name: &str,
    origin: &Origin,
) -> Result<Reserved, Failure> {
    if output.out.is_some() {
        return reserve(output, "");
    }
    let numbers = (1u32..).map(|n| numbered(name, n));
    reserve_free(numbers.filter(|directory| {
        let partial = run_store::partial(directory);
        !partial.exists() || run_store::read_origin(&partial).is_ok_and(|kept| kept == *origin)
    }))
}

/// Reserves the first of these directories that does not exist and is not in use.
pub fn reserve_free(directories: impl Iterator<Item = PathBuf>) -> Result<Reserved, Failure> {
    let mut reserved = directories.map(|directory| Reserved::new(&directory));
    let free = reserved
        .find(|reserved| !matches!(reserved, Err(ReportError::Exists(_) | ReportError::Busy(_))));
    Ok(free.expect("some number is free")?)
}

/// Returns the n-th result directory for this name.
pub fn numbered(name: &str, n: u32) -> PathBuf {
    let slug: String = name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let slug =
        slug.split('-').filter(|part| !part.is_empty()).take(6).collect::<Vec<_>>().join("-");
    let slug = if slug.is_empty() { "run".to_owned() } else { slug };
    PathBuf::from(format!("narrows-results/{slug}-{n}"))
}

/// Writes the result into its directory, and prints the table, or a summary as JSON.
pub fn deliver(
    reserved: Reserved,
    comparison: &Comparison,
    info: &RunInfo,
    output: &request::Output,
) -> Result<(), Failure> {
    // Print the table first, so that the result is not lost if the disk fails. A failure to print
    // does not stop the writing either.
    let text = if output.json {
        narrows_report::summary_json(comparison)
    } else {
        narrows_report::table(comparison)
    };
    let printed = output.console.print(&text);
    let directory = reserved.directory().to_owned();
    narrows_report::write(reserved, comparison, info)?;
    printed?;
    point_to(&directory, output)
}

/// Prints the path of the report, and opens the report if requested.
pub fn point_to(directory: &Path, output: &request::Output) -> Result<(), Failure> {
    output.console.made(directory);
    let report = directory.join("report.html");
    if !output.quiet && !output.json {
        output
            .console
            .print(&format!("\nReport: {} (opens offline in any browser)\n", report.display()))?;
    }
    if output.open
        && let Err(error) = output.console.open(&report)
    {
        // The result is complete without a browser.
        tell(&format!("cannot open {} in a browser: {error}", report.display()));
    }
    Ok(())
}

/// Prints the result of a sweep, restricted to the metrics in `wanted` unless it is empty, and the
/// path of the report.
pub fn show(
    grid: &Grid,
    wanted: &[Column],
    directory: &Path,
    output: &request::Output,
) -> Result<(), Failure> {
    output.console.print(&if output.json {
        grid_text(grid)
    } else {
        narrows_report::grid_table(grid, wanted)
    })?;
    point_to(directory, output)
}

/// Formats the result of a sweep as JSON.
pub fn grid_text(grid: &Grid) -> String {
    grid.scorecard
        .as_ref()
        .map_or_else(|| narrows_report::grid_json(grid), narrows_report::scorecard_json)
}

/// Prints a message to standard error after it replaces control characters, because names from
/// outside may contain them.
pub fn tell(text: &str) {
    // There is nowhere to report a failure of this write.
    let _ = io::stderr().write_all(localised(&format!("{}\n", visible(text))).as_bytes());
}
