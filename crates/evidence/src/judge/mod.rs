//! Rules, and what they make of the numbers of a cell.
//!
//! A rule turns the numbers of each seed into an **excess**: how far the subject is beyond the rule's bound, paired with the baselines' runs of the same seed. The
//! interval of its mean decides: all of it at or below zero is within the bound, all above is beyond, anything else is undecided.

mod excess;
mod level;
mod numbers;
mod starvation;

pub use level::Level;
pub use numbers::Numbers;

use crate::statistics::{Estimate, estimate};
use crate::suite::Who;
use excess::Excess;

/// Fewer seeds give no verdict.
pub const LEAST_SEEDS: usize = 5;

/// What is judged in the cells of a grid.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The place of the criterion that it belongs to.
    pub criterion: usize,
    /// How the numbers are compared.
    pub kind: Kind,
    /// The place of its number among those that the grid asks of runs.
    pub number: usize,
    /// How far is too far.
    pub levels: Levels,
    /// Words of which one must be in the label of a cell; any cell, if there are none.
    pub only: Vec<String>,
    /// True if a number that is not defined is within bounds.
    pub passes_undefined: bool,
    /// The rule in words.
    pub says: String,
    /// Where the bound comes from.
    pub source: String,
}

/// How the numbers of the subject are compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// With the worse of the baselines in the same cell.
    Relative,
    /// With nothing but the bound.
    Limit,
    /// The harm to each baseline beside the subject, with the most that the baselines do to it (Ware, Mukerjee, Seshan and Sherry, HotNets 2019).
    Harm,
    /// With the worse of the baselines, each beside another flow of its own.
    Twins,
    /// With each baseline in two numbers: one baseline must be better in both.
    Pareto {
        /// The place of the second number.
        and: usize,
    },
    /// Whether the number is defined, where it is with all baselines.
    Undefined,
    /// Whether flows starve beside the subject that starve beside no baseline.
    Starves,
    /// With the number in the cell before on this axis.
    Rises {
        /// The axis.
        axis: String,
    },
}

/// The bounds of a rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Levels {
    /// Beyond it, the verdict is fail.
    pub fail: Option<Bound>,
    /// Beyond it, the verdict is concern.
    pub concern: Option<Bound>,
}

/// A bound. Where it has several parts, only what is beyond all of them is beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// The number may not be above this.
    pub above: Option<f64>,
    /// The number may not be below this.
    pub below: Option<f64>,
    /// The number may not be worse than what it is compared with by more than this, in its own unit.
    pub by: Option<f64>,
    /// The number may not be worse than what it is compared with by more than this factor.
    pub times: Option<f64>,
}

/// What a rule finds in a cell.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Pass, concern or fail.
    pub level: Level,
    /// True if the interval of the excess holds zero: more seeds would decide.
    pub undecided: bool,
    /// The subject's numbers, one for each seed.
    pub subject: Vec<Option<f64>>,
    /// Those of the baselines, with their names.
    pub beside: Vec<(String, Vec<Option<f64>>)>,
    /// By how much the subject is beyond the bound that decided, seed by seed; `None` of numbers that are not defined.
    pub excess: Option<Estimate>,
    /// More in words, if there is more to say.
    pub note: Option<String>,
}

/// Applies a rule to a cell.
pub fn judge(rule: &Rule, numbers: &Numbers) -> Finding {
    if numbers.players.baselines.contains(&numbers.players.subject) && rule.kind.compares() {
        return shown(rule, numbers, Level::Pass, None, Some("a baseline: passes by construction".to_owned()));
    }
    match &rule.kind {
        Kind::Starves => return starvation::judge(rule, numbers),
        Kind::Undefined => return undefined(rule, numbers),
        _ => {}
    }
    let bounds = [(Level::Fail, rule.levels.fail), (Level::Concern, rule.levels.concern)];
    let mut last = None;
    let mut undecided = None;
    for (level, bound) in bounds.into_iter().filter_map(|(level, bound)| Some((level, bound?))) {
        for Excess { values, note } in excess::of(rule, bound, numbers) {
            let defined: Option<Vec<f64>> = values.iter().copied().collect();
            let defined = match defined {
                Some(defined) => defined,
                None if rule.passes_undefined => {
                    values.iter().map(|value| value.unwrap_or(f64::NEG_INFINITY)).filter(|v| v.is_finite()).collect()
                }
                None => {
                    let missing = values.iter().filter(|value| value.is_none()).count();
                    let note = format!("not defined in {missing} of {} seeds", values.len());
                    undecided.get_or_insert((None, Some(note)));
                    continue;
                }
            };
            let Some(estimate) = estimate(&defined) else { continue };
            if estimate.low > 0.0 {
                return shown(rule, numbers, level, Some(estimate), note);
            }
            if estimate.high > 0.0 {
                undecided.get_or_insert((Some(estimate), note.clone()));
            }
            last = match last {
                Some((own, _)) if worse(own, estimate) == own => last,
                _ => Some((estimate, note)),
            };
        }
    }
    match undecided {
        Some((estimate, note)) => Finding { undecided: true, ..shown(rule, numbers, Level::Concern, estimate, note) },
        None => {
            let (estimate, note) = last.map_or((None, None), |(estimate, note)| (Some(estimate), note));
            // How much harm there is is worth knowing, whatever the verdict.
            shown(rule, numbers, Level::Pass, estimate, note.filter(|_| rule.kind == Kind::Harm))
        }
    }
}

impl Kind {
    /// True if it compares with baselines, so that a baseline is within its bounds by construction.
    fn compares(&self) -> bool {
        matches!(self, Kind::Relative | Kind::Twins | Kind::Harm | Kind::Starves | Kind::Undefined | Kind::Pareto { .. })
    }
}

fn worse(a: Estimate, b: Estimate) -> Estimate {
    if b.mean > a.mean { b } else { a }
}

/// A finding with the numbers that it is shown with.
fn shown(rule: &Rule, numbers: &Numbers, level: Level, excess: Option<Estimate>, note: Option<String>) -> Finding {
    let [own, others] = numbers.shown(rule);
    let subject = own.into_iter().next().map(|(_, values)| values).unwrap_or_default();
    Finding { level, undecided: false, subject, beside: others, excess, note }
}

/// Whether a number is defined in half of the seeds or more, where it is in all of them with every baseline.
fn undefined(rule: &Rule, numbers: &Numbers) -> Finding {
    let lacking = |who: Who| numbers.alone(who, rule.number).iter().filter(|value| value.is_none()).count();
    let theirs = numbers.players.standard().all(|who| lacking(who) == 0);
    let own = lacking(Who::Subject);
    let level = match () {
        () if own * 2 <= numbers.seeds || !theirs => Level::Pass,
        () if rule.levels.fail.is_some() => Level::Fail,
        () => Level::Concern,
    };
    let note = (level != Level::Pass).then(|| format!("not defined in {own} of {} seeds", numbers.seeds));
    shown(rule, numbers, level, None, note)
}
