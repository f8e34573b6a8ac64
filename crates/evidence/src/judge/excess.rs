//! Excesses: the distance of each seed beyond a bound.

use super::numbers::Numbers;
use crate::rule::{Bound, Rule, RuleKind};
use crate::suite::Who;
use narrows_measure::harm::signed;
use narrows_measure::metrics::Better;

/// The distance of the subject beyond a bound, one value per seed. Positive values are beyond the
/// bound; `None` if a number is undefined.
pub struct Excess {
    pub values: Vec<Option<f64>>,
    /// Description of the excess, if a rule has several.
    pub note: Option<String>,
    /// Baseline that the numbers belong to, if they are not the subject's.
    pub victim: Option<Who>,
}

/// Computes the excesses of a rule in a cell: one, or one for each baseline.
pub fn of(rule: &Rule, bound: Bound, numbers: &Numbers) -> Vec<Excess> {
    match &rule.kind {
        RuleKind::Relative | RuleKind::Limit | RuleKind::Twins => {
            vec![relative(rule, bound, numbers)]
        }
        RuleKind::Harm => harm(rule, bound, numbers),
        RuleKind::Pareto { and } => pareto(rule, *and, bound, numbers),
        RuleKind::Rises { axis } => rises(rule, axis, bound, numbers).into_iter().collect(),
        RuleKind::Undefined | RuleKind::Starves | RuleKind::Shown => Vec::new(),
    }
}

fn relative(rule: &Rule, bound: Bound, numbers: &Numbers) -> Excess {
    let number = &numbers.grid.asked[rule.number];
    let (better, floor) = (number.metric.better, number.floor());
    let own = numbers.by_itself(Who::Subject, rule);
    let theirs: Vec<Vec<Option<f64>>> =
        numbers.players.standard().map(|who| numbers.by_itself(who, rule)).collect();
    let values = own.iter().enumerate().map(|(seed, own)| {
        let worst =
            theirs.iter().filter_map(|values| values[seed]).reduce(|a, b| worse(better, a, b));
        beyond(bound, better, (*own)?, worst, floor)
    });
    Excess { values: values.collect(), note: None, victim: None }
}

/// Returns the worse of two values.
fn worse(better: Better, a: f64, b: f64) -> f64 {
    if better == Better::Higher { a.min(b) } else { a.max(b) }
}

/// Returns the distance of a value beyond a bound: as a logarithm if the bound has a factor,
/// otherwise in the unit of the value. It is the smallest distance over all parts of the bound,
/// because the value must exceed all of them. `None` if the other value is needed and undefined.
/// `floor` is added to both sides of a ratio. In a difference it would not matter.
fn beyond(bound: Bound, better: Better, own: f64, other: Option<f64>, floor: f64) -> Option<f64> {
    let Bound { above, below, by, times } = bound;
    let ratio = |of: f64, to: f64| ln((of + floor) / (to + floor));
    let above = above.map(|limit| if times.is_some() { ratio(own, limit) } else { own - limit });
    let below = below.map(|limit| if times.is_some() { ratio(limit, own) } else { limit - own });
    let lower = better == Better::Lower;
    let by = match by {
        Some(by) => Some(if lower { own - other? - by } else { other? - own - by }),
        None => None,
    };
    let times = match times {
        Some(times) => {
            Some(if lower { ratio(own, other?) } else { ratio(other?, own) } - libm::log(times))
        }
        None => None,
    };
    [above, below, by, times].into_iter().flatten().reduce(f64::min)
}

/// Returns the logarithm of a ratio of non-negative numbers. Infinite results are limited to a
/// large number.
fn ln(ratio: f64) -> f64 {
    const FAR: f64 = 20.0;
    if ratio.is_nan() { 0.0 } else { libm::log(ratio).clamp(-FAR, FAR) }
}

/// Returns for each victim its harm by the subject, minus the largest harm by a baseline, minus the
/// bound.
fn harm(rule: &Rule, bound: Bound, numbers: &Numbers) -> Vec<Excess> {
    let number = &numbers.grid.asked[rule.number];
    let (better, floor) = (number.metric.better, number.floor());
    let standard: Vec<Who> = numbers.players.standard().collect();
    let of_victim = |victim: &Who| {
        let solo = numbers.solo(*victim, rule.number);
        let harm = |who: Who| -> Vec<Option<f64>> {
            let beside = numbers.beside(who, *victim, rule.number);
            solo.iter()
                .zip(beside)
                .map(|(solo, beside)| signed(better, (*solo)? + floor, beside? + floor))
                .collect()
        };
        let (own, theirs) =
            (harm(Who::Subject), standard.iter().map(|who| harm(*who)).collect::<Vec<_>>());
        let values = own.iter().enumerate().map(|(seed, own)| {
            let most = theirs.iter().filter_map(|values| values[seed]).reduce(f64::max)?;
            Some((*own)? - most - bound.by.unwrap_or(0.0))
        });
        let percent = |values: &[Option<f64>]| {
            let defined: Vec<f64> = values.iter().flatten().map(|value| value.max(0.0)).collect();
            narrows_measure::statistics::mean(&defined)
                .map_or("–".to_owned(), |mean| format!("{:.0} %", 100.0 * mean))
        };
        let most = theirs
            .iter()
            .max_by(|a, b| mean(a).total_cmp(&mean(b)))
            .map_or("–".to_owned(), |values| percent(values));
        let note = format!(
            "harm to {} {} (a baseline: {most})",
            numbers.players.text(*victim),
            percent(&own)
        );
        Excess { values: values.collect(), note: Some(note), victim: Some(*victim) }
    };
    standard.iter().map(of_victim).collect()
}

fn mean(values: &[Option<f64>]) -> f64 {
    let defined: Vec<f64> = values.iter().flatten().copied().collect();
    narrows_measure::statistics::mean(&defined).unwrap_or(f64::NEG_INFINITY)
}

/// Returns for each baseline the distance of the subject beyond the bound of two numbers. The
/// subject is beyond it if the baseline is better in both numbers, or if every baseline is better
/// in one and not worse in the other. The second condition alone would fault a copy of one baseline
/// for the trade-off of another. The first alone would pass a queue that is many times as long at
/// equal use. The margins are `by` for the first number and the factor `times` for the second; a
/// smaller difference does not count. A result of zero is at the bound. The unit is the margin.
fn pareto(rule: &Rule, and: usize, bound: Bound, numbers: &Numbers) -> Vec<Excess> {
    let (by, times) = (bound.by.unwrap_or(1.0), bound.times.unwrap_or(1.15));
    let own = (numbers.alone(Who::Subject, rule.number), numbers.alone(Who::Subject, and));
    let standard: Vec<Who> = numbers.players.standard().collect();
    // Advantage of a baseline in each number, in margins, seed by seed.
    let better = |who: &Who| -> Vec<Option<(f64, f64)>> {
        let theirs = (numbers.alone(*who, rule.number), numbers.alone(*who, and));
        let of_seed = |seed: usize| {
            let first = (theirs.0[seed]? - own.0[seed]?) / by;
            Some((first, ln(own.1[seed]? / theirs.1[seed]?) / libm::log(times)))
        };
        (0..numbers.seeds).map(of_seed).collect()
    };
    let all: Vec<Vec<Option<(f64, f64)>>> = standard.iter().map(better).collect();
    let in_both = |(first, second): (f64, f64)| first.min(second) - 1.0;
    let in_one =
        |(first, second): (f64, f64)| (first.max(second) - 1.0).min(first.min(second) + 1.0);
    let of_baseline = |(who, better): (&Who, &Vec<Option<(f64, f64)>>)| {
        let values = better.iter().enumerate().map(|(seed, better)| {
            let least = all
                .iter()
                .map(|of| of[seed].map(in_one))
                .collect::<Option<Vec<f64>>>()?
                .into_iter()
                .reduce(f64::min)?;
            Some(in_both((*better)?).max(least))
        });
        let note = format!(
            "{} is better in one number and not worse in the other",
            numbers.players.text(*who)
        );
        Excess { values: values.collect(), note: Some(note), victim: None }
    };
    standard.iter().zip(&all).map(of_baseline).collect()
}

/// Returns the relative growth of a number. Growth from zero is large but finite.
fn growth(before: f64, own: f64) -> f64 {
    const FAR: f64 = 100.0;
    if before > 0.0 {
        (own / before - 1.0).min(FAR)
    } else if own > 0.0 {
        FAR
    } else {
        0.0
    }
}

/// Returns the relative growth of the number from the previous cell, minus `by`.
fn rises(rule: &Rule, axis: &str, bound: Bound, numbers: &Numbers) -> Option<Excess> {
    let before = (numbers.before)(axis, rule.number)?;
    let own = numbers.alone(Who::Subject, rule.number);
    let values = own
        .iter()
        .zip(before)
        .map(|(own, before)| Some(growth(before?, (*own)?) - bound.by.unwrap_or(0.0)));
    Some(Excess { values: values.collect(), note: None, victim: None })
}
