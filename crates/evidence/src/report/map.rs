//! The cells of a grid as a map. The last axis is horizontal, the other axes are vertical.

use super::cell::CheckedCell;
use super::model::CheckedCriterion;
use super::text::found;
use narrows_figure::number::short;
use narrows_measure::metrics::in_words;
use narrows_report::escape;
use std::collections::{BTreeMap, BTreeSet};

/// Indices and labels on one or several axes.
type Along = Vec<(usize, String)>;

/// Returns a map for each grid of at least two axes, and each measure in it.
pub fn maps(own: &CheckedCriterion) -> String {
    let mut grouped: BTreeMap<(&str, &str), Vec<&CheckedCell>> = BTreeMap::new();
    for cell in own.cells.iter().filter(|cell| cell.coordinates.len() >= 2) {
        grouped.entry((&cell.grid, &cell.measure)).or_default().push(cell);
    }
    grouped.into_iter().map(|((grid, measure), cells)| map(grid, measure, &cells)).collect()
}

fn map(grid: &str, measure: &str, cells: &[&CheckedCell]) -> String {
    let split = |cell: &CheckedCell| -> (Along, Along) {
        let (last, others) = cell.coordinates.split_last().expect("there are two");
        (others.to_vec(), vec![last.clone()])
    };
    let at: BTreeMap<(Along, Along), &CheckedCell> =
        cells.iter().map(|cell| (split(cell), *cell)).collect();
    let columns: BTreeSet<&Along> = at.keys().map(|(_, column)| column).collect();
    let rows: BTreeSet<&Along> = at.keys().map(|(row, _)| row).collect();
    let label = |along: &Along| {
        escape(&along.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(", "))
    };
    let head: String =
        columns.iter().map(|column| format!("<th scope=\"col\">{}</th>", label(column))).collect();
    let square = |cell: Option<&&CheckedCell>| match cell {
        None => "<td></td>".to_owned(),
        Some(cell) => {
            let value = cell.value().map_or("\u{2013}".to_owned(), |own| short(own.mean));
            let undecided = if cell.undecided { "?" } else { "" };
            format!(
                "<td class=\"square {}\" title=\"{}\">{value}{undecided}</td>",
                cell.verdict,
                escape(&found(cell))
            )
        }
    };
    let line = |row: &&Along| {
        let squares: String = columns
            .iter()
            .map(|column| square(at.get(&((*row).clone(), (*column).clone()))))
            .collect();
        format!("<tr><th scope=\"row\">{}</th>{squares}</tr>\n", label(row))
    };
    let unit = cells
        .first()
        .filter(|cell| !cell.unit.is_empty())
        .map_or_else(String::new, |cell| format!(", {}", cell.unit));
    format!(
        "<h3>{}: {}{}</h3>\n<div class=\"wide\"><table class=\"map\"><thead><tr><th></th>{head}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        escape(grid),
        escape(&in_words(measure)),
        escape(&unit),
        rows.iter().map(line).collect::<String>()
    )
}
