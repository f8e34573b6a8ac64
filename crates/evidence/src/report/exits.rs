//! The exit map: windows at which slow start ends, over buffers and round trips.

use super::cell::CheckedCell;
use super::model::CheckedCriterion;
use narrows_figure::{Axis, Content, Figure, Rule, Series, hyphened, magnitudes};
use narrows_measure::statistics::{median, quantile};

/// Windows at which starts end by themselves on a path without loss, in BDP, as this project
/// measured them at 50 Mbit/s and 100 ms (docs/starts.md).
const KNOWN: [(f64, &str); 3] =
    [(9.4, "HyStart++ 9.4"), (5.5, "SEARCH 5.5"), (1.28, "HyStart 1.28")];
/// Names of classes, in the order of `start_class`, and indices of their colours.
const CLASSES: [(&str, usize); 3] = [("early", 0), ("right", 2), ("late", 1)];
/// Indices of the colours of lines: one round trip, and the theory.
const GREY: usize = 6;
const THEORY: usize = 4;

/// The end of a start in a cell.
struct Exit {
    buffer: f64,
    rtt: f64,
    window: f64,
    /// 5 % and 95 % quantiles over the seeds.
    spread: (f64, f64),
    class: usize,
}

/// Returns a map for the controller under test, and one for each baseline, from the cells of the
/// numbers `start_exit_bdp` and `start_class` in grids with an axis of buffers in BDP.
pub fn exit_maps(own: &CheckedCriterion) -> Vec<Figure> {
    let mut grids: Vec<&str> = own.cells.iter().map(|cell| cell.grid.as_str()).collect();
    grids.sort_unstable();
    grids.dedup();
    let of = |grid: &str, measure: &str| -> Vec<&CheckedCell> {
        let is = |cell: &&CheckedCell| cell.grid == grid && cell.measure == measure;
        own.cells.iter().filter(is).collect()
    };
    let mut maps = Vec::new();
    for grid in grids {
        let (windows, classes) = (of(grid, "start_exit_bdp"), of(grid, "start_class"));
        let Some(first) = windows.first() else { continue };
        let players = std::iter::once((first.of.as_str(), None));
        let others = first.beside.iter().enumerate().map(|(at, own)| (own.of.as_str(), Some(at)));
        for (name, player) in players.chain(others) {
            let exits: Vec<Exit> =
                windows.iter().filter_map(|cell| exit(cell, &classes, player)).collect();
            maps.extend((!exits.is_empty()).then(|| map(name, &exits)));
        }
    }
    maps
}

/// Returns the end of a player's start in a cell; `None` if it has none in most seeds, or the cell
/// has no buffer in BDP.
fn exit(cell: &CheckedCell, classes: &[&CheckedCell], player: Option<usize>) -> Option<Exit> {
    let labels = || cell.coordinates.iter().map(|(_, label)| label.as_str());
    let number =
        |unit: &str| labels().find_map(|label| label.strip_suffix(unit)?.parse::<f64>().ok());
    let values = |cell: &CheckedCell| -> Option<Vec<f64>> {
        let all = player.map_or(&cell.subject, |at| &cell.beside[at].values);
        let defined: Vec<f64> = all.iter().flatten().copied().collect();
        (2 * defined.len() > all.len()).then_some(defined)
    };
    let windows = values(cell)?;
    let class = classes.iter().find(|own| own.coordinates == cell.coordinates)?;
    Some(Exit {
        buffer: number(" bdp")?,
        rtt: number(" ms").unwrap_or(0.0),
        window: median(&windows)?,
        spread: (quantile(&windows, 0.05)?, quantile(&windows, 0.95)?),
        class: (median(&values(class)?)? - 1.0).clamp(0.0, 2.0) as usize,
    })
}

fn map(name: &str, exits: &[Exit]) -> Figure {
    let mut rtts: Vec<f64> = exits.iter().map(|own| own.rtt).collect();
    rtts.sort_by(f64::total_cmp);
    rtts.dedup();
    let point = |own: &Exit| Some((own.buffer, own.window));
    let range = |own: &Exit| (own.buffer, own.spread.0, own.spread.1);
    let mut series = vec![theory(exits)];
    series.extend(rtts.iter().enumerate().map(|(dash, rtt)| Series {
        name: if *rtt > 0.0 { format!("{rtt} ms") } else { String::new() },
        colour: GREY,
        dash,
        points: exits.iter().filter(|own| own.rtt == *rtt).map(point).collect(),
        joined: true,
        ..Series::default()
    }));
    series.extend(CLASSES.iter().enumerate().map(|(class, (name, colour))| Series {
        name: (*name).to_owned(),
        colour: *colour,
        points: exits.iter().filter(|own| own.class == class).map(point).collect(),
        ranges: exits.iter().filter(|own| own.class == class).map(range).collect(),
        ..Series::default()
    }));
    let places = |values: Vec<f64>| magnitudes(values.into_iter(), |value| value.to_string());
    let known = KNOWN.map(|(at, text)| Rule { vertical: false, at, text: text.to_owned() });
    Figure {
        name: Some(hyphened(&format!("exit map {name}"))),
        title: format!("Exit map of {name}"),
        caption: "Window at the end of slow start, medians over seeds with their 5 and 95 % quantiles. Early: below 0.9 BDP. Right: from there to what path and buffer hold, and nothing lost. Late: by \
                  congestion, or beyond. Classic slow start ends at 2 (1 + B) BDP; the dashed lines are where starts end by themselves at 50 Mbit/s and 100 ms."
            .to_owned(),
        x: Axis {
            title: "Buffer B, BDP".to_owned(),
            scale: places(exits.iter().map(|own| own.buffer).collect()),
        },
        y: Axis {
            title: "Window, BDP".to_owned(),
            scale: places(exits.iter().map(|own| own.window).chain([1.0, 10.0]).collect()),
        },
        content: Content::Curves { series, rules: known.to_vec() },
    }
}

/// Returns the line of classic slow start.
fn theory(exits: &[Exit]) -> Series {
    const POINTS: u32 = 30;
    let buffers = || exits.iter().map(|own| own.buffer);
    let (least, most) = (buffers().fold(f64::INFINITY, f64::min), buffers().fold(0.0, f64::max));
    let at = |step: u32| {
        let buffer = least * libm::pow(most / least, f64::from(step) / f64::from(POINTS - 1));
        Some((buffer, 2.0 * (1.0 + buffer)))
    };
    Series {
        name: "2 (1 + B)".to_owned(),
        colour: THEORY,
        points: (0..POINTS).map(at).collect(),
        joined: true,
        ..Series::default()
    }
}
