//! The cells of a grid as a map. The last axis is horizontal, the other axes are vertical.

use super::cell::CheckedCell;
use super::model::CheckedCriterion;
use super::text::found;
use maud::{Markup, html};
use narrows_figure::number::short;
use narrows_measure::metrics::in_words;
use std::collections::{BTreeMap, BTreeSet};

/// Indices and labels on one or several axes.
type Along = Vec<(usize, String)>;

/// Returns a map for each grid of at least two axes, and each measure in it.
pub fn maps(own: &CheckedCriterion) -> Markup {
    let mut grouped: BTreeMap<(&str, &str), Vec<&CheckedCell>> = BTreeMap::new();
    for cell in own.cells.iter().filter(|cell| cell.coordinates.len() >= 2) {
        grouped.entry((&cell.grid, &cell.measure)).or_default().push(cell);
    }
    html!(@for ((grid, measure), cells) in grouped { (map(grid, measure, &cells)) })
}

fn map(grid: &str, measure: &str, cells: &[&CheckedCell]) -> Markup {
    let split = |cell: &CheckedCell| -> (Along, Along) {
        let (last, others) = cell.coordinates.split_last().expect("there are two");
        (others.to_vec(), vec![last.clone()])
    };
    let at: BTreeMap<(Along, Along), &CheckedCell> =
        cells.iter().map(|cell| (split(cell), *cell)).collect();
    let columns: BTreeSet<&Along> = at.keys().map(|(_, column)| column).collect();
    let rows: BTreeSet<&Along> = at.keys().map(|(row, _)| row).collect();
    let label = |along: &Along| {
        along.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(", ")
    };
    let square = |row: &Along, column: &Along| {
        let Some(cell) = at.get(&(row.clone(), column.clone())) else { return html!(td {}) };
        html! {
            td class={ "square " (cell.verdict) } title=(found(cell)) {
                (cell.value().map_or("\u{2013}".to_owned(), |own| short(own.mean)))
                @if cell.undecided { "?" }
            }
        }
    };
    let unit = cells.first().map_or("", |cell| cell.unit.as_str());
    html! {
        h3 { (grid) ": " (in_words(measure)) @if !unit.is_empty() { ", " (unit) } }
        div.wide { table.map {
            thead { tr { th {} @for column in &columns { th scope="col" { (label(column)) } } } }
            tbody { @for row in &rows {
                tr {
                    th scope="row" { (label(row)) }
                    @for column in &columns { (square(row, column)) }
                }
            } }
        } }
    }
}
