//! The figures of a result.

use super::Ended;
use crate::experiment::{Metric, Unit};
use crate::plan::words;
use narrows_figure::{Axis, Content, Figure, Rule, Scale, Series, magnitudes};
use narrows_measure::Histogram;
use narrows_report::capital;

/// Colours of the control, the treatment, and what does not count.
const COLOURS: [usize; 3] = [0, 1, 6];

/// Returns an effect as a change in percent, or in its unit.
fn change(value: f64, unit: Unit) -> f64 {
    if unit == Unit::Share { 100.0 * (libm::exp(value) - 1.0) } else { value }
}

/// Returns the bound of harm of a metric as it is drawn, with the sign of harm.
fn bound(own: &Ended, metric: Metric) -> Option<f64> {
    let judged = own.experiment.metrics.iter().find(|judged| judged.metric == metric)?;
    let bound = judged.harm?.0;
    Some(match (metric.unit(), metric.more_is_worse()) {
        (Unit::Share, true) => 100.0 * bound,
        // A loss of goodput is judged by logarithms as well.
        (Unit::Share, false) => 100.0 * (1.0 / (1.0 + bound) - 1.0),
        _ => bound,
    })
}

pub(super) fn unit_word(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "%",
        Unit::Points => "points",
        Unit::Per1000 => "per 1000",
    }
}

/// Unit and scale of a level on an axis that ends at `most`.
fn scale(metric: Metric, most: f64) -> (&'static str, f64) {
    match metric {
        Metric::Completion | Metric::CompletionP95 if most < 1.0 => ("ms", 1e3),
        Metric::Completion | Metric::CompletionP95 => ("s", 1.0),
        Metric::RttP50 | Metric::RttP95 => ("ms", 1e3),
        Metric::Goodput => ("Mbit/s", 8e-6),
        Metric::Retransmitted => ("%", 1.0),
        Metric::Timeouts => ("per 1000 connections", 1.0),
    }
}

/// Both arms over time: a line for the counted part of each period, and one for the rest of it.
pub(super) fn over_time(own: &Ended, metric: Metric) -> Figure {
    let trial = own.trial;
    let (period, burn_in, burn_out) = trial.timing();
    let levels = (0..trial.over()).flat_map(|place| [0, 1].map(|arm| (place, arm)));
    let most =
        levels.filter_map(|(place, arm)| trial.level(place, arm, metric)).fold(0.0, f64::max);
    let (unit, factor) = scale(metric, most);
    let minutes = |place: usize, age: f64| (place as f64 * period.as_secs_f64() + age) / 60.0;
    let (from, until) = (burn_in.as_secs_f64(), period.as_secs_f64() - burn_out.as_secs_f64());
    let mut parts: [Vec<Option<(f64, f64)>>; 3] = Default::default();
    for place in 0..trial.over() {
        for arm in 0..2 {
            let Some(level) = trial.level(place, arm, metric).map(|own| own * factor) else {
                continue;
            };
            let at = |age: f64| Some((minutes(place, age), level));
            let arm = if trial.is_void(place) { 2 } else { arm };
            parts[arm].extend([at(from), at(until), None]);
            if arm < 2 {
                parts[2].extend([
                    at(0.0),
                    at(from),
                    None,
                    at(until),
                    at(period.as_secs_f64()),
                    None,
                ]);
            }
        }
    }
    let names = ["control", "treatment", "left out"];
    let series = parts.into_iter().enumerate().map(|(place, points)| Series {
        name: names[place].to_owned(),
        colour: COLOURS[place],
        dash: usize::from(place == 2),
        points,
        joined: true,
        ..Series::default()
    });
    Figure {
        name: Some(format!("{}-over-time", metric.name().replace('_', "-"))),
        title: format!("{} of each period, {unit}", capital(&words(metric))),
        caption: format!(
            "{} of the connections that began in the counted part of each period, all sizes together. The first {} periods are the observation, in which all have the control.",
            capital(&words(metric)),
            trial.observed()
        ),
        x: Axis { title: "Time, min".to_owned(), scale: Scale::Linear { zero: true } },
        y: Axis {
            title: format!("{}, {unit}", capital(&words(metric))),
            scale: Scale::Linear { zero: true },
        },
        content: Content::Curves {
            series: series.filter(|own| !own.points.is_empty()).collect(),
            rules: Vec::new(),
        },
    }
}

/// The difference of each pair as a dot.
pub(super) fn pairs(own: &Ended, metric: Metric) -> Figure {
    let unit = metric.unit();
    let differences = own.trial.differences(metric);
    let points = differences
        .iter()
        .enumerate()
        .map(|(place, value)| value.map(|value| ((place + 1) as f64, change(value, unit))));
    let group = own.experiment.design.kind.group();
    let rule = |at: f64, text: &str| Rule { vertical: false, at, text: text.to_owned() };
    let mean = own.trial.shown().into_iter().find(|shown| shown.metric == metric.name());
    let mean = mean.and_then(|own| own.effect).map(|[mean, _]| rule(change(mean, unit), "mean"));
    let bound = bound(own, metric).map(|at| rule(at, "harm"));
    Figure {
        name: Some(format!("{}-{group}s", metric.name().replace('_', "-"))),
        title: format!(
            "{}: the difference in each {group}, {}",
            capital(&words(metric)),
            unit_word(unit)
        ),
        caption: format!(
            "Treatment less control in each {group}. Without an effect a difference is as likely above zero as below."
        ),
        x: Axis {
            title: format!("{} number", capital(group)),
            scale: Scale::Linear { zero: true },
        },
        y: Axis {
            title: format!("Difference, {}", unit_word(unit)),
            scale: Scale::Linear { zero: true },
        },
        content: Content::Curves {
            series: vec![Series {
                name: format!("each {group}"),
                colour: COLOURS[1],
                points: points.collect(),
                ..Series::default()
            }],
            rules: mean.into_iter().chain(bound).collect(),
        },
    }
}

/// Evidence of harm over the pairs, with its limit.
pub(super) fn evidence(own: &Ended) -> Option<Figure> {
    let course = own.trial.course();
    let limit = own.trial.shown().first()?.limit;
    let mut series: Vec<Series> = course
        .iter()
        .enumerate()
        .map(|(place, (metric, values))| Series {
            name: words(*metric),
            colour: place,
            points: values.iter().enumerate().map(|(at, own)| Some((at as f64, *own))).collect(),
            joined: true,
            ..Series::default()
        })
        .filter(|own| own.points.len() > 1)
        .collect();
    if series.is_empty() {
        return None;
    }
    // As a series and not as a rule, so that it is always in sight.
    let last = own.trial.judged() as f64;
    series.push(Series {
        name: "stops here".to_owned(),
        colour: COLOURS[2],
        dash: 1,
        points: vec![Some((0.0, limit)), Some((last, limit))],
        joined: true,
        ..Series::default()
    });
    let all: Vec<f64> = series
        .iter()
        .flat_map(|own| own.points.iter().flatten().map(|(_, own)| *own))
        .filter(|own| *own > 0.0)
        .collect();
    let group = own.experiment.design.kind.group();
    Some(Figure {
        name: Some("evidence".to_owned()),
        title: format!("Evidence of harm after each {group}"),
        caption: format!(
            "Evidence that the harm of each metric is above its bound. It begins at 1, and the experiment stops at {limit}. Without harm it is there at any time in at most a share {} of experiments.",
            own.experiment.stop.alpha
        ),
        x: Axis { title: format!("{}s", capital(group)), scale: Scale::Linear { zero: true } },
        y: Axis {
            title: "Evidence".to_owned(),
            scale: magnitudes(all.iter().copied(), |value| format!("{value}")),
        },
        content: Content::Curves { series, rules: Vec::new() },
    })
}

/// The cumulative distributions of round trips of both arms.
pub(super) fn round_trips(own: &Ended) -> Option<Figure> {
    let sums = own.trial.sums();
    let series = |(place, trips): (usize, &Histogram)| {
        let points = trips
            .cdf()
            .into_iter()
            .map(|(value, share)| Some((value.as_secs_f64() * 1e3, 100.0 * share)));
        Series {
            name: ["control", "treatment"][place].to_owned(),
            colour: COLOURS[place],
            points: points.collect(),
            joined: true,
            ..Series::default()
        }
    };
    let both = [sums[0].round_trips(), sums[1].round_trips()];
    if both.iter().any(|own| own.count() == 0) {
        return None;
    }
    let series: Vec<Series> = both.into_iter().enumerate().map(series).collect();
    let values: Vec<f64> = series
        .iter()
        .flat_map(|own| own.points.iter().flatten().map(|(value, _)| *value))
        .filter(|own| *own > 0.0)
        .collect();
    Some(Figure {
        name: Some("round-trips".to_owned()),
        title: "Round trips of both arms, ms".to_owned(),
        caption: "Share of the round trips up to each value, in the counted parts of all judged periods. The kernel counts them in classes of an eighth of an octave.".to_owned(),
        x: Axis {
            title: "Round trip, ms".to_owned(),
            scale: magnitudes(values.iter().copied(), |value| format!("{value}")),
        },
        y: Axis { title: "Share, %".to_owned(), scale: Scale::Linear { zero: true } },
        content: Content::Curves { series, rules: Vec::new() },
    })
}
