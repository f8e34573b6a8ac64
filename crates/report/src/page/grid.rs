//! The page of a sweep.

use super::frame::{self, Frame, Plots, fill};
use super::pairs;
use super::scorecard::scorecard_html;
use super::style::escape;
use crate::grid::{self, Grid, Matrix};
use crate::number::{count, or_dash, short};
use narrows_measure::harm::STARVED_S;
use narrows_measure::metrics::Metric;
use serde::Serialize;

const MAIN: &str = include_str!("assets/grid.html");
const JS: &str = concat!(include_str!("assets/heat.js"), include_str!("assets/matrix.js"), include_str!("assets/grid.js"));
/// Rows of the table of cells; the Parquet table has them all.
const ROWS: usize = 200;
/// Bytes of data that the page may carry.
const BUDGET: usize = 1_600_000;
/// Bytes that one metric of a cell takes: mean and both ends of its interval.
const NUMBERS: usize = 24;

#[derive(Serialize)]
struct Data<'a> {
    axes: &'a [grid::GridAxis],
    seeds: usize,
    metrics: Vec<Plotted>,
    /// How many of the metrics are the main ones, of which the page shows at first the one that differs most.
    main: usize,
    matrix: Option<&'a Matrix>,
    /// From how long on a flow counts as starved, in s.
    starved: f64,
}

#[derive(Serialize)]
struct Plotted {
    title: &'static str,
    unit: &'static str,
    summary: &'static str,
    mean: Vec<Option<f64>>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
}

/// The page of a sweep: heat maps and lines of its metrics, the matrix of pairs if it is one, the table, the command that makes it again.
pub fn grid_html(grid: &Grid) -> String {
    if let Some(card) = &grid.scorecard {
        return scorecard_html(card);
    }
    let metrics = plotted(grid);
    let left_out = metrics.len() - metrics.iter().take(most(grid)).count();
    let mut notes: Vec<String> = grid.notes.clone();
    if left_out > 0 {
        notes.push(format!("There are so many cells that this page leaves out {left_out} metrics; cells.parquet has them."));
    }
    let data = Data {
        axes: &grid.axes,
        seeds: grid.seeds.len(),
        metrics: metrics.iter().take(most(grid)).map(|(head, metric)| drawn(grid, head, metric)).collect(),
        main: grid::main_metrics(grid).len(),
        matrix: grid.matrix.as_ref(),
        starved: STARVED_S,
    };
    let pairs = |matrix: &Matrix| fill(include_str!("assets/matrix.html"), &[("summary", &pairs::summary(matrix))]);
    let matrix = grid.matrix.as_ref().map_or_else(String::new, pairs);
    let main = fill(
        MAIN,
        &[
            ("matrix", &matrix),
            ("legend", &legend(grid)),
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
        plots: Some(Plots { data: serde_json::to_string(&data).unwrap_or_default(), js: JS }),
    };
    frame.around(&main)
}

/// The main metrics first, then the others.
fn plotted(grid: &Grid) -> Vec<(&'static str, &'static Metric)> {
    let mut metrics = grid::main_metrics(grid);
    let others: Vec<_> = grid.defined().filter(|metric| metrics.iter().all(|(_, main)| main.name != metric.name)).collect();
    metrics.extend(others.into_iter().map(|metric| (metric.name, metric)));
    metrics
}

/// How many metrics fit on the page.
fn most(grid: &Grid) -> usize {
    (BUDGET / (NUMBERS * grid.cells().max(1))).max(1)
}

fn drawn(grid: &Grid, title: &'static str, metric: &'static Metric) -> Plotted {
    let spreads: Vec<_> = (0..grid.cells()).map(|cell| grid.spread(cell, metric)).collect();
    let rounded = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
    Plotted {
        title,
        unit: metric.unit,
        summary: metric.summary,
        mean: spreads.iter().map(|spread| spread.mean.map(rounded)).collect(),
        low: spreads.iter().map(|spread| spread.interval.map(|interval| rounded(interval.low))).collect(),
        high: spreads.iter().map(|spread| spread.interval.map(|interval| rounded(interval.high))).collect(),
    }
}

/// What the numbers of the heat maps are.
fn legend(grid: &Grid) -> String {
    match grid.seeds.len() {
        1 => "One seed: the spread is unknown.".to_owned(),
        n => format!("Mean over {n} seeds; lines and the table below include its 95 % bootstrap interval."),
    }
}

fn table(grid: &Grid) -> String {
    let metrics = grid::main_metrics(grid);
    let axes: Vec<_> = grid::varying(grid).collect();
    let mut head: String = axes.iter().map(|(_, axis)| format!("<th scope=\"col\" class=\"axis\">{}</th>", escape(&axis.name))).collect();
    head.extend(metrics.iter().map(|(head, metric)| {
        format!("<th scope=\"col\" title=\"{}\">{}<small>{}</small></th>", escape(metric.summary), escape(head), escape(metric.unit))
    }));
    let rows = (0..grid.cells().min(ROWS)).map(|cell| {
        let places = grid.places(cell);
        let label = |(index, axis): &(usize, &grid::GridAxis)| {
            format!("<th scope=\"row\" class=\"axis\">{}</th>", escape(&axis.labels[places[*index]]))
        };
        let mut row: String = axes.iter().map(label).collect();
        row.extend(metrics.iter().map(|(_, metric)| {
            let spread = grid.spread(cell, metric);
            let range = spread.interval.map(|interval| (short(interval.low), short(interval.high))).filter(|(low, high)| low != high);
            let range = range.map_or_else(String::new, |(low, high)| format!("{low}–{high}"));
            format!("<td>{}<small>{}</small></td>", escape(&or_dash(spread.mean)), escape(&range))
        }));
        format!("<tr>{row}</tr>\n")
    });
    let rows: String = rows.collect();
    let more = match grid.cells().saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("<p class=\"hint\">{} more in cells.parquet.</p>", count(more as u64)),
    };
    format!("<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>{more}")
}

fn meanings(metrics: &[(&str, &Metric)]) -> String {
    let one = |(head, metric): &(&str, &Metric)| {
        format!(
            "<dt>{}</dt><dd>{} <span>Computed as: {}. Source: {}.</span></dd>\n",
            escape(head),
            escape(metric.summary),
            escape(metric.formula.trim_end_matches('.')),
            escape(metric.source)
        )
    };
    metrics.iter().map(one).collect()
}
