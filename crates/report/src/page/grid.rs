//! The page of a sweep.

use super::frame::{self, Frame, Plots, fill};
use super::pairs;
use super::scorecard::scorecard_html;
use super::style::escape;
use crate::grid::{self, Column, Grid, Matrix};
use crate::spread::statistic;
use narrows_figure::number::{count, short};
use narrows_measure::harm::STARVED_S;
use narrows_measure::metrics::Metric;
use serde::Serialize;
use std::sync::Arc;

const MAIN: &str = include_str!("assets/grid.html");
const JS: &str = concat!(
    include_str!("assets/heat.js"),
    include_str!("assets/matrix.js"),
    include_str!("assets/grid.js")
);
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
    matrix: Option<&'a Matrix>,
    /// Time from which a flow counts as starved, in seconds.
    starved: f64,
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
        matrix: grid.matrix.as_ref(),
        starved: STARVED_S,
    };
    let pairs = |matrix: &Matrix| {
        fill(include_str!("assets/matrix.html"), &[("summary", &pairs::summary(matrix))])
    };
    let matrix = grid.matrix.as_ref().map_or_else(String::new, pairs);
    let main = fill(
        MAIN,
        &[
            ("matrix", &matrix),
            ("legend", &statistic(grid.seeds.len())),
            ("cells", &table(grid)),
            ("meanings", &meanings(&metrics)),
            ("remake", &escape(&grid.remake)),
        ],
    );
    let frame = Frame {
        title: &grid.title,
        css: "",
        above: frame::setup(&grid::setup(grid)) + &frame::notes(&notes),
        version: &grid.version,
        reading: include_str!("assets/reading/grid.html"),
        plots: Some(Plots { data: serde_json::to_string(&data).unwrap_or_default(), js: JS }),
    };
    frame.around(&main)
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

fn table(grid: &Grid) -> String {
    let columns: Vec<Column> = grid::main_metrics(grid).into_iter().map(Column::whole).collect();
    let axes: Vec<_> = grid::varying(grid).collect();
    let lines = grid::lines(grid, ROWS, true);
    let grouped = lines.iter().any(|line| line.group.is_some());
    let axis_cell = |scope: &str, text: &str| {
        format!("<th scope=\"{scope}\" class=\"axis\">{}</th>", escape(text))
    };
    let mut head: String = axes.iter().map(|(_, axis)| axis_cell("col", &axis.name)).collect();
    head += &if grouped { axis_cell("col", "Flows") } else { String::new() };
    head.extend(columns.iter().map(|column| {
        let (title, unit) = (escape(column.metric.summary), escape(column.metric.unit));
        format!(
            "<th scope=\"col\" title=\"{title}\">{}<small>{unit}</small></th>",
            escape(&column.head())
        )
    }));
    let cells = lines.last().map_or(0, |line| line.cell + 1);
    let whole: Vec<_> = columns.iter().map(|column| grid.spreads_in(cells, column)).collect();
    let rows = lines.iter().map(|line| {
        let places = grid.places(line.cell);
        let label = |(index, axis): &(usize, &grid::GridAxis)| {
            axis_cell(
                "row",
                if line.group.is_none() { axis.labels[places[*index]].as_str() } else { "" },
            )
        };
        let mut row: String = axes.iter().map(label).collect();
        row += &if grouped { axis_cell("row", &line.flows()) } else { String::new() };
        row.extend(columns.iter().zip(&whole).map(|(column, whole)| {
            let [median, interval] =
                line.spread(grid, column, whole).map(|spread| spread.cell()).unwrap_or_default();
            format!("<td>{}<small>{}</small></td>", escape(&median), escape(&interval))
        }));
        let class = if line.group.is_some() { " class=\"part\"" } else { "" };
        format!("<tr{class}>{row}</tr>\n")
    });
    let rows: String = rows.collect();
    let more = match grid.cells() - cells {
        0 => String::new(),
        more => format!("<p class=\"hint\">{} more in cells.parquet.</p>", count(more as u64)),
    };
    format!(
        "<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>{more}"
    )
}

fn meanings(columns: &[Column]) -> String {
    let one = |column: &Column| {
        let metric = column.metric;
        format!(
            "<dt>{}</dt><dd>{} <span>Computed as: {}. Source: {}.</span></dd>\n",
            escape(&column.head()),
            escape(metric.summary),
            escape(metric.formula.trim_end_matches('.')),
            escape(metric.source)
        )
    };
    columns.iter().filter(|column| column.of.is_none()).map(one).collect()
}
