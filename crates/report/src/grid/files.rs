//! The result directory of a sweep.

use super::model::{GridAxis, Metrics, places};
use super::reduced::OfGroup;
use super::suffix::suffix;
use super::summary::{grid_json, parse};
use super::{Grid, Reduced};
use crate::checksums::ResultDir;
use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::page::grid_html;
use crate::reserved::Reserved;
use crate::scorecard::{read_scorecard, scorecard_json};
use narrows_measure::group_of;
use narrows_measure::metrics::{METRICS, OF_FLOWS};
use narrows_sheet::{Cells, Sheet};
use std::sync::Arc;

/// Value of `kind` in the summary of a shard of a sweep.
pub(super) const SHARD: &str = "shard";
/// Rows in a row group of a Parquet table.
pub(super) const GROUP: usize = 8192;

/// Writes `flows.parquet` of a sweep, with a row for each flow of each run, and returns the metrics
/// of the runs. `reduced` yields the runs in the grid's order. Each run is held in memory only
/// until its rows are written.
///
/// # Errors
///
/// The table cannot be written, or `reduced` fails.
pub fn write_flows<E: From<ReportError>>(
    reserved: &Reserved,
    axes: &[GridAxis],
    seeds: &[u64],
    reduced: impl Iterator<Item = Result<Reduced, E>>,
) -> Result<Metrics, E> {
    let keys = Keys::new(axes, seeds);
    let (mut metrics, mut failed) = (Metrics::default(), None);
    let mut runs = reduced
        .map_while(|reduced| reduced.map_err(|error| failed = Some(error)).ok())
        .enumerate()
        .map(|(run, reduced)| {
            metrics.groups.push(if reduced.groups.is_empty() {
                only(&reduced.flows)
            } else {
                reduced.groups
            });
            metrics.controllers.push(reduced.controllers);
            metrics.runs.push(reduced.metrics);
            (run, reduced.flows.without("case"))
        });
    let mut first = runs.next();
    let like = first
        .as_ref()
        .map_or_else(Sheet::default, |(run, flows)| flows.clone().after(keys.sheet(&[*run])));
    let groups = std::iter::from_fn(|| {
        let (run, mut group) = first.take().or_else(|| runs.next())?;
        let mut of = vec![run; group.rows()];
        while of.len() < GROUP {
            let Some((run, flows)) = runs.next() else { break };
            of.resize(of.len() + flows.rows(), run);
            if group.append(flows).is_err() {
                break;
            }
        }
        Some(group.after(keys.sheet(&of)))
    });
    reserved.table("flows.parquet", &like, groups)?;
    if metrics.groups.iter().all(|groups| groups.len() < 2) {
        metrics.groups.clear();
    }
    if metrics.controllers.iter().all(Vec::is_empty) {
        metrics.controllers.clear();
    }
    failed.map_or(Ok(metrics), Err)
}

/// Returns the only group of a run.
fn only(flows: &Sheet) -> Vec<OfGroup> {
    let first = |column| flows.text(column).ok().and_then(|texts| texts.first()).cloned();
    let group = first("flow").zip(first("controller"));
    let group = group.map(|(name, controller)| OfGroup {
        name: group_of(&name).into(),
        controller,
        metrics: Vec::new(),
    });
    group.into_iter().collect()
}

/// Writes the remaining files of a sweep into its reserved directory, after [`write_flows`]:
/// `sweep.toml`, the files that it names, `summary.json`, `run.json`, `cells.parquet` with a row
/// for each run, `groups.parquet` with a row for each group of flows if a run has several groups,
/// `scorecard.json` and `matrix.parquet` if the grid has them, and `report.html`. The directory
/// appears complete or not at all.
///
/// # Errors
///
/// Something cannot be written.
pub fn write_grid(
    reserved: Reserved,
    grid: &Grid,
    sweep_toml: &str,
    info: &RunInfo,
) -> Result<(), ReportError> {
    reserved.file("sweep.toml", sweep_toml.as_bytes())?;
    info.keep(&reserved)?;
    reserved.file("summary.json", grid_json(grid).as_bytes())?;
    reserved.file("run.json", info.json(&grid.version, Vec::new()).as_bytes())?;
    let keys = Keys::new(&grid.axes, &grid.seeds);
    let groups = (0..grid.runs.len())
        .step_by(GROUP)
        .map(|from| cells(grid, &keys, from..grid.runs.len().min(from + GROUP)));
    reserved.table("cells.parquet", &cells(grid, &keys, 0..0), groups)?;
    if !grid.groups.is_empty() {
        let like = of_groups(grid, &keys, 0..0);
        let sheets = (0..grid.runs.len())
            .step_by(GROUP)
            .map(|from| of_groups(grid, &keys, from..grid.runs.len().min(from + GROUP)));
        reserved.table("groups.parquet", &like, sheets)?;
    }
    if let Some(scorecard) = &grid.scorecard {
        reserved.file("scorecard.json", scorecard_json(scorecard).as_bytes())?;
    }
    if let Some(matrix) = &grid.matrix {
        reserved.table("matrix.parquet", &matrix.sheet(), std::iter::once(matrix.sheet()))?;
    }
    reserved.file("report.html", grid_html(grid).as_bytes())?;
    reserved.complete()
}

/// Reads the result of a sweep; `None` if the directory holds a run or a comparison.
///
/// # Errors
///
/// The directory holds another kind of result, or a file is damaged.
pub fn read_grid(files: &ResultDir) -> Result<Option<Grid>, ReportError> {
    let path = files.path().join("summary.json");
    let text = files.text("summary.json")?;
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    let kind: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if kind["kind"] == SHARD {
        return Err(ReportError::Shard(files.path().to_owned()));
    }
    if kind["kind"] != "sweep" {
        return Ok(None);
    }
    let mut grid = parse(&text).map_err(damaged)?;
    grid.scorecard = read_scorecard(files)?;
    Ok(Some(grid))
}

/// The columns that identify the run of each row.
pub(super) struct Keys<'a> {
    axes: &'a [GridAxis],
    /// The labels of each axis, shared by all rows.
    labels: Vec<Vec<Arc<str>>>,
    seeds: &'a [u64],
}

impl Keys<'_> {
    pub(super) fn new<'a>(axes: &'a [GridAxis], seeds: &'a [u64]) -> Keys<'a> {
        let labels = axes
            .iter()
            .map(|axis| axis.labels.iter().map(|label| Arc::from(label.as_str())).collect());
        Keys { axes, labels: labels.collect(), seeds }
    }

    /// Returns the columns with a row for each of these runs: number of the cell, label and number
    /// on each axis, and seed.
    pub(super) fn sheet(&self, runs: &[usize]) -> Sheet {
        let seeds = self.seeds.len().max(1);
        let mut sheet = Sheet::default();
        sheet.add("cell", Cells::Count(runs.iter().map(|run| (run / seeds) as u64).collect()));
        for (index, axis) in self.axes.iter().enumerate() {
            let places: Vec<usize> =
                runs.iter().map(|run| places(self.axes, run / seeds)[index]).collect();
            sheet.add(
                column(axis),
                Cells::Text(
                    places.iter().map(|place| self.labels[index][*place].clone()).collect(),
                ),
            );
            if let Some(numbers) = &axis.numbers {
                let unit =
                    if axis.unit.is_empty() { "_number".to_owned() } else { suffix(&axis.unit) };
                sheet.add(
                    column(axis) + &unit,
                    Cells::Real(places.iter().map(|place| numbers[*place]).collect()),
                );
            }
        }
        sheet.add("seed", Cells::Count(runs.iter().map(|run| self.seeds[run % seeds]).collect()));
        sheet
    }
}

/// Returns the column name of an axis. The axis "flow", which sweeps whole lists of flows, becomes
/// "flows", because "flow" is the column of a flow's name.
fn column(axis: &GridAxis) -> String {
    if axis.name == "flow" { "flows".to_owned() } else { axis.name.clone() }
}

fn cells(grid: &Grid, keys: &Keys<'_>, runs: std::ops::Range<usize>) -> Sheet {
    let mut sheet = keys.sheet(&runs.clone().collect::<Vec<usize>>());
    add_metrics(&mut sheet, &runs.map(|run| &grid.runs[run][..]).collect::<Vec<_>>());
    sheet
}

/// Adds a column for each metric. Each of `rows` has its values in the order of [`METRICS`].
pub(super) fn add_metrics(sheet: &mut Sheet, rows: &[&[Option<f64>]]) {
    for (index, metric) in METRICS.iter().enumerate() {
        let values = rows.iter().map(|row| row.get(index).copied().flatten()).collect();
        sheet.add(metric.name.to_owned() + &suffix(metric.unit), Cells::MaybeReal(values));
    }
}

/// Returns a row for each group of flows of these runs.
fn of_groups(grid: &Grid, keys: &Keys<'_>, runs: std::ops::Range<usize>) -> Sheet {
    let rows: Vec<(usize, &OfGroup)> =
        runs.flat_map(|run| grid.groups[run].iter().map(move |group| (run, group))).collect();
    let mut sheet = keys.sheet(&rows.iter().map(|(run, _)| *run).collect::<Vec<usize>>());
    sheet.add("group", Cells::Text(rows.iter().map(|(_, group)| group.name.clone()).collect()));
    sheet.add(
        "controller",
        Cells::Text(rows.iter().map(|(_, group)| group.controller.clone()).collect()),
    );
    for (index, metric) in OF_FLOWS.iter().enumerate() {
        let of_run = METRICS.iter().position(|own| own.name == metric.name).unwrap_or_default();
        let values = rows.iter().map(|(run, group)| {
            if group.metrics.is_empty() { grid.runs[*run][of_run] } else { group.metrics[index] }
        });
        sheet
            .add(metric.name.to_owned() + &suffix(metric.unit), Cells::MaybeReal(values.collect()));
    }
    sheet
}
