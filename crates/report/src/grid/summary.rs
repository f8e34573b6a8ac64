//! `summary.json` of a sweep: axes, and every metric of every cell.

use super::reduced::OfGroup;
use super::{Grid, GridAxis, Matrix, Metrics};
use crate::spread::Spread;
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Version of the layout. It changes when a reader of the old layout would misread the new layout.
pub(super) const FORMAT: u32 = 2;

#[derive(Serialize)]
struct Head<'a> {
    format: u32,
    kind: &'a str,
    narrows: &'a str,
    title: &'a str,
    remake: &'a str,
    notes: &'a [String],
    axes: &'a [GridAxis],
    seeds: &'a [u64],
    units: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<&'a Matrix>,
}

#[derive(Serialize)]
struct CellOut<'a> {
    at: BTreeMap<&'a str, &'a str>,
    metrics: BTreeMap<&'a str, MetricOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    controllers: Vec<GroupOut<'a>>,
}

#[derive(Serialize)]
struct GroupOut<'a> {
    name: &'a str,
    controller: &'a str,
    metrics: BTreeMap<&'a str, MetricOut>,
}

#[derive(Serialize)]
struct MetricOut {
    high: Option<f64>,
    low: Option<f64>,
    median: Option<f64>,
    values: Vec<Option<f64>>,
}

/// Returns the text of `summary.json`: the axes, and for each cell the median of every metric over
/// seeds, its 95 % interval and its values. Each cell is on one line.
pub fn grid_json(grid: &Grid) -> String {
    let defined: Vec<_> = grid.defined().collect();
    let head = Head {
        format: FORMAT,
        kind: "sweep",
        narrows: &grid.version,
        title: &grid.title,
        remake: &grid.remake,
        notes: &grid.notes,
        axes: &grid.axes,
        seeds: &grid.seeds,
        units: defined.iter().map(|metric| (metric.name, metric.unit)).collect(),
        matrix: grid.matrix.as_ref(),
    };
    let cells = (0..grid.cells()).map(|cell| {
        let places = grid.axes.iter().zip(grid.places(cell));
        let metric = |metric: &&'static Metric| {
            (metric.name, out(grid.spread(cell, metric), grid.values(cell, metric)))
        };
        let cell = CellOut {
            at: places
                .map(|(axis, place)| (axis.name.as_str(), axis.labels[place].as_str()))
                .collect(),
            metrics: defined.iter().map(metric).collect(),
            groups: parts_out(grid, cell, &grid.groups, &|group, metric| {
                grid.values_of(cell, &group.name, metric)
            }),
            controllers: parts_out(grid, cell, &grid.controllers, &|own, metric| {
                grid.values_by(cell, &own.controller, metric)
            }),
        };
        format!("    {}", serde_json::to_string(&cell).unwrap_or_default())
    });
    let head = serde_json::to_string_pretty(&head).unwrap_or_default();
    let head = head.trim_end().trim_end_matches('}').trim_end();
    format!("{head},\n  \"cells\": [\n{}\n  ]\n}}\n", cells.collect::<Vec<_>>().join(",\n"))
}

fn out(Spread { median, interval, .. }: Spread, values: Vec<Option<f64>>) -> MetricOut {
    MetricOut {
        high: interval.map(|interval| interval.high),
        low: interval.map(|interval| interval.low),
        median,
        values,
    }
}

/// Returns the groups of flows or the controllers of a cell with their defined metrics. The only
/// group of a run has no metrics here: they are those of the cell.
fn parts_out<'a>(
    grid: &'a Grid,
    cell: usize,
    parts: &'a [Vec<OfGroup>],
    values: &dyn Fn(&OfGroup, &Metric) -> Vec<Option<f64>>,
) -> Vec<GroupOut<'a>> {
    let of_first = parts.get(cell * grid.seeds.len()).map(Vec::as_slice).unwrap_or_default();
    let metrics = |part: &'_ OfGroup| {
        let metric = |metric: &'static Metric| {
            let values = values(part, metric);
            (!part.metrics.is_empty() && values.iter().any(Option::is_some))
                .then(|| (metric.name, out(Spread::over(&values), values)))
        };
        OF_FLOWS.iter().filter_map(metric).collect()
    };
    of_first
        .iter()
        .map(|own| GroupOut { name: &own.name, controller: &own.controller, metrics: metrics(own) })
        .collect()
}

#[derive(Deserialize)]
struct Whole {
    format: u32,
    narrows: String,
    title: String,
    remake: String,
    notes: Vec<String>,
    axes: Vec<GridAxis>,
    seeds: Vec<u64>,
    matrix: Option<Matrix>,
    cells: Vec<CellIn>,
}

#[derive(Deserialize)]
struct CellIn {
    metrics: BTreeMap<String, MetricIn>,
    #[serde(default)]
    groups: Vec<GroupIn>,
    #[serde(default)]
    controllers: Vec<GroupIn>,
}

#[derive(Deserialize)]
struct GroupIn {
    name: Arc<str>,
    controller: Arc<str>,
    metrics: BTreeMap<String, MetricIn>,
}

/// Converts the groups of flows or the controllers of a cell, for one seed.
fn parts(parts: &[GroupIn], seed: usize) -> Vec<OfGroup> {
    let of = |group: &GroupIn| {
        let metric = |metric: &Metric| {
            group.metrics.get(metric.name).and_then(|own| own.values.get(seed).copied().flatten())
        };
        let metrics = if group.metrics.is_empty() {
            Vec::new()
        } else {
            OF_FLOWS.iter().map(metric).collect()
        };
        OfGroup { name: group.name.clone(), controller: group.controller.clone(), metrics }
    };
    parts.iter().map(of).collect()
}

#[derive(Deserialize)]
struct MetricIn {
    values: Vec<Option<f64>>,
}

/// Parses `summary.json` of a sweep. The error says what is wrong with the file.
pub(super) fn parse(text: &str) -> Result<Grid, String> {
    let whole: Whole = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if whole.format != FORMAT {
        return Err(format!("its format is {}, this version reads {FORMAT}", whole.format));
    }
    let run = |cell: &CellIn, seed: usize| -> Vec<Option<f64>> {
        METRICS
            .iter()
            .map(|metric| {
                cell.metrics
                    .get(metric.name)
                    .and_then(|own| own.values.get(seed).copied().flatten())
            })
            .collect()
    };
    let seeds = whole.seeds.len();
    let runs =
        whole.cells.iter().flat_map(|cell| (0..seeds).map(move |seed| run(cell, seed))).collect();
    let of_runs = |own: fn(&CellIn) -> &[GroupIn]| -> Vec<Vec<OfGroup>> {
        match whole.cells.iter().all(|cell| own(cell).is_empty()) {
            true => Vec::new(),
            false => whole
                .cells
                .iter()
                .flat_map(|cell| (0..seeds).map(move |seed| parts(own(cell), seed)))
                .collect(),
        }
    };
    let metrics = Metrics {
        runs,
        groups: of_runs(|cell| &cell.groups),
        controllers: of_runs(|cell| &cell.controllers),
    };
    let mut grid =
        Grid::new(whole.title, whole.remake, whole.narrows, (whole.axes, whole.seeds), metrics);
    (grid.notes, grid.matrix) = (whole.notes, whole.matrix);
    if grid
        .axes
        .iter()
        .any(|axis| axis.numbers.as_ref().is_some_and(|numbers| numbers.len() != axis.labels.len()))
    {
        return Err("an axis lacks a number for each label".to_owned());
    }
    if grid.cells() != whole.cells.len() {
        Err("some cells are missing".to_owned())
    } else {
        Ok(grid)
    }
}
