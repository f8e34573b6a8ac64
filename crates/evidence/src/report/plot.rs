//! Dot plots of a criterion's cells, one track per cell. Cells with two numbers are drawn as
//! trade-offs instead.

use super::cell::CheckedCell;
use super::exits::exit_maps;
use super::heat::slowdown_maps;
use super::model::{Checked, CheckedCriterion};
use crate::statistics::Estimate;
use maud::{Markup, PreEscaped, html};
use narrows_figure::number::short;
use narrows_figure::{
    Axis, Content, Dot, Figure, Scale, Style, Track, Tracks, TradePanel, Trades, hyphened,
};
use narrows_measure::metrics::in_words;

/// Width of a plot in pixels.
const WIDTH: f64 = 860.0;
/// Tracks and panels of a plot at most. The table has all cells.
const TRACKS: usize = 14;
const PANELS: usize = 12;

/// Returns the plots of a criterion: one for each measure of cells with one number, and one for
/// each pair of measures of cells with two. The worst cells come first.
pub fn plots(own: &CheckedCriterion) -> Markup {
    let style = Style { width: WIDTH, titled: false, in_page: true, ..Style::SCREEN };
    html! {
        @for figure in named_maps(own).into_iter().chain(figures(own)) {
            div.track {
                h3 { (figure.title) }
                (PreEscaped(figure.svg(&style)))
                p.hint { (figure.caption) }
            }
        }
    }
}

/// Returns the figures of a check. Their names begin with the criterion.
pub fn check_figures(checked: &Checked) -> Vec<Figure> {
    let of_criterion = |own: &CheckedCriterion| {
        let named = |(place, figure): (usize, Figure)| Figure {
            name: Some(hyphened(&format!("{} {}", own.id, place + 1))),
            title: format!("{}: {}", own.title, figure.title),
            ..figure
        };
        let maps = named_maps(own).into_iter();
        maps.chain(figures(own).into_iter().enumerate().map(named)).collect::<Vec<_>>()
    };
    checked.criteria.iter().flat_map(of_criterion).collect()
}

/// Returns the figures of a criterion that have names of their own.
fn named_maps(own: &CheckedCriterion) -> Vec<Figure> {
    exit_maps(own).into_iter().chain(slowdown_maps(own)).collect()
}

/// Returns the figures of a criterion.
fn figures(own: &CheckedCriterion) -> Vec<Figure> {
    let single = own.cells.iter().filter(|cell| cell.second.is_none()).collect();
    let tracks = grouped(single, |cell| Some(cell.measure.clone()));
    let trades = grouped(own.cells.iter().collect(), |cell| {
        Some((cell.measure.clone(), cell.second.as_ref()?.measure.clone()))
    });
    let tracks = tracks.iter().filter_map(|cells| track_figure(cells));
    tracks.chain(trades.iter().filter_map(|cells| trade_figure(cells))).collect()
}

/// Returns the cells in groups of equal keys, in the order of the first of each; cells without a key
/// are left out.
fn grouped<K: PartialEq>(
    cells: Vec<&CheckedCell>,
    key: impl Fn(&CheckedCell) -> Option<K>,
) -> Vec<Vec<&CheckedCell>> {
    let mut groups: Vec<(K, Vec<&CheckedCell>)> = Vec::new();
    for cell in cells {
        let Some(own) = key(cell) else { continue };
        match groups.iter_mut().find(|(key, _)| *key == own) {
            Some((_, group)) => group.push(cell),
            None => groups.push((own, vec![cell])),
        }
    }
    groups.into_iter().map(|(_, cells)| cells).collect()
}

/// The judged number of a cell and those for comparison, each with the name of its controllers.
fn numbers(cell: &CheckedCell) -> Vec<(&str, Option<Estimate>)> {
    let others = cell.beside.iter().map(|own| (own.of.as_str(), own.value()));
    std::iter::once((cell.of.as_str(), cell.value())).chain(others).collect()
}

/// A track for each cell, all with one scale.
fn track_figure(cells: &[&CheckedCell]) -> Option<Figure> {
    let cells = &cells[..cells.len().min(TRACKS)];
    let first = cells.first()?;
    let values = cells.iter().flat_map(|cell| numbers(cell)).filter_map(|(_, value)| value);
    let most = values.map(|own| own.high).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let dot = |own: Estimate| Dot { at: own.mean, range: Some((own.low, own.high)), against: None };
    let end = format!("{} {}", short(most), first.unit).trim_end().to_owned();
    // All tracks end at the same value, which the first one tells.
    let row = |(place, cell): (usize, &&CheckedCell)| Track {
        label: cell.cell.clone(),
        end: (most, if place == 0 { end.clone() } else { String::new() }),
        dots: numbers(cell).into_iter().map(|(_, value)| value.map(dot)).collect(),
    };
    // The names of competitors differ from cell to cell.
    let several = first.measure.contains(" of other");
    let name = |(name, _): &(&str, Option<Estimate>)| {
        let rest = name.split_once(' ').filter(|_| several).map(|(_, rest)| rest);
        rest.unwrap_or(name).to_owned()
    };
    Some(Figure {
        name: None,
        title: in_words(&first.measure),
        caption: "Means over seeds with their intervals, from zero to the number at the right end."
            .to_owned(),
        x: unused(),
        y: unused(),
        content: Content::Tracks(Tracks {
            names: numbers(first).iter().map(name).collect(),
            rows: cells.iter().enumerate().map(row).collect(),
        }),
    })
}

/// A panel for each cell, all with the same axes.
fn trade_figure(cells: &[&CheckedCell]) -> Option<Figure> {
    let cells = &cells[..cells.len().min(PANELS)];
    let first = cells.first()?;
    let second = first.second.as_ref()?;
    if cells.iter().flat_map(|cell| points(cell)).all(|(_, points)| points.is_empty()) {
        return None;
    }
    let panel = |cell: &&CheckedCell| TradePanel {
        title: cell.cell.clone(),
        subtitle: cell.verdict.to_string(),
        series: points(cell).into_iter().map(|(_, points)| points).collect(),
    };
    let titled = |measure: &str, unit: &str| match unit {
        "" => in_words(measure),
        unit => format!("{}, {unit}", in_words(measure)),
    };
    let axis = |title: String| Axis { title, ..unused() };
    Some(Figure {
        name: None,
        title: format!("{} over {}", in_words(&first.measure), in_words(&second.measure)),
        caption: "Better is up and left. A dot is a seed; an ellipse holds one standard deviation around their mean. All panels have the same scale."
            .to_owned(),
        x: axis(titled(&second.measure, &second.unit)),
        y: axis(titled(&first.measure, &first.unit)),
        content: Content::Trades(Trades {
            names: points(first).iter().map(|(name, _)| (*name).to_owned()).collect(),
            panels: cells.iter().map(panel).collect(),
            percent: (second.unit == "%", first.unit == "%"),
        }),
    })
}

fn unused() -> Axis {
    Axis { title: String::new(), scale: Scale::Linear { zero: true } }
}

/// Returns for each controller the second and the first number of each seed that has both.
fn points(cell: &CheckedCell) -> Vec<(&str, Vec<[f64; 2]>)> {
    let Some(second) = &cell.second else { return Vec::new() };
    let both = |first: &[Option<f64>], second: &[Option<f64>]| -> Vec<[f64; 2]> {
        let pairs = first.iter().zip(second);
        pairs.filter_map(|(first, second)| Some([(*second)?, (*first)?])).collect()
    };
    let others = cell
        .beside
        .iter()
        .zip(&second.beside)
        .map(|(first, second)| (first.of.as_str(), both(&first.values, &second.values)));
    std::iter::once((cell.of.as_str(), both(&cell.subject, &second.subject)))
        .chain(others)
        .collect()
}
