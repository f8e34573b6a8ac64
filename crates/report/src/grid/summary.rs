//! `summary.json` of a sweep: axes, and every metric of every cell.

use super::{Grid, GridAxis, Matrix};
use narrows_measure::metrics::METRICS;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The layout's version; it changes when a reader of the old one would misread the new one.
pub(super) const FORMAT: u32 = 1;

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

/// The text of `summary.json`: the axes, and for each cell the mean of every metric over seeds, its 95 % interval and its values. A cell
/// has a line.
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
        let values: Map<String, Value> = places.map(|(axis, place)| (axis.name.clone(), axis.labels[place].clone().into())).collect();
        let metrics: Map<String, Value> = defined
            .iter()
            .map(|metric| {
                let spread = grid.spread(cell, metric);
                let (low, high) = (spread.interval.map(|interval| interval.low), spread.interval.map(|interval| interval.high));
                (metric.name.to_owned(), json!({ "mean": spread.mean, "low": low, "high": high, "values": spread.values }))
            })
            .collect();
        format!("    {}", json!({ "at": values, "metrics": metrics }))
    });
    let head = serde_json::to_string_pretty(&head).unwrap_or_default();
    let head = head.trim_end().trim_end_matches('}').trim_end();
    format!("{head},\n  \"cells\": [\n{}\n  ]\n}}\n", cells.collect::<Vec<_>>().join(",\n"))
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
}

#[derive(Deserialize)]
struct MetricIn {
    values: Vec<Option<f64>>,
}

/// Reads `summary.json` of a sweep. `Err` says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Grid, String> {
    let whole: Whole = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if whole.format != FORMAT {
        return Err(format!("its format is {}, this version reads {FORMAT}", whole.format));
    }
    let run = |cell: &CellIn, seed: usize| -> Vec<Option<f64>> {
        METRICS.iter().map(|metric| cell.metrics.get(metric.name).and_then(|own| own.values.get(seed).copied().flatten())).collect()
    };
    let seeds = whole.seeds.len();
    let grid = Grid {
        title: whole.title,
        remake: whole.remake,
        notes: whole.notes,
        version: whole.narrows,
        axes: whole.axes,
        seeds: whole.seeds,
        matrix: whole.matrix,
        runs: whole.cells.iter().flat_map(|cell| (0..seeds).map(move |seed| run(cell, seed))).collect(),
    };
    if grid.axes.iter().any(|axis| axis.numbers.as_ref().is_some_and(|numbers| numbers.len() != axis.labels.len())) {
        return Err("an axis lacks a number for each label".to_owned());
    }
    if grid.cells() != whole.cells.len() { Err("some cells are missing".to_owned()) } else { Ok(grid) }
}
