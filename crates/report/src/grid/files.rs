//! The result directory of a sweep.

use super::summary::{grid_json, parse};
use super::{Grid, Reduced};
use crate::checksums::ResultDir;
use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::page::grid_html;
use crate::reserved::Reserved;
use crate::sheet::{Cells, Sheet};
use narrows_measure::metrics::METRICS;
use std::sync::Arc;

/// Rows of a row group.
const GROUP: usize = 8192;

/// Writes the result of a sweep into the directory that is reserved for it: `sweep.toml`, the files it names, `summary.json`, `run.json`, `cells.parquet` with a row for each run,
/// `flows.parquet` with a row for each flow of each run, and `report.html`. `reduced` gives the runs once more, in the grid's order. The
/// directory appears complete or not at all.
///
/// # Errors
/// Something cannot be written, or `reduced` fails.
pub fn write_grid<E: From<ReportError>>(
    reserved: Reserved,
    grid: &Grid,
    sweep_toml: &str,
    reduced: impl Iterator<Item = Result<Reduced, E>>,
    info: &RunInfo,
) -> Result<(), E> {
    reserved.file("sweep.toml", sweep_toml.as_bytes())?;
    for input in &info.inputs {
        reserved.file(&input.name, input.text.as_bytes())?;
    }
    reserved.file("summary.json", grid_json(grid).as_bytes())?;
    reserved.file("run.json", info.json(&grid.version, Vec::new()).as_bytes())?;
    let cells = cells(grid, 0..0);
    let groups = (0..grid.runs.len()).step_by(GROUP).map(|from| self::cells(grid, from..grid.runs.len().min(from + GROUP)));
    reserved.table("cells.parquet", &cells, groups)?;
    let mut failed = None;
    let sheets = reduced.enumerate().map_while(|(run, reduced)| match reduced {
        Ok(reduced) => Some(flows(grid, run, reduced)),
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    let mut sheets = sheets.peekable();
    let like = sheets.peek().cloned().unwrap_or_default();
    let groups = std::iter::from_fn(|| {
        let mut group = sheets.next()?;
        while group.rows() < GROUP {
            let Some(more) = sheets.next() else { break };
            if group.append(more).is_err() {
                break;
            }
        }
        Some(group)
    });
    reserved.table("flows.parquet", &like, groups)?;
    if let Some(matrix) = &grid.matrix {
        reserved.table("matrix.parquet", &matrix.sheet(), std::iter::once(matrix.sheet()))?;
    }
    reserved.file("report.html", grid_html(grid).as_bytes())?;
    if let Some(error) = failed {
        return Err(error);
    }
    reserved.complete()?;
    Ok(())
}

/// Reads the result of a sweep back; `None` if it is that of a run or a comparison.
///
/// # Errors
/// It is that of something else, or does not say what it should.
pub fn read_grid(files: &ResultDir) -> Result<Option<Grid>, ReportError> {
    let path = files.path().join("summary.json");
    let text = files.text("summary.json")?;
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    let kind: serde_json::Value = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if kind["kind"] == "sweep" { parse(&text).map(Some).map_err(damaged) } else { Ok(None) }
}

/// The columns that say which runs rows belong to: the cell's number, its place on each axis as text and as a number, the seed.
fn keys(grid: &Grid, runs: impl Iterator<Item = usize> + Clone) -> Sheet {
    let seeds = grid.seeds.len().max(1);
    let mut sheet = Sheet::default();
    sheet.add("cell", Cells::Count(runs.clone().map(|run| (run / seeds) as u64).collect()));
    for (index, axis) in grid.axes.iter().enumerate() {
        let labels: Vec<Arc<str>> = axis.labels.iter().map(|label| Arc::from(label.as_str())).collect();
        let places: Vec<usize> = runs.clone().map(|run| grid.places(run / seeds)[index]).collect();
        sheet.add(axis.name.clone(), Cells::Text(places.iter().map(|place| labels[*place].clone()).collect()));
        if let Some(numbers) = &axis.numbers {
            let unit = if axis.unit.is_empty() { "_number".to_owned() } else { suffix(&axis.unit) };
            sheet.add(axis.name.clone() + &unit, Cells::Real(places.iter().map(|place| numbers[*place]).collect()));
        }
    }
    sheet.add("seed", Cells::Count(runs.map(|run| grid.seeds[run % seeds]).collect()));
    sheet
}

fn cells(grid: &Grid, runs: std::ops::Range<usize>) -> Sheet {
    let mut sheet = keys(grid, runs.clone());
    for (index, metric) in METRICS.iter().enumerate() {
        let values = runs.clone().map(|run| grid.runs[run].get(index).copied().flatten()).collect();
        sheet.add(metric.name.to_owned() + &suffix(metric.unit), Cells::MaybeReal(values));
    }
    sheet
}

fn flows(grid: &Grid, run: usize, reduced: Reduced) -> Sheet {
    let rows = reduced.flows.rows();
    reduced.flows.without("case").after(keys(grid, std::iter::repeat_n(run, rows)))
}

/// How a unit ends the name of a column.
fn suffix(unit: &str) -> String {
    match unit {
        "" => String::new(),
        "%" => "_percent".to_owned(),
        "Mbit/s" => "_mbps".to_owned(),
        "B" => "_bytes".to_owned(),
        other => format!("_{}", other.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_per_").trim_matches('_')),
    }
}
