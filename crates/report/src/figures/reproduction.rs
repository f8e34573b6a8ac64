//! The figures of a reproduction: the plots that stand beside claims on its page.

use crate::page::lines::Point;
use crate::reproduction::{DrawnContent, DrawnPlot, KeptPlots, Line, Panel, Values};
use narrows_figure::number::plain;
use narrows_figure::{Axis, Content, Figure, Scale, Series, hyphened, magnitudes};

/// Returns the figures of papers, run again.
pub fn figures(all: &[KeptPlots]) -> Vec<Figure> {
    let names = |paper: &str| {
        colours(all.iter().filter(|own| own.paper == paper).flat_map(|own| &own.plots))
    };
    all.iter().flat_map(|kept| of_figure(kept, &names(&kept.paper))).collect()
}

/// Returns the names of the lines in the plots of a paper. Lines with the same name have the same
/// colour.
pub(crate) fn colours<'a>(plots: impl Iterator<Item = &'a DrawnPlot>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for plot in plots {
        let own: Vec<&str> = match &plot.content {
            DrawnContent::Lines { lines, .. } => {
                lines.iter().map(|line| line.name.as_str()).collect()
            }
            DrawnContent::Cdf { lines } => lines.iter().map(|line| line.name.as_str()).collect(),
            DrawnContent::Trace { .. } => Vec::new(),
        };
        for name in own {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The plots of a figure. Its name is that of paper and figure, with a number where there are
/// several.
fn of_figure(kept: &KeptPlots, names: &[&str]) -> Vec<Figure> {
    let drawn = |plot| {
        panels(plot, names).into_iter().map(|panel| {
            let parts = [plot.title.as_str(), panel.title.as_str()];
            let title = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            Figure { title: title.join(": "), caption: kept.caption.clone(), ..panel }
        })
    };
    let mut figures: Vec<Figure> = kept.plots.iter().flat_map(drawn).collect();
    let (several, name) = (figures.len() > 1, hyphened(&format!("{} {}", kept.paper, kept.figure)));
    for (index, figure) in figures.iter_mut().enumerate() {
        figure.name = Some(if several { format!("{name}-{}", index + 1) } else { name.clone() });
    }
    figures
}

/// Returns the panels of a plot, without captions. A plot over time has several panels, each with a
/// title; the only panel of other plots has no title of its own.
pub(crate) fn panels(plot: &DrawnPlot, names: &[&str]) -> Vec<Figure> {
    let one = |title: &str, scales: (Scale, Scale), series: Vec<Series>| Figure {
        name: None,
        title: title.to_owned(),
        caption: String::new(),
        x: Axis { title: plot.x_title.clone(), scale: scales.0 },
        y: Axis { title: plot.y_title.clone(), scale: scales.1 },
        content: Content::Curves { series, rules: Vec::new() },
    };
    let place = |name: &str| names.iter().position(|own| *own == name).unwrap_or(0);
    match &plot.content {
        DrawnContent::Lines { labels, numbers, lines } => {
            let numbers: Option<Vec<f64>> =
                numbers.as_ref().map(|numbers| numbers.iter().map(|number| number.0).collect());
            let x = match &numbers {
                Some(numbers) => scale(plot.log_x, numbers.iter().copied(), false),
                None => Scale::Named(labels.clone()),
            };
            let ends = || lines.iter().flat_map(|line| line.low.iter().chain(&line.high).flatten());
            let y = scale(plot.log_y, ends().map(|end| end.0), true);
            let series =
                lines.iter().map(|line| over_axis(place(&line.name), line, numbers.as_deref()));
            vec![one("", (x, y), series.collect())]
        }
        DrawnContent::Cdf { lines } => {
            let values = lines.iter().flat_map(|line| line.x.iter().map(|value| value.0));
            let x = scale(plot.log_x, values, false);
            let series = lines.iter().map(|line| distribution(place(&line.name), line)).collect();
            vec![one("", (x, Scale::Linear { zero: true }), series)]
        }
        DrawnContent::Trace { panels } => {
            // Lines of the same name have the same colour in all panels.
            let mut seen: Vec<&str> = Vec::new();
            for line in panels.iter().flat_map(|panel| &panel.lines) {
                if !seen.contains(&line.name.as_str()) {
                    seen.push(&line.name);
                }
            }
            let place = |name: &str| seen.iter().position(|own| *own == name).unwrap_or(0);
            let of = |panel: &Panel| {
                let curves = || panel.lines.iter().map(|line| &line.curve);
                let values = curves().flat_map(|curve| curve.y.iter().flatten().map(|y| y.0));
                let drawn = panel.lines.iter().map(|line| {
                    series(place(&line.name), line.name.clone(), true, line.curve.points())
                });
                let scales = (Scale::Linear { zero: true }, scale(plot.log_y, values, true));
                one(&panel.title, scales, drawn.collect())
            };
            panels.iter().map(of).collect()
        }
    }
}

fn scale(log: bool, values: impl Iterator<Item = f64> + Clone, zero: bool) -> Scale {
    let positive = values.clone().filter(|value| *value > 0.0);
    if log && positive.clone().next().is_some() {
        magnitudes(positive, plain)
    } else {
        Scale::Linear { zero }
    }
}

fn series(colour: usize, name: String, joined: bool, points: Vec<Option<(f64, f64)>>) -> Series {
    Series { name, colour, points, joined, ..Series::default() }
}

/// Medians with their intervals. Quantities are joined by a line, categories are not.
fn over_axis(colour: usize, line: &Line, numbers: Option<&[f64]>) -> Series {
    let at = |index: usize| numbers.map_or(index as f64, |numbers| numbers[index]);
    let value = |values: &[Option<Point>], index: usize| {
        values.get(index).copied().flatten().map(|value| value.0)
    };
    let points = (0..line.median.len())
        .map(|index| value(&line.median, index).map(|median| (at(index), median)))
        .collect();
    let ranges = (0..line.median.len())
        .filter_map(|index| Some((at(index), value(&line.low, index)?, value(&line.high, index)?)));
    Series {
        ranges: ranges.filter(|(_, low, high)| low != high).collect(),
        ..series(colour, line.name.clone(), numbers.is_some(), points)
    }
}

/// Steps from nothing to all.
fn distribution(colour: usize, line: &Values) -> Series {
    let count = line.x.len() as f64;
    let step = |(index, x): (usize, &Point)| {
        [index, index + 1].map(|passed| Some((x.0, passed as f64 / count)))
    };
    series(colour, line.name.clone(), true, line.x.iter().enumerate().flat_map(step).collect())
}
