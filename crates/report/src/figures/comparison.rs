//! The figures of a run or a comparison.

use crate::Comparison;
use crate::page::lines::Steps;
use crate::page::overall::{Distribution, Mark};
use crate::page::plots::{Line, Plots, WHOLE, plots};
use crate::page::transfers::{Size, Transfers};
use crate::setup::setup;
use narrows_figure::number::{count, or_dash, plain, short};
use narrows_figure::{Axis, Content, Figure, Rule, Scale, Series, magnitudes};
use serde::Serialize;

/// Slowdown above which its axis is logarithmic.
const SLOW: f64 = 20.0;
/// The round trips that the goodput is drawn against: name in hover texts, title of the axis.
const QUANTILES: [(&str, &str); 2] =
    [("p50", "Round trip, median, ms"), ("p95", "Round trip, 95th percentile, ms")];

/// The seed and the flows that figures over time show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The seed; the first one by default.
    pub seed: Option<u64>,
    /// Names of flows, each drawn by itself. By default the flows of a case are drawn together, or
    /// each by itself if their shares differ.
    pub flows: Vec<String>,
}

/// The figures of whole runs, without captions.
#[derive(Serialize)]
pub(crate) struct WholeRuns {
    /// Goodput against the median and against the 95th percentile of round trips.
    pub scatter: Vec<Figure>,
    /// Slowdown by size of transfer, if there are several sizes.
    pub slowdown: Option<Figure>,
    /// Completion times of all transfers together, and of each size.
    pub completion: Vec<Figure>,
    /// Distributions of round trips and of queueing delays.
    pub distributions: Vec<Figure>,
}

impl WholeRuns {
    pub fn of(plots: &Plots<'_>) -> WholeRuns {
        let transfers = plots.transfers.as_ref();
        let completions = |own| [false, true].map(|each| completion(plots, own, each)).into();
        WholeRuns {
            scatter: (0..QUANTILES.len()).map(|quantile| scatter(plots, quantile)).collect(),
            slowdown: transfers.and_then(|own| slowdown(plots, own)),
            completion: transfers.map_or_else(Vec::new, completions),
            distributions: plots.distributions.iter().map(|own| distribution(plots, own)).collect(),
        }
    }
}

/// Returns the figures of a run or a comparison: goodput against delay, each panel over time,
/// transfers, distributions. A seed that was not run has no figures over time.
pub fn figures(comparison: &Comparison, selection: &Selection) -> Vec<Figure> {
    let (plots, caption) =
        (plots(comparison, WHOLE), format!("{}: {}", comparison.title, setup(comparison)));
    let seed = match selection.seed {
        None => Some(0),
        Some(seed) => plots.seeds.iter().position(|own| *own == seed),
    };
    let drawn_seed = seed.and_then(|place| plots.seeds.get(place));
    let caption_over_time = match (plots.seeds.len(), drawn_seed) {
        (2.., Some(seed)) => format!("{caption} Seed {seed} is drawn."),
        _ => caption.clone(),
    };
    let captioned =
        |figure: Figure, caption: &str| Figure { caption: caption.to_owned(), ..figure };
    let mut whole = WholeRuns::of(&plots);
    whole.distributions.retain(|own| !own.legend().is_empty());
    whole.completion.truncate(1);
    let scatter = whole.scatter.pop().filter(|_| plots.scatter.points.len() > 1);
    let mut all: Vec<Figure> = scatter.into_iter().map(|own| captioned(own, &caption)).collect();
    if let Some(seed) = seed {
        let apart = !selection.flows.is_empty();
        let panels = 0..plots.panels.len();
        all.extend(
            panels
                .map(|panel| captioned(over_time(&plots, panel, seed, apart), &caption_over_time)),
        );
    }
    let rest = whole.slowdown.into_iter().chain(whole.completion).chain(whole.distributions);
    all.extend(rest.map(|own| captioned(own, &caption)));
    all
}

fn linear(title: impl Into<String>, zero: bool) -> Axis {
    Axis { title: title.into(), scale: Scale::Linear { zero } }
}

/// Returns a figure of curves without a caption.
fn uncaptioned(
    title: String,
    (x, y): (Axis, Axis),
    series: Vec<Series>,
    rules: Vec<Rule>,
) -> Figure {
    let (name, caption, content) = (None, String::new(), Content::Curves { series, rules });
    Figure { name, title, caption, x, y, content }
}

fn curve(name: String, (colour, dash): (usize, usize), points: Vec<Option<(f64, f64)>>) -> Series {
    Series { name, colour, dash, points, joined: true, ..Series::default() }
}

/// Returns a distribution of a case in percent.
fn shares(name: String, (case, dash): (usize, usize), steps: &Steps) -> Series {
    let points = steps.x.iter().zip(&steps.y).map(|(x, y)| Some((x.0, 100.0 * y.0))).collect();
    Series { case: Some(case), ..curve(name, (case, dash), points) }
}

fn scatter(plots: &Plots<'_>, quantile: usize) -> Figure {
    let (scatter, (named, title)) = (&plots.scatter, QUANTILES[quantile]);
    let place = |mark: &Mark| (mark.x[quantile].0, mark.y.0);
    let text = |mark: &Mark| {
        let seed = mark.seed.map_or_else(String::new, |seed| format!(", seed {seed}"));
        let (x, y) = place(mark);
        format!("{}{seed}\n{} Mbit/s, {named} {} ms", plots.cases[mark.case], short(y), short(x))
    };
    let series = plots.cases.iter().enumerate().map(|(case, label)| {
        let own = || scatter.points.iter().filter(|mark| mark.case == case);
        let middle = scatter.medians.iter().find(|mark| mark.case == case);
        Series {
            joined: false,
            middle: middle.map(place),
            texts: own().chain(middle).map(text).collect(),
            case: Some(case),
            ..curve((*label).to_owned(), (case, 0), own().map(|mark| Some(place(mark))).collect())
        }
    });
    let limits = [
        (false, scatter.capacity, "capacity", "Mbit/s"),
        (true, scatter.base, "empty queue", "ms"),
        (true, scatter.full, "full buffer", "ms"),
    ];
    let rules = limits.into_iter().filter_map(|(vertical, at, text, unit)| {
        let at = at?.0;
        Some(Rule { vertical, at, text: format!("{text} {} {unit}", short(at)) })
    });
    uncaptioned(
        "Goodput against delay, one mark for each seed".to_owned(),
        (
            Axis { title: title.to_owned(), scale: Scale::Backwards },
            linear("Goodput, Mbit/s", false),
        ),
        series.collect(),
        rules.collect(),
    )
}

/// A panel over time as the page first shows it: the first seed, the flows together or apart.
fn over_time(plots: &Plots<'_>, panel: usize, seed: usize, flows: bool) -> Figure {
    let alone = plots.cases.len() == 1;
    let own = || {
        plots.lines.iter().filter(|line| {
            line.panel == panel
                && line.seed == seed
                && line.link.is_none_or(|link| link == plots.link)
        })
    };
    // A panel that nothing has in sum is drawn apart.
    let apart = own().any(|line| line.flow.is_some())
        && (alone || flows || plots.apart || own().all(|line| line.flow.is_some()));
    let name = |line: &Line<'_>| {
        let label = plots.cases[line.case];
        let whose = match line.name {
            Some(name) if alone || name.starts_with(label) => name.to_owned(),
            Some(name) => format!("{label} {name}"),
            None => label.to_owned(),
        };
        line.part.as_ref().map_or(whose.clone(), |part| format!("{whose}, {}", part.of))
    };
    let drawn = own().filter(|line| line.link.is_some() || line.flow.is_some() == apart);
    let series = drawn.map(|line| {
        let (colour, dash) =
            if alone { (line.flow.unwrap_or(0), 0) } else { (line.case, line.flow.unwrap_or(0)) };
        let own = &line.curve.coarse;
        // A cross stands on the curve, at the value of its time.
        let on_curve = |at: f64| {
            Some((at, own.y.get(((at - own.x0.0) / own.dx.0).max(0.0) as usize).copied()??.0))
        };
        let crosses = line
            .lost
            .iter()
            .flat_map(|lost| lost.x.iter().filter_map(|at| on_curve(at.0)))
            .collect();
        let dash = line.part.as_ref().map_or(dash, |part| part.part);
        Series { crosses, ..curve(name(line), (colour, dash), own.points()) }
    });
    let limits =
        plots.limits.iter().filter(|limit| limit.panel == panel && limit.link == plots.link);
    let rules =
        limits.map(|limit| Rule { vertical: false, at: limit.at.0, text: limit.text.clone() });
    let shown = &plots.panels[panel];
    let title =
        shown.title.replace("{}", plots.links.get(plots.link).copied().unwrap_or("the bottleneck"));
    let title = if shown.unit.is_empty() { title } else { format!("{title}, {}", shown.unit) };
    let axes = (linear("Time, s", true), linear(title.clone(), shown.zero));
    uncaptioned(title, axes, series.collect(), rules.collect())
}

fn bytes(value: f64) -> String {
    [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")].iter().find(|(unit, _)| value >= *unit).map_or_else(
        || format!("{value} B"),
        |(unit, name)| format!("{} {name}", plain(value / unit)),
    )
}

fn slowdown(plots: &Plots<'_>, transfers: &Transfers) -> Option<Figure> {
    let sizes = || transfers.sizes.iter().map(|size| size.middle.0);
    let series = transfers.slowdown.iter().map(|own| {
        let name = format!("{}, {}", plots.cases[own.case], own.name);
        let text = |(place, size): (usize, &Size)| {
            let times = or_dash(own.y[place].map(|y| y.0));
            let transfers = count(own.counts[place]);
            format!("{}, {name}: {times} times the least\n{transfers} transfers", size.name)
        };
        let points = sizes().zip(&own.y).map(|(size, y)| y.map(|y| (size, y.0))).collect();
        Series {
            texts: transfers.sizes.iter().enumerate().map(text).collect(),
            case: Some(own.case),
            ..curve(name.clone(), (own.case, own.rank), points)
        }
    });
    let values = transfers.slowdown.iter().flat_map(|own| own.y.iter().flatten().map(|y| y.0));
    let most = values.fold(1.0, f64::max);
    let y = match most > SLOW {
        true => {
            Axis { title: "Slowdown".to_owned(), scale: magnitudes([1.0, most].into_iter(), plain) }
        }
        false => linear("Slowdown", true),
    };
    let x = Axis { title: "Size of transfer".to_owned(), scale: magnitudes(sizes(), bytes) };
    let title = "Slowdown by size of transfer".to_owned();
    (transfers.sizes.len() > 1).then(|| uncaptioned(title, (x, y), series.collect(), vec![]))
}

/// The completion times of all transfers together, or of each size.
fn completion(plots: &Plots<'_>, transfers: &Transfers, each: bool) -> Figure {
    let alone = plots.cases.len() == 1;
    let all = || transfers.completion.iter().filter(|own| own.size.is_some() == each);
    let series = all().map(|own| {
        let (case, name) =
            (plots.cases[own.case], own.size.map(|size| &transfers.sizes[size].name));
        let name = match name {
            Some(size) if alone => size.clone(),
            Some(size) => format!("{case}, {size}"),
            None => case.to_owned(),
        };
        let size = own.size.unwrap_or(0);
        let drawn = shares(name, (own.case, size), &own.steps);
        let (colour, dash) = if alone { (size, 0) } else { (own.case, size) };
        Series { colour, dash, note: format!("{} transfers", count(own.count)), ..drawn }
    });
    let times = all().flat_map(|own| own.steps.x.iter().map(|x| x.0)).filter(|x| *x > 0.0);
    let x = Axis { title: "Completion time, ms".to_owned(), scale: magnitudes(times, plain) };
    let y = linear("Share of transfers, %", true);
    uncaptioned("Completion times of transfers".to_owned(), (x, y), series.collect(), vec![])
}

fn distribution(plots: &Plots<'_>, own: &Distribution) -> Figure {
    let series = own
        .curves
        .iter()
        .map(|drawn| shares(plots.cases[drawn.case].to_owned(), (drawn.case, 0), &drawn.steps));
    let name = own.title.split(',').next().unwrap_or_default();
    uncaptioned(
        format!("Distribution of {}", name.to_lowercase()),
        (linear(own.title, false), linear("Share of measurements, %", true)),
        series.collect(),
        vec![],
    )
}
