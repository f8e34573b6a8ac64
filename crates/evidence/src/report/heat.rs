//! Heat maps of slowdowns, one for each controller.

use super::cell::CheckedCell;
use super::model::CheckedCriterion;
use narrows_figure::number::short;
use narrows_figure::{Axis, Content, Figure, Heat, Ramp, Scale, hyphened};
use narrows_measure::statistics::median;

/// The number that is drawn.
const MEASURE: &str = "slowdown_p50";

/// Returns a map of slowdowns for the controller under test, and one for each baseline with the
/// same colours, from cells on two or more axes, the last of which is round trips. A cell also has
/// the ratio to the first baseline.
pub fn slowdown_maps(own: &CheckedCriterion) -> Vec<Figure> {
    let over_round_trips = |cell: &CheckedCell| {
        let last = cell.coordinates.last().is_some_and(|(_, label)| label.ends_with(" ms"));
        last && cell.coordinates.len() >= 2
    };
    let is_drawn = |cell: &&CheckedCell| cell.measure == MEASURE && over_round_trips(cell);
    let mut cells: Vec<&CheckedCell> = own.cells.iter().filter(is_drawn).collect();
    cells.retain(|cell| {
        Some(&cell.grid) == own.cells.iter().find(|own| is_drawn(own)).map(|own| &own.grid)
    });
    cells.sort_by_key(|cell| cell.coordinates.iter().map(|(place, _)| *place).collect::<Vec<_>>());
    let Some(first) = cells.first() else { return Vec::new() };
    let players = 1 + first.beside.len();
    let all =
        (0..players).flat_map(|player| cells.iter().filter_map(move |cell| value(cell, player)));
    let most = all.fold(1.0, f64::max);
    (0..players).map(|player| map(&cells, player, most)).collect()
}

/// Returns the median over seeds of a player in a cell: 0 is the controller under test.
fn value(cell: &CheckedCell, player: usize) -> Option<f64> {
    let all = player.checked_sub(1).map_or(&cell.subject, |at| &cell.beside[at].values);
    median(&all.iter().flatten().copied().collect::<Vec<_>>())
}

fn map(cells: &[&CheckedCell], player: usize, most: f64) -> Figure {
    let name = player.checked_sub(1).map_or(&cells[0].of, |at| &cells[0].beside[at].of);
    let first = cells[0].beside.first().map_or("", |own| own.of.as_str());
    let (mut rows, mut columns) = (Vec::<String>::new(), Vec::<String>::new());
    let mut squares: Vec<Vec<Option<(f64, String)>>> = Vec::new();
    for cell in cells {
        let Some(((_, column), row)) = cell.coordinates.split_last() else { continue };
        let row = row.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(", ");
        if rows.last() != Some(&row) {
            rows.push(row);
            squares.push(Vec::new());
        }
        if !columns.contains(column) {
            columns.push(column.clone());
        }
        let square = value(cell, player).map(|own| {
            let ratio = value(cell, 1).filter(|_| player != 1).map(|classic| own / classic);
            let beside =
                ratio.map_or_else(String::new, |ratio| format!(" (\u{d7}{})", short(ratio)));
            (own, format!("{}{beside}", short(own)))
        });
        squares.last_mut().expect("each row was begun").push(square);
    }
    let axis = |title: &str, names| Axis { title: title.to_owned(), scale: Scale::Named(names) };
    let has_ratios = player != 1 && !first.is_empty();
    let ratios = if has_ratios { format!("; in brackets over {first}'s") } else { String::new() };
    Figure {
        name: Some(hyphened(&format!("slowdown map {name}"))),
        title: format!("Slowdown of transfers with {name}"),
        caption: format!(
            "Completion time over that of an idle path without slow start, medians over seeds{ratios}."
        ),
        x: axis("Round trip", columns),
        y: axis("Rate, size", rows),
        content: Content::Heat(Heat {
            cells: squares,
            texts: Vec::new(),
            range: (1.0, most),
            ramp: Ramp::Rising,
        }),
    }
}
