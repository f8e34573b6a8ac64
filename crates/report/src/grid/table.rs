//! The table of a sweep that a terminal shows.

use super::Grid;
use super::model::GridAxis;
use super::reduced::Spread;
use crate::columns::{COLUMNS, ICN_COLUMNS};
use crate::number::{count, or_dash, short};
use crate::scorecard::scorecard_table;
use crate::table::{head, one, render, wrap};
use narrows_measure::metrics::{Metric, metric};

/// Rows that a terminal is shown.
const ROWS: usize = 60;

/// The sweep as plain text, at most 120 columns wide: a line for each cell with the means of the main metrics, and with several seeds below
/// it their 95 % intervals.
pub fn grid_table(grid: &Grid) -> String {
    if let Some(card) = &grid.scorecard {
        return scorecard_table(card);
    }
    let mut text = format!("{}\n{}\n", grid.title, wrap(&setup(grid)));
    if let Some(matrix) = &grid.matrix {
        text += &matrix.table();
        text +=
            &format!("Mean over {}.\n", if grid.seeds.len() == 1 { "one seed".to_owned() } else { format!("{} seeds", grid.seeds.len()) });
        text += "Harm is the loss of the row beside the column: 0 is none, 1 is total.\n";
        text += "! marks starvation, and harm whose whole 95 % interval exceeds the yardstick, CUBIC on NewReno.\n";
        return text;
    }
    let shown = grid.cells().min(ROWS);
    let mut columns: Vec<Vec<[String; 2]>> = varying(grid)
        .map(|(index, axis)| {
            let cells = (0..shown).map(|cell| one(axis.labels[grid.places(cell)[index]].clone()));
            std::iter::once(axis_head(&axis.name)).chain(cells).collect()
        })
        .collect();
    let texts = columns.len();
    for (name, metric) in main_metrics(grid) {
        let cells = (0..shown).map(|cell| self::cell(grid.spread(cell, metric)));
        columns.push(std::iter::once(head(name, metric.unit)).chain(cells).collect());
    }
    text += &render(columns, texts);
    if grid.cells() > shown {
        text += &format!("... and {} more cells in cells.parquet and report.html\n", count((grid.cells() - shown) as u64));
    }
    text += &format!("\n{}\n", legend(grid));
    for note in &grid.notes {
        text += "\n";
        text += &wrap(&format!("Note: {note}"));
    }
    text
}

/// The axes that tell cells apart, with their places; an axis of one value is named above the table.
pub(crate) fn varying(grid: &Grid) -> impl Iterator<Item = (usize, &GridAxis)> {
    let several = grid.axes.iter().any(|axis| axis.labels.len() > 1);
    grid.axes.iter().enumerate().filter(move |(_, axis)| axis.labels.len() > 1 || !several)
}

/// "12 cells: link.bottleneck.rate (3 values), flow.*.controller (4 values); seeds 1–5."
pub(crate) fn setup(grid: &Grid) -> String {
    let axes = grid.axes.iter().map(|axis| match &axis.labels[..] {
        [only] => format!("{} {only}", axis.name),
        many => format!("{} ({} values)", axis.name, many.len()),
    });
    let axes: Vec<String> = axes.collect();
    let axes = if axes.is_empty() { String::new() } else { format!(": {}", axes.join(", ")) };
    let cells = if grid.cells() == 1 { "1 cell".to_owned() } else { format!("{} cells", count(grid.cells() as u64)) };
    let seeds = match (grid.seeds.first(), grid.seeds.last()) {
        (Some(first), Some(last)) if last == first => format!("seed {first}"),
        (Some(first), Some(last)) if last - first + 1 == grid.seeds.len() as u64 => format!("seeds {first}–{last}"),
        _ => format!("{} seeds", grid.seeds.len()),
    };
    format!("{cells}{axes}; {seeds}.")
}

/// How to read the numbers of a sweep.
fn legend(grid: &Grid) -> String {
    match grid.seeds.len() {
        1 => "One seed: the spread is unknown.".to_owned(),
        n => format!("Mean over {n} seeds, with its 95 % bootstrap interval below."),
    }
}

/// The columns of the table of results that some run defines.
pub(crate) fn main_metrics(grid: &Grid) -> Vec<(&'static str, &'static Metric)> {
    let defined: Vec<&str> = grid.defined().map(|metric| metric.name).collect();
    // A metric that no other network has.
    let columns = if defined.contains(&"primary_goodput") { ICN_COLUMNS } else { COLUMNS };
    columns.iter().filter(|(_, name)| defined.contains(name)).filter_map(|(head, name)| Some((*head, metric(name)?))).collect()
}

fn cell(spread: Spread) -> [String; 2] {
    let range = spread.interval.map_or_else(String::new, |interval| {
        let (low, high) = (short(interval.low), short(interval.high));
        if low == high { String::new() } else { format!("{low}–{high}") }
    });
    [or_dash(spread.mean), range]
}

/// The last two words of a path, on two lines.
fn axis_head(name: &str) -> [String; 2] {
    match name.rsplit_once('.') {
        Some((above, key)) if !name.contains(',') => [above.to_owned(), key.to_owned()],
        _ => one(name.to_owned()),
    }
}
