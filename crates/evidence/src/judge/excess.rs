//! How far beyond a bound each seed is.

use super::numbers::Numbers;
use crate::rule::{Bound, Kind, Rule};
use crate::suite::Who;
use narrows_measure::harm::signed;
use narrows_measure::metrics::Better;

/// How far beyond a bound the subject is in each seed: above zero is beyond. `None` where a number is not defined.
pub struct Excess {
    pub values: Vec<Option<f64>>,
    /// What it is of, if a rule looks at several things.
    pub note: Option<String>,
    /// Whose numbers they are, if not the subject's.
    pub victim: Option<Who>,
}

/// The excesses of a rule's cell: one, or one for each baseline that is looked at.
pub fn of(rule: &Rule, bound: Bound, numbers: &Numbers) -> Vec<Excess> {
    match &rule.kind {
        Kind::Relative | Kind::Limit | Kind::Twins => vec![relative(rule, bound, numbers)],
        Kind::Harm => harm(rule, bound, numbers),
        Kind::Pareto { and } => pareto(rule, *and, bound, numbers),
        Kind::Rises { axis } => rises(rule, axis, bound, numbers).into_iter().collect(),
        Kind::Undefined | Kind::Starves | Kind::Shown => Vec::new(),
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

/// The worse of two values.
fn worse(better: Better, a: f64, b: f64) -> f64 {
    if better == Better::Higher { a.min(b) } else { a.max(b) }
}

/// How far a value is beyond a bound: in logarithms if the bound has a factor, else in its unit. The least of all parts, since all must be broken. `None` if what it is
/// compared with is not defined. `floor` is added to both sides of a ratio, and of a difference does not matter.
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

/// Of the ratio of numbers that are not negative; what is infinitely far is far enough.
fn ln(ratio: f64) -> f64 {
    const FAR: f64 = 20.0;
    if ratio.is_nan() { 0.0 } else { libm::log(ratio).clamp(-FAR, FAR) }
}

/// For each victim, its harm beside the subject less the most that it has beside a baseline, less the bound.
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

/// For each baseline, how far the subject is beyond the bound of two numbers: a baseline is better in both, or every baseline is
/// better in one and not worse in the other. The second alone would fault a copy of one baseline for what another trades; the first
/// alone would pass a queue that is many times as long at equal use. The margins are `by` for the first number and the factor
/// `times` for the second; less than a margin is no difference. Zero is at the bound, in units of the margin.
fn pareto(rule: &Rule, and: usize, bound: Bound, numbers: &Numbers) -> Vec<Excess> {
    let (by, times) = (bound.by.unwrap_or(1.0), bound.times.unwrap_or(1.15));
    let own = (numbers.alone(Who::Subject, rule.number), numbers.alone(Who::Subject, and));
    let standard: Vec<Who> = numbers.players.standard().collect();
    // By how many margins a baseline is better in each number, seed by seed.
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

/// By how much a number grows, as a part of it; from nothing to something very much, but not infinitely.
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

/// By how much the number grows from the cell before, as a part of it, beyond `by`.
fn rises(rule: &Rule, axis: &str, bound: Bound, numbers: &Numbers) -> Option<Excess> {
    let before = (numbers.before)(axis, rule.number)?;
    let own = numbers.alone(Who::Subject, rule.number);
    let values = own
        .iter()
        .zip(before)
        .map(|(own, before)| Some(growth(before?, (*own)?) - bound.by.unwrap_or(0.0)));
    Some(Excess { values: values.collect(), note: None, victim: None })
}
