//! The result directory: written whole or not at all, and read back.

use crate::icn_tables::{ICN_TABLES, icn_record};
use crate::sheet::{self, Sheet};
use crate::summary::{self, RunOut, summary_json};
use crate::tables::{TABLES, Table, no_rows, record};
use crate::{Case, Comparison, Overlay, html};
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// What went wrong with a result directory, and what to do about it.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The directory is there already.
    #[error("{} exists already; choose another directory with --out, or remove this one", .0.display())]
    Exists(PathBuf),
    /// Two runs of one case have the same seed, or two cases the same label.
    #[error("two runs are called \"{0}\" with seed {1}; give the cases different labels")]
    Repeated(String, u64),
    /// A file or directory could not be written.
    #[error("cannot write {}: {source}; {remedy}", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// What helps.
        remedy: &'static str,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}; give the directory of a finished run", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file does not say what it should.
    #[error("{} is damaged or was not written by Narrows: {reason}", .path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

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
    /// Files made during the run, such as captures: they are moved into the directory under their own names.
    pub made: Vec<PathBuf>,
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

/// Writes the result directory `dir`: scenario, `summary.json`, `run.json`, the Parquet tables and `report.html`. It grows under another name beside it and
/// gets its own when it is complete, so that what was stopped half-way never looks whole. An error leaves nothing behind.
pub fn write(dir: &Path, comparison: &Comparison, info: &RunInfo) -> Result<(), ReportError> {
    let mut seen = BTreeSet::new();
    if let Some((label, run)) = comparison.runs().find(|(label, run)| !seen.insert((label.to_owned(), run.seed))) {
        return Err(ReportError::Repeated(label.to_owned(), run.seed));
    }
    if dir.symlink_metadata().is_ok() {
        return Err(ReportError::Exists(dir.to_owned()));
    }
    let partial = Partial::create(dir)?;
    for (index, case) in comparison.cases.iter().enumerate() {
        partial.file(&comparison.scenario_file(index), case.scenario_toml.as_bytes())?;
    }
    for input in &info.inputs {
        partial.file(&input.name, input.text.as_bytes())?;
    }
    for overlay in &comparison.overlays {
        partial.file(&overlay.file(), overlay.text.as_bytes())?;
    }
    for made in &info.made {
        let path = partial.path.join(made.file_name().unwrap_or_default());
        fs::rename(made, &path).map_err(|source| failed(&path, source))?;
    }
    partial.file("summary.json", summary_json(comparison).as_bytes())?;
    partial.file("run.json", info.json(&comparison.version, run_lines(comparison)).as_bytes())?;
    for table in TABLES.iter().chain(ICN_TABLES.iter().filter(|_| comparison.is_icn())) {
        let sheets = comparison.runs().map(|(label, run)| (table.sheet)(label, run));
        partial.table(table.file, &(table.sheet)("", &no_rows()), sheets)?;
    }
    partial.file("report.html", html(comparison).as_bytes())?;
    partial.complete(dir)
}

/// Puts `report.html` of a result directory there again, and returns its path.
pub fn redraw(dir: &Path, page: &str) -> Result<PathBuf, ReportError> {
    let (path, new) = (dir.join("report.html"), dir.join(".report.html.partial"));
    let written = put(&new, page.as_bytes()).and_then(|()| fs::rename(&new, &path));
    written.map_err(|source| {
        let _ = fs::remove_file(&new);
        failed(&path, source)
    })?;
    Ok(path)
}

/// Reads a result directory back.
pub fn read(dir: &Path) -> Result<Comparison, ReportError> {
    let path = dir.join("summary.json");
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    let summary: SummaryIn = serde_json::from_str(&read_text(&path)?).map_err(|error| damaged(error.to_string()))?;
    if summary.format != summary::FORMAT {
        return Err(damaged(format!("its format is {}, this version reads {}", summary.format, summary::FORMAT)));
    }
    let icn = summary.cases.iter().flat_map(|case| &case.runs).any(|run| run.icn.is_some());
    let load = |tables: &[Table]| tables.iter().map(|table| read_table(&dir.join(table.file))).collect::<Result<Vec<_>, _>>();
    let (tables, icn_tables) = (load(&TABLES)?, if icn { load(&ICN_TABLES)? } else { Vec::new() });
    let like = |table: &Table| (table.sheet)("", &no_rows());
    let (empty, icn_empty) = (TABLES.each_ref().map(like), ICN_TABLES.each_ref().map(like));
    let mut cases = Vec::new();
    for case in summary.cases {
        let runs = case.runs.iter().map(|run| {
            let key = (case.label.clone(), run.seed);
            let sheets = std::array::from_fn(|table| tables[table].get(&key).unwrap_or(&empty[table]));
            let icn_sheets = || std::array::from_fn(|table| icn_tables[table].get(&key).unwrap_or(&icn_empty[table]));
            let read = || {
                let mut record = record(run, sheets)?;
                let icn = run.icn.as_ref().map(|icn| icn_record(icn, icn_sheets())).transpose()?;
                record.icn = icn.map(Box::new);
                Ok(record)
            };
            read().map_err(|error: ParquetError| ReportError::Damaged { path: dir.to_owned(), reason: error.to_string() })
        });
        let runs = runs.collect::<Result<_, _>>()?;
        cases.push(Case { label: case.label.clone(), scenario_toml: read_text(&dir.join(&case.scenario))?, runs });
    }
    let overlay = |name: &String| {
        let path = dir.join(Overlay::file_of(name));
        Overlay::parse(name, &read_text(&path)?).map_err(|error| ReportError::Damaged { path, reason: error.to_string() })
    };
    let overlays = summary.overlays.iter().map(overlay).collect::<Result<_, _>>()?;
    Ok(Comparison { title: summary.title, cases, remake: summary.remake, notes: summary.notes, overlays, version: summary.narrows })
}

pub(crate) fn read_text(path: &Path) -> Result<String, ReportError> {
    fs::read_to_string(path).map_err(|source| ReportError::Read { path: path.to_owned(), source })
}

/// A table's rows by the run they belong to.
fn read_table(path: &Path) -> Result<BTreeMap<(String, u64), Sheet>, ReportError> {
    let file = File::open(path).map_err(|source| ReportError::Read { path: path.to_owned(), source })?;
    let keyed = || -> Result<_, ParquetError> {
        let mut runs = BTreeMap::new();
        for sheet in sheet::read(file)? {
            if let (Some(case), Some(seed)) =
                (sheet.text("case")?.first().map(|case| case.to_string()), sheet.count("seed")?.first().copied())
            {
                runs.insert((case, seed), sheet);
            }
        }
        Ok(runs)
    };
    keyed().map_err(|error| ReportError::Damaged { path: path.to_owned(), reason: error.to_string() })
}

fn run_lines(comparison: &Comparison) -> Vec<RunLine<'_>> {
    comparison.runs().map(|(case, run)| RunLine { case, seed: run.seed }).collect()
}

impl RunInfo {
    /// The text of `run.json`.
    pub(crate) fn json(&self, version: &str, runs: Vec<RunLine<'_>>) -> String {
        let json = RunJson {
            narrows: version,
            command: &self.command,
            host: &self.host,
            started_unix_s: self.started_unix_s,
            wall_s: self.wall.as_secs_f64(),
            peak_memory_mib: self.peak_memory_mib,
            runs,
        };
        let mut text = serde_json::to_string_pretty(&json).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// A result directory on its way; removed again unless it is completed.
pub(crate) struct Partial {
    path: PathBuf,
    complete: bool,
}

impl Partial {
    pub(crate) fn create(dir: &Path) -> Result<Partial, ReportError> {
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        let path = dir.with_file_name(format!(".{name}.partial-{}", std::process::id()));
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|source| failed(parent, source))?;
        }
        fs::create_dir(&path).map_err(|source| failed(dir, source))?;
        Ok(Partial { path, complete: false })
    }

    pub(crate) fn file(&self, name: &str, content: &[u8]) -> Result<(), ReportError> {
        let path = self.path.join(name);
        put(&path, content).map_err(|source| failed(&path, source))
    }

    pub(crate) fn table(&self, name: &str, like: &Sheet, sheets: impl Iterator<Item = Sheet>) -> Result<(), ReportError> {
        let path = self.path.join(name);
        let file = File::create(&path).map_err(|source| failed(&path, source))?;
        let written = sheet::write(BufWriter::new(file), like, sheets).map_err(|error| match error {
            ParquetError::External(inner) => inner.downcast::<io::Error>().map_or_else(io::Error::other, |io| *io),
            other => io::Error::other(other),
        });
        let synced = written.and_then(|out| out.into_inner().map_err(|error| error.into_error())).and_then(|file| file.sync_all());
        synced.map_err(|source| failed(&path, source))
    }

    pub(crate) fn complete(mut self, dir: &Path) -> Result<(), ReportError> {
        fs::rename(&self.path, dir).map_err(|source| match source.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => ReportError::Exists(dir.to_owned()),
            _ => failed(dir, source),
        })?;
        self.complete = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.complete {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

pub(crate) fn failed(path: &Path, source: io::Error) -> ReportError {
    let remedy = match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space, or choose another place with --out",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "choose a place you may write to with --out",
        _ => "choose another place with --out",
    };
    ReportError::Write { path: path.to_owned(), source, remedy }
}
