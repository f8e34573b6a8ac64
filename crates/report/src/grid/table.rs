//! The table of a sweep for a terminal.

use super::Grid;
use super::column::Column;
use super::model::GridAxis;
use super::reduced::OfGroup;
use crate::columns::{COLUMNS, ICN_COLUMNS};
use crate::scorecard::scorecard_table;
use crate::spread::{Spread, statistic};
use crate::table::{head, one, render, wrap};
use narrows_figure::number::count;
use narrows_measure::metrics::{Metric, metric};

/// Largest number of rows in the terminal's table.
const ROWS: usize = 60;
/// Largest number of groups of flows per cell.
const GROUPS: usize = 8;

/// Formats the sweep as plain text, at most 120 columns wide: for each cell the medians of the main
/// metrics, and with several seeds below them their 95 % intervals. A cell with several groups of
/// flows has a line for each. If `wanted` is not empty, its columns replace the main metrics and
/// there are no lines for groups. A scorecard has its own format, and so has a matrix if `wanted`
/// is empty.
pub fn grid_table(grid: &Grid, wanted: &[Column]) -> String {
    if let Some(card) = &grid.scorecard {
        return scorecard_table(card);
    }
    let mut text = format!("{}\n{}\n", grid.title, wrap(&setup(grid)));
    if let Some(matrix) = grid.matrix.as_ref().filter(|_| wanted.is_empty()) {
        text += &matrix.table();
        text += &wrap(&statistic(grid.seeds.len()));
        text += "Cells show the row / the column. Harm is the loss beside the other: 0 is none, 1 is total.\n";
        text += match grid.seeds.len() {
            1 => {
                "! marks starvation. Harm is marked where its whole interval over seeds exceeds a yardstick, for which one seed is too few.\n"
            }
            _ => {
                "! marks starvation, and harm whose whole 95 % interval exceeds the yardstick, CUBIC on NewReno.\n"
            }
        };
        return text;
    }
    let main: Vec<Column> = main_metrics(grid).into_iter().map(Column::whole).collect();
    let shown = if wanted.is_empty() { &main } else { wanted };
    let all = lines(grid, ROWS, wanted.is_empty());
    let axes = varying(grid).map(|(index, axis)| {
        let place = |line: &Line<'_>| {
            if line.group.is_none() {
                axis.labels[grid.places(line.cell)[index]].clone()
            } else {
                String::new()
            }
        };
        std::iter::once(axis_head(&axis.name))
            .chain(all.iter().map(|line| one(place(line))))
            .collect()
    });
    let mut columns: Vec<Vec<[String; 2]>> = axes.collect();
    if all.iter().any(|line| line.group.is_some()) {
        columns.push(
            std::iter::once(one("Flows".to_owned()))
                .chain(all.iter().map(|line| one(line.flows())))
                .collect(),
        );
    }
    let texts = columns.len();
    let cells = all.last().map_or(0, |line| line.cell + 1);
    for column in shown {
        let whole = grid.spreads_in(cells, column);
        let cell = |line: &Line<'_>| {
            line.spread(grid, column, &whole)
                .map_or_else(|| one(String::new()), |spread| spread.cell())
        };
        columns.push(
            std::iter::once(head(&column.head(), column.metric.unit))
                .chain(all.iter().map(cell))
                .collect(),
        );
    }
    text += &render(columns, texts);
    if grid.cells() > cells {
        text += &format!(
            "... and {} more cells in cells.parquet and report.html\n",
            count((grid.cells() - cells) as u64)
        );
    }
    text += &format!("\n{}\n", statistic(grid.seeds.len()));
    for note in &grid.notes {
        text += "\n";
        text += &wrap(&format!("Note: {note}"));
    }
    text
}

/// A line of a table of cells: all flows of a cell, or one group of its flows.
pub(crate) struct Line<'a> {
    pub cell: usize,
    pub group: Option<&'a OfGroup>,
    several: bool,
}

impl Line<'_> {
    /// Names the flows of the line: "all", "first: cubic".
    pub fn flows(&self) -> String {
        match self.group {
            Some(group) if group.name == group.controller => group.name.to_string(),
            Some(group) => format!("{}: {}", group.name, group.controller),
            None if self.several => "all".to_owned(),
            None => String::new(),
        }
    }

    /// Returns the value of a column. `whole` has its values for all flows of each cell. `None` if
    /// the metric is not defined for groups.
    pub fn spread(&self, grid: &Grid, column: &Column, whole: &[Spread]) -> Option<Spread> {
        match self.group {
            None => whole.get(self.cell).copied(),
            Some(group) => Column::is_of_flows(column.metric)
                .then(|| Spread::over(&grid.values_of(self.cell, &group.name, column.metric))),
        }
    }
}

/// Returns the lines of as many whole cells as fit into `most` lines, and of at least one cell.
/// Lines for groups are added if `wanted`.
pub(crate) fn lines(grid: &Grid, most: usize, wanted: bool) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for cell in 0..grid.cells() {
        let groups = if wanted { grid.groups_of(cell) } else { &[] };
        let groups = &groups[..groups.len().min(GROUPS)];
        if cell > 0 && lines.len() + 1 + groups.len() > most {
            break;
        }
        lines.push(Line { cell, group: None, several: !groups.is_empty() });
        lines.extend(groups.iter().map(|group| Line { cell, group: Some(group), several: true }));
    }
    lines
}

/// Returns the axes with several values, with their indices. An axis with one value is named above
/// the table.
pub(crate) fn varying(grid: &Grid) -> impl Iterator<Item = (usize, &GridAxis)> {
    let several = grid.axes.iter().any(|axis| axis.labels.len() > 1);
    grid.axes.iter().enumerate().filter(move |(_, axis)| axis.labels.len() > 1 || !several)
}

/// Describes the cells: "12 cells: link.bottleneck.rate (3 values), flow.*.controller (4 values);
/// seeds 1–5."
pub(crate) fn setup(grid: &Grid) -> String {
    let axes = grid.axes.iter().map(|axis| match &axis.labels[..] {
        [only] => format!("{} {only}", axis.name),
        many => format!("{} ({} values)", axis.name, many.len()),
    });
    let axes: Vec<String> = axes.collect();
    let axes = if axes.is_empty() { String::new() } else { format!(": {}", axes.join(", ")) };
    let cells = if grid.cells() == 1 {
        "1 cell".to_owned()
    } else {
        format!("{} cells", count(grid.cells() as u64))
    };
    let seeds = match (grid.seeds.first(), grid.seeds.last()) {
        (Some(first), Some(last)) if last == first => format!("seed {first}"),
        (Some(first), Some(last)) if last - first + 1 == grid.seeds.len() as u64 => {
            format!("seeds {first}–{last}")
        }
        _ => format!("{} seeds", grid.seeds.len()),
    };
    format!("{cells}{axes}; {seeds}.")
}

/// Returns the metrics of the table of results that some run defines.
pub(crate) fn main_metrics(grid: &Grid) -> Vec<&'static Metric> {
    let defined: Vec<&str> = grid.defined().map(|metric| metric.name).collect();
    // Only information-centric networks define this metric.
    let columns = if defined.contains(&"primary_goodput") { ICN_COLUMNS } else { COLUMNS };
    columns
        .iter()
        .filter(|(_, name)| defined.contains(name))
        .filter_map(|(_, name)| metric(name))
        .collect()
}

/// Splits a path into its last key and the keys before it, on two lines.
fn axis_head(name: &str) -> [String; 2] {
    match name.rsplit_once('.') {
        Some((above, key)) if !name.contains(',') => [above.to_owned(), key.to_owned()],
        _ => one(name.to_owned()),
    }
}
