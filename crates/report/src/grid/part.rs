//! A shard of a sweep: some of its runs, in one Parquet file that also identifies the sweep.

use super::Reduced;
use super::files::{GROUP, Keys, SHARD, add_metrics};
use super::model::GridAxis;
use crate::checksums;
use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::reserved::Reserved;
use narrows_files::open_unlinked;
use narrows_sheet::{Cells, ParquetError, Reader, Sheet};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The table of a shard.
const RUNS: &str = "runs.parquet";
/// Columns of the table: the number of the run; its reduced data, in JSON; and the SHA-256 of both,
/// because a table may be copied without its directory.
const RUN: &str = "run";
const KEPT: &str = "kept";
const SUM: &str = "sha256";

/// The description of a shard and of its sweep.
#[derive(Debug)]
pub struct PartSetup<'a> {
    /// Name of the sweep.
    pub title: &'a str,
    /// Version and build of the program that ran the shard.
    pub program: &'a str,
    /// The shard, such as `2/3`.
    pub shard: &'a str,
    /// SHA-256 of everything that determines the runs of the whole sweep, in hexadecimal.
    pub identity: &'a str,
    /// Description of the sweep for a reader. [`Part::heading`] returns it.
    pub heading: &'a str,
    /// Text of the sweep file.
    pub sweep_toml: &'a str,
    /// Axes of the sweep, without the seeds.
    pub axes: &'a [GridAxis],
    /// Seeds of the sweep.
    pub seeds: &'a [u64],
    /// Numbers of the runs in the shard, ascending.
    pub runs: &'a [u64],
    /// Number of runs of the whole sweep.
    pub all: u64,
}

#[derive(Serialize)]
struct Summary<'a> {
    kind: &'a str,
    narrows: &'a str,
    title: &'a str,
    shard: &'a str,
    identity: &'a str,
    all: u64,
    runs: &'a [u64],
}

/// Writes a shard of a sweep into its reserved directory: `runs.parquet` with a row for each run,
/// in the order of `setup.runs`; `sweep.toml` and the files that it names; `summary.json`, which
/// identifies the sweep and the runs; and `run.json`. `reduced` returns the reduced data of a run.
/// The directory appears complete or not at all.
///
/// # Errors
///
/// Something cannot be written, or `reduced` fails.
pub fn write_part<E: From<ReportError>>(
    reserved: Reserved,
    setup: &PartSetup<'_>,
    reduced: impl Fn(u64) -> Result<Reduced, E>,
    info: &RunInfo,
) -> Result<(), E> {
    let keys = Keys::new(setup.axes, setup.seeds);
    let mut failed = None;
    let groups = setup.runs.chunks(GROUP).map_while(|runs| {
        let reduced = runs.iter().map(|run| reduced(*run)).collect::<Result<Vec<_>, E>>();
        reduced
            .map(|reduced| sheet(&keys, runs, &reduced))
            .map_err(|error| failed = Some(error))
            .ok()
    });
    reserved.headed_table(RUNS, Some(setup.heading), &sheet(&keys, &[], &[]), groups)?;
    if let Some(failed) = failed {
        return Err(failed);
    }
    let summary = Summary {
        kind: SHARD,
        narrows: setup.program,
        title: setup.title,
        shard: setup.shard,
        identity: setup.identity,
        all: setup.all,
        runs: setup.runs,
    };
    reserved.file(
        "summary.json",
        (serde_json::to_string(&summary).unwrap_or_default() + "\n").as_bytes(),
    )?;
    reserved.file("sweep.toml", setup.sweep_toml.as_bytes())?;
    info.keep(&reserved)?;
    reserved.file("run.json", info.json(env!("CARGO_PKG_VERSION"), Vec::new()).as_bytes())?;
    Ok(reserved.complete()?)
}

fn sheet(keys: &Keys<'_>, runs: &[u64], reduced: &[Reduced]) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.add(RUN, Cells::Count(runs.to_vec()));
    let mut sheet =
        keys.sheet(&runs.iter().map(|run| *run as usize).collect::<Vec<_>>()).after(sheet);
    add_metrics(&mut sheet, &reduced.iter().map(|own| &own.metrics[..]).collect::<Vec<_>>());
    let kept: Vec<Arc<str>> =
        reduced.iter().map(|own| serde_json::to_string(own).unwrap_or_default().into()).collect();
    sheet.add(
        SUM,
        Cells::Text(runs.iter().zip(&kept).map(|(run, kept)| sum(*run, kept).into()).collect()),
    );
    sheet.add(KEPT, Cells::Text(kept));
    sheet
}

/// Returns the SHA-256 of a run's number and reduced data, with a space between them.
fn sum(run: u64, kept: &str) -> String {
    checksums::sha256(format!("{run} {kept}").as_bytes())
}

/// Returns the number and the reduced data of a row, after a check of its SHA-256.
fn whole(run: u64, kept: &Arc<str>, wanted: &str) -> Result<(u64, Arc<str>), ParquetError> {
    if sum(run, kept) == wanted {
        return Ok((run, Arc::clone(kept)));
    }
    Err(ParquetError::General(format!(
        "what it has of run {run} is not as it was written: its SHA-256 is another; copy it again"
    )))
}

/// A shard of a sweep, opened for reading.
pub struct Part {
    path: PathBuf,
    table: Reader,
    heading: String,
}

impl Part {
    /// Opens a directory written by [`write_part`], after a check of its files, or its table alone.
    ///
    /// # Errors
    ///
    /// The path is neither, or a file is damaged.
    pub fn open(path: &Path) -> Result<Part, ReportError> {
        let read = |source| ReportError::Read { path: path.to_owned(), source };
        let file = match path.is_dir() {
            true => {
                let files = checksums::open(path)?;
                if files.names().all(|name| name != RUNS) {
                    return Err(ReportError::NoShard(path.to_owned()));
                }
                files.file(RUNS)?
            }
            false => open_unlinked(path).map_err(read)?,
        };
        let damaged = |error: ParquetError| damaged(path, &error);
        let table = Reader::new(file).map_err(damaged)?;
        let heading = table.heading().ok_or_else(|| {
            damaged(ParquetError::General("it does not say of which sweep it is".to_owned()))
        })?;
        Ok(Part { path: path.to_owned(), heading: heading.to_owned(), table })
    }

    /// Returns the path of the shard.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the description of the sweep.
    pub fn heading(&self) -> &str {
        &self.heading
    }

    /// Returns the runs: the number and the reduced data of each, in JSON.
    /// [`reduced`](Part::reduced) parses it.
    pub fn runs(&self) -> impl Iterator<Item = Result<(u64, Arc<str>), ReportError>> {
        (0..self.table.groups()).flat_map(|index| {
            let rows = || {
                let sheet = self.table.group(index)?;
                let (runs, kept, sums) = (sheet.count(RUN)?, sheet.text(KEPT)?, sheet.text(SUM)?);
                let rows = runs.iter().zip(kept.iter()).zip(sums.iter());
                Ok(rows.map(|((run, kept), sum)| whole(*run, kept, sum)).collect::<Vec<_>>())
            };
            let rows = rows().unwrap_or_else(|error| vec![Err(error)]);
            rows.into_iter()
                .map(|row| row.map_err(|error| damaged(&self.path, &error)))
                .collect::<Vec<_>>()
        })
    }

    /// Parses the reduced data of a run, as returned by [`runs`](Part::runs).
    ///
    /// # Errors
    ///
    /// The text is not the reduced data of a run.
    pub fn reduced(&self, kept: &str) -> Result<Reduced, ReportError> {
        serde_json::from_str(kept)
            .map_err(|error| damaged(&self.path, &ParquetError::External(Box::new(error))))
    }
}

fn damaged(path: &Path, error: &ParquetError) -> ReportError {
    ReportError::Damaged { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_whose_number_or_text_was_changed_is_not_taken() {
        let kept: Arc<str> = "{\"metrics\":[1.5]}".into();
        let wanted = sum(7, &kept);
        assert_eq!(whole(7, &kept, &wanted).expect("it is as it was"), (7, Arc::clone(&kept)));
        for (run, text, sum) in
            [(8, &*kept, &*wanted), (7, "{\"metrics\":[1.6]}", &*wanted), (7, &*kept, "")]
        {
            let said = whole(run, &text.into(), sum).expect_err("it was changed").to_string();
            assert!(said.contains(&format!("run {run} is not as it was written")), "{said}");
        }
    }
}
