//! Writes the result of a run or a comparison into its directory, and reads it back.

use crate::checksums::{ResultDir, sha256};
use crate::error::{ReportError, failed};
use crate::reserved::Reserved;
use crate::summary::{self, RunOut, summary_json};
use crate::tables::{AnyTable, icn_record, icn_tables, no_rows, record, tables};
use crate::together;
use crate::{Case, Comparison, Group, Overlay, OverlayError, html};
use narrows_files::Folder;
use narrows_sheet::{self as sheet, ParquetError, Sheet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The part of a result that only `run.json` holds. It differs between machines and between runs.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// Version of the program, with the commit that it is built from if that is known.
    pub build: String,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The machine: name, system, processor.
    pub host: String,
    /// Time at which the command started, in seconds since 1970.
    pub started_unix_s: Option<u64>,
    /// Wall-clock duration.
    pub wall: Duration,
    /// Peak memory use in MiB, if the system reports it.
    pub peak_memory_mib: Option<f64>,
    /// Files that the scenarios name, such as traces. They are stored next to the scenarios.
    pub inputs: Vec<Input>,
    /// Controllers loaded from files. The files are stored next to the scenarios.
    pub controllers: Vec<ControllerFile>,
    /// Transports of other implementations that the program has. Those that ran are written.
    pub stacks: Vec<StackCrate>,
}

/// A transport of another implementation, as it was built into the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StackCrate {
    /// Its name in those of controllers: "noq" of "noq:cubic" and "cubic@noq".
    pub stack: String,
    /// Name of the crate.
    #[serde(rename = "crate")]
    pub package: String,
    /// Version of the crate.
    pub version: String,
    /// SHA-256 of the crate in the lock file with which the program was built, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Dependencies of it that the program has replaced, and by what.
    pub replaced: Vec<String>,
}

impl StackCrate {
    /// True if the stack carries a controller of this name.
    fn carries(&self, controller: &str) -> bool {
        let name = controller.split('?').next().unwrap_or_default();
        let before = name.split_once(':').map(|(stack, _)| stack);
        let stack = before.or_else(|| name.rsplit_once('@').map(|(_, stack)| stack));
        stack == Some(self.stack.as_str())
    }
}

/// A controller loaded from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerFile {
    /// Name of the controller in scenarios.
    pub name: String,
    /// Extension of the stored file, after the controller's name: `.o`, `.policy.json`.
    pub end: &'static str,
    /// Content of the executed file.
    pub object: Vec<u8>,
    /// The source and the compiler, if it was compiled.
    pub source: Option<ControllerSource>,
}

/// The origin of a compiled controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ControllerSource {
    /// Name of the source file.
    pub name: String,
    /// SHA-256 of the source text, in hexadecimal.
    pub sha256: String,
    /// The compiler's version line.
    pub compiler: String,
}

impl ControllerFile {
    /// Returns the name of the stored file in the result directory.
    pub fn file(&self) -> String {
        format!("{}{}", self.name, self.end)
    }

    fn line(&self) -> ControllerLine<'_> {
        ControllerLine {
            name: &self.name,
            object: self.file(),
            sha256: sha256(&self.object),
            source: self.source.as_ref(),
        }
    }
}

#[derive(Serialize)]
struct ControllerLine<'a> {
    name: &'a str,
    object: String,
    sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a ControllerSource>,
}

/// A file that a scenario names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Name in the result directory, as used by the scenario there.
    pub name: String,
    /// Content of the file.
    pub text: String,
}

#[derive(Serialize)]
struct RunJson<'a> {
    narrows: &'a str,
    build: &'a str,
    command: &'a [String],
    host: &'a str,
    started_unix_s: Option<u64>,
    wall_s: f64,
    peak_memory_mib: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    controllers: Vec<ControllerLine<'a>>,
    #[serde(skip_serializing_if = "<[StackCrate]>::is_empty")]
    stacks: &'a [StackCrate],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    runs: Vec<RunLine<'a>>,
}

#[derive(Serialize)]
pub(crate) struct RunLine<'a> {
    case: &'a str,
    seed: u64,
}

#[derive(Deserialize)]
struct SummaryIn {
    format: u32,
    narrows: String,
    title: String,
    remake: String,
    notes: Vec<String>,
    #[serde(default)]
    baseline: Option<String>,
    #[serde(default)]
    overlays: Vec<String>,
    #[serde(default)]
    groups: Vec<Group>,
    cases: Vec<CaseIn>,
}

#[derive(Deserialize)]
struct CaseIn {
    label: String,
    scenario: String,
    runs: Vec<RunOut>,
}

/// Writes the result into its reserved directory: scenarios, the files that they name, overlays,
/// `summary.json`, `run.json`, the Parquet tables, `report.html` and the checksums. The directory
/// appears complete or not at all.
///
/// # Errors
///
/// Two runs of a case have the same seed, or something cannot be written.
pub fn write(
    reserved: Reserved,
    comparison: &Comparison,
    info: &RunInfo,
) -> Result<(), ReportError> {
    let grouped: usize = comparison.groups.iter().map(|group| group.cases).sum();
    debug_assert!(comparison.groups.is_empty() || grouped == comparison.cases.len());
    let mut seen = BTreeSet::new();
    if let Some((label, run)) =
        comparison.runs().find(|(label, run)| !seen.insert((label.to_owned(), run.seed)))
    {
        return Err(ReportError::Repeated(label.to_owned(), run.seed));
    }
    let scenarios = comparison
        .cases
        .iter()
        .enumerate()
        .map(|(index, case)| (comparison.scenario_file(index), &case.scenario_toml));
    for (name, text) in scenarios.collect::<BTreeMap<String, &String>>() {
        reserved.file(&name, text.as_bytes())?;
    }
    info.keep(&reserved)?;
    for overlay in &comparison.overlays {
        reserved.file(&overlay.file(), overlay.text.as_bytes())?;
    }
    reserved.file("summary.json", summary_json(comparison).as_bytes())?;
    let mut info = info.clone();
    info.stacks.retain(|stack| {
        let mut flows = comparison.runs().flat_map(|(_, run)| &run.flows);
        flows.any(|flow| stack.carries(&flow.controller))
    });
    reserved.file("run.json", info.json(&comparison.version, run_lines(comparison)).as_bytes())?;
    let more = icn_tables().into_iter().filter(|_| comparison.is_icn());
    let tables: Vec<&dyn AnyTable> = tables().into_iter().chain(more).collect();
    // A table holds one column of one run at a time in memory. With several runs, writing several
    // tables at once does not need much more memory.
    together::each(&tables, comparison.runs().count(), |table| {
        let groups = comparison.runs().map(|(label, run)| table.written(label, run));
        reserved.table(table.file(), &table.sheet("", &no_rows()), groups)
    })?;
    reserved.file("report.html", html(comparison).as_bytes())?;
    reserved.complete()
}

/// Replaces `report.html` in a result directory, and returns its path.
///
/// # Errors
///
/// The page cannot be written, or the name belongs to something other than a regular file.
pub fn redraw(dir: &Path, page: &str) -> Result<PathBuf, ReportError> {
    let path = dir.join("report.html");
    let written = Folder::open(dir).and_then(|result| result.write("report.html", page.as_bytes()));
    written.map_err(|source| failed(&path, source))?;
    Ok(path)
}

/// Reads the result of a run or a comparison.
///
/// # Errors
///
/// The directory holds another kind of result, or a file is damaged.
pub fn read(files: &ResultDir) -> Result<Comparison, ReportError> {
    let path = files.path().join("summary.json");
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    let summary: SummaryIn = serde_json::from_str(&files.text("summary.json")?)
        .map_err(|error| damaged(error.to_string()))?;
    if summary.format != summary::FORMAT {
        return Err(damaged(format!(
            "its format is {}, this version reads {}",
            summary.format,
            summary::FORMAT
        )));
    }
    let icn = summary.cases.iter().flat_map(|case| &case.runs).any(|run| run.icn.is_some());
    let load = |tables: &[&dyn AnyTable]| {
        tables.iter().map(|table| read_table(files, table.file())).collect::<Result<Vec<_>, _>>()
    };
    let like = |table: &dyn AnyTable| table.sheet("", &no_rows());
    let (empty, icn_empty) = (tables().map(like), icn_tables().map(like));
    let (tables, icn_tables) =
        (load(&tables())?, if icn { load(&icn_tables())? } else { Vec::new() });
    let mut cases = Vec::new();
    for case in summary.cases {
        let runs = case.runs.iter().map(|run| {
            let key = (case.label.clone(), run.seed);
            let sheets =
                std::array::from_fn(|table| tables[table].get(&key).unwrap_or(&empty[table]));
            let icn_sheets = || {
                std::array::from_fn(|table| {
                    icn_tables[table].get(&key).unwrap_or(&icn_empty[table])
                })
            };
            let read = || {
                let mut record = record(run, sheets)?;
                let icn = run.icn.as_ref().map(|icn| icn_record(icn, icn_sheets())).transpose()?;
                record.icn = icn.map(Box::new);
                Ok(record)
            };
            read().map_err(|error: ParquetError| ReportError::Damaged {
                path: files.path().to_owned(),
                reason: error.to_string(),
            })
        });
        let runs = runs.collect::<Result<_, _>>()?;
        cases.push(Case {
            label: case.label.clone(),
            scenario_toml: files.text(&case.scenario)?,
            runs,
        });
    }
    let grouped: usize = summary.groups.iter().map(|group| group.cases).sum();
    if !summary.groups.is_empty() && grouped != cases.len() {
        let reason = format!("its groups have {grouped} cases, and it has {}", cases.len());
        return Err(damaged(reason));
    }
    let overlay = |name: &String| {
        let file = Overlay::file_of(name);
        let damaged = |error: OverlayError| ReportError::Damaged {
            path: files.path().join(&file),
            reason: error.to_string(),
        };
        Overlay::parse(name, &files.text(&file)?).map_err(damaged)
    };
    let overlays = summary.overlays.iter().map(overlay).collect::<Result<_, _>>()?;
    Ok(Comparison {
        title: summary.title,
        cases,
        remake: summary.remake,
        notes: summary.notes,
        overlays,
        version: summary.narrows,
        baseline: summary.baseline,
        groups: summary.groups,
    })
}

/// Reads a table and returns its rows by case and seed.
fn read_table(
    files: &ResultDir,
    name: &str,
) -> Result<BTreeMap<(String, u64), Sheet>, ReportError> {
    let file = files.file(name)?;
    let keyed = || -> Result<_, ParquetError> {
        let mut runs = BTreeMap::new();
        for sheet in sheet::read(file)? {
            if let (Some(case), Some(seed)) = (
                sheet.text("case")?.first().map(|case| case.to_string()),
                sheet.count("seed")?.first().copied(),
            ) {
                runs.insert((case, seed), sheet);
            }
        }
        Ok(runs)
    };
    keyed().map_err(|error| ReportError::Damaged {
        path: files.path().join(name),
        reason: error.to_string(),
    })
}

fn run_lines(comparison: &Comparison) -> Vec<RunLine<'_>> {
    comparison.runs().map(|(case, run)| RunLine { case, seed: run.seed }).collect()
}

impl RunInfo {
    /// Writes the files that the scenarios name, and the controllers from files.
    pub(crate) fn keep(&self, reserved: &Reserved) -> Result<(), ReportError> {
        self.inputs
            .iter()
            .try_for_each(|input| reserved.file(&input.name, input.text.as_bytes()))?;
        self.controllers
            .iter()
            .try_for_each(|controller| reserved.file(&controller.file(), &controller.object))
    }

    /// Returns the text of `run.json`.
    pub(crate) fn json(&self, version: &str, runs: Vec<RunLine<'_>>) -> String {
        let json = RunJson {
            narrows: version,
            build: &self.build,
            command: &self.command,
            host: &self.host,
            started_unix_s: self.started_unix_s,
            wall_s: self.wall.as_secs_f64(),
            peak_memory_mib: self.peak_memory_mib,
            controllers: self.controllers.iter().map(ControllerFile::line).collect(),
            stacks: &self.stacks,
            runs,
        };
        let mut text = serde_json::to_string_pretty(&json).unwrap_or_default();
        text.push('\n');
        text
    }
}
