//! The figures of a reproduction: the plots that stand beside claims on its page.

use crate::page::lines::Point;
use crate::reproduction::{DrawnContent, DrawnPlot, KeptPlots, Line, Panel, Values};
use narrows_figure::number::plain;
use narrows_figure::{Axis, Content, Figure, Scale, Series, hyphened, magnitudes};

/// Returns the figures of papers, run again.
pub fn figures(all: &[KeptPlots]) -> Vec<Figure> {
    all.iter().flat_map(|kept| of_figure(kept, &names(all, &kept.paper))).collect()
}

/// What has the same name in the plots of a paper has the same colour there.
fn names<'a>(all: &'a [KeptPlots], paper: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for plot in all.iter().filter(|kept| kept.paper == paper).flat_map(|kept| &kept.plots) {
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

/// The plots of a figure. Its name is that of paper and figure, with a number where there are several.
fn of_figure(kept: &KeptPlots, names: &[&str]) -> Vec<Figure> {
    let mut figures: Vec<Figure> =
        kept.plots.iter().flat_map(|plot| drawn(kept, plot, names)).collect();
    let (several, name) = (figures.len() > 1, hyphened(&format!("{} {}", kept.paper, kept.figure)));
    for (index, figure) in figures.iter_mut().enumerate() {
        figure.name = Some(if several { format!("{name}-{}", index + 1) } else { name.clone() });
    }
    figures
}

/// A plot; one over time has a figure for each of its panels.
fn drawn(kept: &KeptPlots, plot: &DrawnPlot, names: &[&str]) -> Vec<Figure> {
    let one = |title: String, scales: (Scale, Scale), series: Vec<Series>| Figure {
        name: None,
        title,
        caption: kept.caption.clone(),
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
            let y = scale(
                plot.log_y,
                lines
                    .iter()
                    .flat_map(|line| line.low.iter().chain(&line.high).flatten().map(|end| end.0)),
                false,
            );
            let series =
                lines.iter().map(|line| over_axis(place(&line.name), line, numbers.as_deref()));
            vec![one(plot.title.clone(), (x, y), series.collect())]
        }
        DrawnContent::Cdf { lines } => {
            let x = scale(
                plot.log_x,
                lines.iter().flat_map(|line| line.x.iter().map(|value| value.0)),
                false,
            );
            let series = lines.iter().map(|line| distribution(place(&line.name), line)).collect();
            vec![one(plot.title.clone(), (x, Scale::Linear { zero: true }), series)]
        }
        DrawnContent::Trace { panels } => {
            let of = |panel: &Panel| {
                let title = [plot.title.as_str(), panel.title.as_str()]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>();
                let values = panel
                    .lines
                    .iter()
                    .flat_map(|line| line.curve.y.iter().flatten().map(|value| value.0));
                let series = panel.lines.iter().enumerate().map(|(index, line)| {
                    series(index, line.name.clone(), true, line.curve.points())
                });
                one(
                    title.join(": "),
                    (Scale::Linear { zero: true }, scale(plot.log_y, values, true)),
                    series.collect(),
                )
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
    Series { name, colour, dash: 0, points, joined, crosses: Vec::new(), ranges: Vec::new() }
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
