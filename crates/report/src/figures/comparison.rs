//! The figures of a run or a comparison.

use crate::Comparison;
use crate::page::overall::Distribution;
use crate::page::plots::{Line, Plots, WHOLE, plots};
use crate::page::transfers::Transfers;
use crate::setup::setup;
use narrows_figure::{Axis, Content, Figure, Rule, Scale, Series, magnitudes};

/// Title, axes, curves and limits of a figure.
type Drawn = (String, Axis, Axis, Vec<Series>, Vec<Rule>);

/// The seed and the flows that figures over time show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The seed; the first one by default.
    pub seed: Option<u64>,
    /// Names of flows, each drawn by itself. By default the flows of a case are drawn together, or
    /// each by itself if their shares differ.
    pub flows: Vec<String>,
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
    let figure = |(title, x, y, series, rules): Drawn, caption: &str| Figure {
        name: None,
        title,
        caption: caption.to_owned(),
        x,
        y,
        content: Content::Curves { series, rules },
    };
    let of = |drawn: Drawn| figure(drawn, &caption);
    let over = |drawn: Drawn| figure(drawn, &caption_over_time);
    let mut all = Vec::new();
    if plots.scatter.points.len() > 1 {
        all.push(of(scatter(&plots)));
    }
    if let Some(seed) = seed {
        let apart = !selection.flows.is_empty();
        let panels = 0..plots.panels.len();
        all.extend(panels.map(|panel| over(over_time(&plots, panel, seed, apart))));
    }
    if let Some(transfers) = &plots.transfers {
        all.extend(
            [slowdown(&plots, transfers), completion(&plots, transfers)]
                .into_iter()
                .flatten()
                .map(of),
        );
    }
    all.extend(
        plots
            .distributions
            .iter()
            .filter(|own| !own.curves.is_empty())
            .map(|own| of(distribution(&plots, own))),
    );
    all
}

fn linear(title: impl Into<String>, zero: bool) -> Axis {
    Axis { title: title.into(), scale: Scale::Linear { zero } }
}

fn curve(name: String, (colour, dash): (usize, usize), points: Vec<Option<(f64, f64)>>) -> Series {
    Series { name, colour, dash, points, joined: true, crosses: Vec::new(), ranges: Vec::new() }
}

fn scatter(plots: &Plots<'_>) -> Drawn {
    let scatter = &plots.scatter;
    let series = plots.cases.iter().enumerate().map(|(case, label)| {
        let own = scatter.points.iter().filter(|mark| mark.case == case);
        Series {
            joined: false,
            ..curve(
                (*label).to_owned(),
                (case, 0),
                own.map(|mark| Some((mark.x[1].0, mark.y.0))).collect(),
            )
        }
    });
    let limits = [
        (false, scatter.capacity, "capacity"),
        (true, scatter.base, "empty queue"),
        (true, scatter.full, "full buffer"),
    ];
    let rules = limits.into_iter().filter_map(|(vertical, at, text)| {
        Some(Rule { vertical, at: at?.0, text: text.to_owned() })
    });
    (
        "Goodput against delay, one mark for each seed".to_owned(),
        Axis { title: "Round trip, 95th percentile, ms".to_owned(), scale: Scale::Backwards },
        linear("Goodput, Mbit/s", false),
        series.collect(),
        rules.collect(),
    )
}

/// A panel over time as the page first shows it: the first seed, the flows together or apart.
fn over_time(plots: &Plots<'_>, panel: usize, seed: usize, flows: bool) -> Drawn {
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
    (
        title.clone(),
        linear("Time, s", true),
        linear(title, shown.zero),
        series.collect(),
        rules.collect(),
    )
}

fn bytes(value: f64) -> String {
    [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")].iter().find(|(unit, _)| value >= *unit).map_or_else(
        || format!("{value} B"),
        |(unit, name)| format!("{} {name}", narrows_figure::number::plain(value / unit)),
    )
}

fn slowdown(plots: &Plots<'_>, transfers: &Transfers) -> Option<Drawn> {
    let sizes = || transfers.sizes.iter().map(|size| size.middle.0);
    let series = transfers.slowdown.iter().map(|own| {
        let points = sizes().zip(&own.y).map(|(size, y)| y.map(|y| (size, y.0))).collect();
        curve(format!("{}, {}", plots.cases[own.case], own.name), (own.case, own.rank), points)
    });
    let x = Axis { title: "Size of transfer".to_owned(), scale: magnitudes(sizes(), bytes) };
    (transfers.sizes.len() > 1).then(|| {
        (
            "Slowdown by size of transfer".to_owned(),
            x,
            linear("Slowdown", true),
            series.collect(),
            vec![],
        )
    })
}

fn completion(plots: &Plots<'_>, transfers: &Transfers) -> Option<Drawn> {
    let all = || transfers.completion.iter().filter(|own| own.size.is_none());
    let series = all().map(|own| {
        let points =
            own.steps.x.iter().zip(&own.steps.y).map(|(x, y)| Some((x.0, 100.0 * y.0))).collect();
        curve(plots.cases[own.case].to_owned(), (own.case, 0), points)
    });
    let times = all().flat_map(|own| own.steps.x.iter().map(|x| x.0)).filter(|x| *x > 0.0);
    let x = Axis {
        title: "Completion time, ms".to_owned(),
        scale: magnitudes(times, narrows_figure::number::plain),
    };
    let y = linear("Share of transfers, %", true);
    all()
        .next()
        .is_some()
        .then(|| ("Completion times of transfers".to_owned(), x, y, series.collect(), vec![]))
}

fn distribution(plots: &Plots<'_>, own: &Distribution) -> Drawn {
    let series = own.curves.iter().map(|drawn| {
        let points = drawn
            .steps
            .x
            .iter()
            .zip(&drawn.steps.y)
            .map(|(x, y)| Some((x.0, 100.0 * y.0)))
            .collect();
        curve(plots.cases[drawn.case].to_owned(), (drawn.case, 0), points)
    });
    let name = own.title.split(',').next().unwrap_or_default();
    (
        format!("Distribution of {}", name.to_lowercase()),
        linear(own.title, false),
        linear("Share of measurements, %", true),
        series.collect(),
        vec![],
    )
}
