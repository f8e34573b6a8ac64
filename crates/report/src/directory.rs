//! The result of a run or a comparison, written into its directory and read back.

use crate::checksums::{ResultDir, sha256};
use crate::error::{ReportError, failed};
use crate::icn_tables::{ICN_TABLES, icn_record};
use crate::record::record;
use crate::reserved::Reserved;
use crate::summary::{self, RunOut, summary_json};
use crate::tables::{TABLES, Table, no_rows};
use crate::together;
use crate::{Case, Comparison, Overlay, OverlayError, html};
use narrows_files::Folder;
use narrows_sheet::{self as sheet, ParquetError, Sheet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What only `run.json` tells: it differs from machine to machine and from time to time.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The machine: name, system, processor.
    pub host: String,
    /// When it started, in seconds since 1970.
    pub started_unix_s: Option<u64>,
    /// How long it took.
    pub wall: Duration,
    /// The most memory that it had at any moment, in MiB, if the system tells.
    pub peak_memory_mib: Option<f64>,
    /// Files that the scenarios name, such as traces: they are kept beside them.
    pub inputs: Vec<Input>,
    /// Controllers that come from files, which are kept beside the scenarios.
    pub controllers: Vec<ControllerFile>,
}

/// A controller that comes from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerFile {
    /// Its name in scenarios.
    pub name: String,
    /// How the name of the file ends in which it is kept, after the name in scenarios: `.o`, `.policy.json`.
    pub end: &'static str,
    /// What was executed.
    pub object: Vec<u8>,
    /// The source and the compiler, if it was compiled.
    pub source: Option<ControllerSource>,
}

/// What a controller was compiled from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ControllerSource {
    /// The name of the file.
    pub name: String,
    /// SHA-256 of its text, in hexadecimal.
    pub sha256: String,
    /// The compiler, as it tells its version.
    pub compiler: String,
}

impl ControllerFile {
    /// The file's name in the result directory.
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
    /// Its name in the result directory, as the scenario there has it.
    pub name: String,
    /// What it says.
    pub text: String,
}

#[derive(Serialize)]
struct RunJson<'a> {
    narrows: &'a str,
    command: &'a [String],
    host: &'a str,
    started_unix_s: Option<u64>,
    wall_s: f64,
    peak_memory_mib: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    controllers: Vec<ControllerLine<'a>>,
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
    overlays: Vec<String>,
    cases: Vec<CaseIn>,
}

#[derive(Deserialize)]
struct CaseIn {
    label: String,
    scenario: String,
    runs: Vec<RunOut>,
}

/// Writes the result into the directory that is reserved for it: scenario, `summary.json`, `run.json`, the Parquet tables, `report.html`
/// and the checksums. The directory appears complete or not at all.
///
/// # Errors
/// Two runs of a case have the same seed, or something cannot be written.
pub fn write(
    reserved: Reserved,
    comparison: &Comparison,
    info: &RunInfo,
) -> Result<(), ReportError> {
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
    reserved.file("run.json", info.json(&comparison.version, run_lines(comparison)).as_bytes())?;
    let tables: Vec<&Table> =
        TABLES.iter().chain(ICN_TABLES.iter().filter(|_| comparison.is_icn())).collect();
    // A table holds the rows of one run in memory: with several runs, several tables do not make it much more.
    together::each(&tables, comparison.runs().count(), |table| {
        let sheets = comparison.runs().map(|(label, run)| (table.sheet)(label, run));
        reserved.table(table.file, &(table.sheet)("", &no_rows()), sheets)
    })?;
    reserved.file("report.html", html(comparison).as_bytes())?;
    reserved.complete()
}

/// Puts `report.html` of a result directory there again, and returns its path.
///
/// # Errors
/// It cannot be written, or something else than a regular file has its name.
pub fn redraw(dir: &Path, page: &str) -> Result<PathBuf, ReportError> {
    let path = dir.join("report.html");
    let written = Folder::open(dir).and_then(|result| result.write("report.html", page.as_bytes()));
    written.map_err(|source| failed(&path, source))?;
    Ok(path)
}

/// Reads the result of a run or a comparison back.
///
/// # Errors
/// It is that of something else, or does not say what it should.
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
    let load = |tables: &[Table]| {
        tables.iter().map(|table| read_table(files, table.file)).collect::<Result<Vec<_>, _>>()
    };
    let (tables, icn_tables) = (load(&TABLES)?, if icn { load(&ICN_TABLES)? } else { Vec::new() });
    let like = |table: &Table| (table.sheet)("", &no_rows());
    let (empty, icn_empty) = (TABLES.each_ref().map(like), ICN_TABLES.each_ref().map(like));
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
    })
}

/// A table's rows by the run they belong to.
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
    /// Writes the files that the scenarios name.
    pub(crate) fn keep(&self, reserved: &Reserved) -> Result<(), ReportError> {
        self.inputs
            .iter()
            .try_for_each(|input| reserved.file(&input.name, input.text.as_bytes()))?;
        self.controllers
            .iter()
            .try_for_each(|controller| reserved.file(&controller.file(), &controller.object))
    }

    /// The text of `run.json`.
    pub(crate) fn json(&self, version: &str, runs: Vec<RunLine<'_>>) -> String {
        let json = RunJson {
            narrows: version,
            command: &self.command,
            host: &self.host,
            started_unix_s: self.started_unix_s,
            wall_s: self.wall.as_secs_f64(),
            peak_memory_mib: self.peak_memory_mib,
            controllers: self.controllers.iter().map(ControllerFile::line).collect(),
            runs,
        };
        let mut text = serde_json::to_string_pretty(&json).unwrap_or_default();
        text.push('\n');
        text
    }
}
