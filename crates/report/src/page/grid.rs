//! The page of a sweep.

use super::frame::{self, Frame, Plots, fill, joined};
use super::pairs;
use super::scorecard::scorecard_html;
use super::tables::meaning;
use crate::figures;
use crate::grid::{self, Column, Grid, Matrix};
use crate::spread::statistic;
use maud::{Markup, html};
use narrows_figure::Figure;
use narrows_figure::number::{count, short};
use narrows_measure::metrics::Metric;
use serde::Serialize;
use std::sync::Arc;

const MAIN: &str = include_str!("assets/grid.html");
const JS: &str = concat!(include_str!("assets/matrix.js"), include_str!("assets/grid.js"));
/// Largest number of rows in the table of cells. The Parquet table has all rows.
const ROWS: usize = 200;
/// Limit on the page's data, in bytes.
const BUDGET: usize = 1_600_000;
/// Approximate size of a metric of a cell, in bytes: the median and both ends of its interval.
const NUMBERS: usize = 24;

#[derive(Serialize)]
struct Data<'a> {
    axes: &'a [grid::GridAxis],
    seeds: usize,
    metrics: Vec<Plotted>,
    /// Names of the groups and controllers that have metrics of their own.
    parts: &'a [Arc<str>],
    /// Number of main metrics. The page first shows the main metric that differs most.
    main: usize,
    pairs: Option<Paired<'a>>,
}

/// The heat maps of a matrix.
#[derive(Serialize)]
struct Paired<'a> {
    /// The networks.
    conditions: &'a [String],
    /// Titles of the measures.
    measures: Vec<&'a str>,
    /// Index of the measure that the page first shows.
    first: usize,
    /// A heat map for each network of the first measure, then of the next. Captions explain cells.
    figures: Vec<Figure>,
}

impl<'a> Paired<'a> {
    fn of(grid: &Grid, matrix: &'a Matrix) -> Paired<'a> {
        let explained = matrix
            .measures
            .iter()
            .flat_map(|measure| measure.conditions.iter().map(|pairs| measure.legend(pairs)));
        let figures = figures::pairs(grid, matrix).into_iter().zip(explained);
        let first = matrix.measures.iter().position(|own| own.name == "harm_throughput");
        Paired {
            conditions: &matrix.conditions,
            measures: matrix.measures.iter().map(|own| own.title.as_str()).collect(),
            first: first.unwrap_or(0),
            figures: figures.map(|(figure, caption)| Figure { caption, ..figure }).collect(),
        }
    }
}

#[derive(Serialize)]
struct Plotted {
    title: String,
    /// Index of the group or controller in `parts`; `None` for all flows.
    part: Option<usize>,
    unit: &'static str,
    summary: &'static str,
    median: Vec<Option<f64>>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
}

/// Returns the page of a sweep: heat maps and lines of its metrics, the summary of pairs if it is a
/// matrix, the table, and the command that repeats the measurement. A scorecard has a page of its
/// own.
pub fn grid_html(grid: &Grid) -> String {
    if let Some(card) = &grid.scorecard {
        return scorecard_html(card);
    }
    let parts = grid.parts();
    let metrics = plotted(grid, &parts);
    let left_out = metrics.len() - metrics.iter().take(most(grid)).count();
    let mut notes: Vec<String> = grid.notes.clone();
    if left_out > 0 {
        notes.push(format!(
            "There are so many cells that this page leaves out {left_out} metrics; cells.parquet and groups.parquet have them."
        ));
    }
    let data = Data {
        axes: &grid.axes,
        seeds: grid.seeds.len(),
        metrics: metrics
            .iter()
            .take(most(grid))
            .map(|column| drawn(grid, &parts, column))
            .collect(),
        parts: &parts,
        main: grid::main_metrics(grid).len(),
        pairs: grid.matrix.as_ref().map(|matrix| Paired::of(grid, matrix)),
    };
    let pairs = |matrix: &Matrix| {
        fill(include_str!("assets/matrix.html"), &[("summary", pairs::summary(matrix))])
    };
    let matrix = grid.matrix.as_ref().map_or_else(Markup::default, pairs);
    let main = fill(
        MAIN,
        &[
            ("matrix", matrix),
            ("legend", html!((statistic(grid.seeds.len())))),
            ("cells", table(grid)),
            ("meanings", meanings(&metrics)),
            ("remake", html!((grid.remake))),
        ],
    );
    let frame = Frame {
        title: &grid.title,
        css: "",
        above: joined([frame::setup(&grid::setup(grid)), frame::notes(&notes)]),
        version: &grid.version,
        reading: include_str!("assets/reading/grid.html"),
        explained: frame::PLOTS_AND_METRICS,
        plots: Some(Plots { data: serde_json::to_string(&data).unwrap_or_default(), js: JS }),
    };
    frame.around(main)
}

/// Returns the metrics in the order of the page: the main metrics, first for all flows, then for
/// groups of flows and controllers; then all other metrics likewise.
fn plotted(grid: &Grid, parts: &[Arc<str>]) -> Vec<Column> {
    let main = grid::main_metrics(grid);
    let others: Vec<_> =
        grid.defined().filter(|metric| main.iter().all(|own| own.name != metric.name)).collect();
    let columns = |metrics: &[&'static Metric]| -> Vec<Column> {
        let whole = metrics.iter().map(|metric| Column::whole(metric));
        let of = |metric: &&'static Metric| {
            parts.iter().map(|name| Column { metric, of: Some(name.clone()) }).collect::<Vec<_>>()
        };
        whole
            .chain(metrics.iter().filter(|metric| Column::is_of_flows(metric)).flat_map(of))
            .collect()
    };
    [columns(&main), columns(&others)].concat()
}

/// Returns the number of metrics that fit on the page, at least one.
fn most(grid: &Grid) -> usize {
    (BUDGET / (NUMBERS * grid.cells().max(1))).max(1)
}

fn drawn(grid: &Grid, parts: &[Arc<str>], column: &Column) -> Plotted {
    let spreads = grid.spreads_in(grid.cells(), column);
    // Six digits, unless the page would then show another number than the tables.
    let rounded = |value: f64| {
        let six = format!("{value:.5e}").parse().unwrap_or(value);
        if short(six) == short(value) { six } else { value }
    };
    Plotted {
        title: column.head(),
        part: column.of.as_ref().and_then(|of| parts.iter().position(|part| part == of)),
        unit: column.metric.unit,
        summary: column.metric.summary,
        median: spreads.iter().map(|spread| spread.median.map(rounded)).collect(),
        low: spreads
            .iter()
            .map(|spread| spread.interval.map(|interval| rounded(interval.low)))
            .collect(),
        high: spreads
            .iter()
            .map(|spread| spread.interval.map(|interval| rounded(interval.high)))
            .collect(),
    }
}

fn table(grid: &Grid) -> Markup {
    let columns: Vec<Column> = grid::main_metrics(grid).into_iter().map(Column::whole).collect();
    let axes: Vec<_> = grid::varying(grid).collect();
    let lines = grid::lines(grid, ROWS, true);
    let grouped = lines.iter().any(|line| line.group.is_some());
    let cells = lines.last().map_or(0, |line| line.cell + 1);
    let whole: Vec<_> = columns.iter().map(|column| grid.spreads_in(cells, column)).collect();
    let label = |line: &grid::Line<'_>, (index, axis): (usize, &grid::GridAxis)| {
        let place = grid.places(line.cell)[index];
        if line.group.is_none() { axis.labels[place].clone() } else { String::new() }
    };
    let left_out = grid.cells() - cells;
    html! {
        div.wide { table {
            thead { tr {
                @for (_, axis) in &axes { th.axis scope="col" { (axis.name) } }
                @if grouped { th.axis scope="col" { "Flows" } }
                @for column in &columns {
                    th scope="col" title=(column.metric.summary) {
                        (column.head()) small { (column.metric.unit) }
                    }
                }
            } }
            tbody { @for line in &lines {
                tr.part[line.group.is_some()] {
                    @for axis in &axes { th.axis scope="row" { (label(line, *axis)) } }
                    @if grouped { th.axis scope="row" { (line.flows()) } }
                    @for (column, whole) in columns.iter().zip(&whole) {
                        @let spread = line.spread(grid, column, whole);
                        @let [median, interval] = spread.map(|own| own.cell()).unwrap_or_default();
                        td { (median) small { (interval) } }
                    }
                }
            } }
        } }
        @if left_out > 0 { p.hint { (count(left_out as u64)) " more in cells.parquet." } }
    }
}

fn meanings(columns: &[Column]) -> Markup {
    html! {
        @for column in columns.iter().filter(|column| column.of.is_none()) {
            (meaning(&column.head(), column.metric))
        }
    }
}
