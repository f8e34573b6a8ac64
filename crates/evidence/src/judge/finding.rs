//! What a rule finds in a cell.

use super::level::Level;
use super::numbers::{Named, Numbers, Values};
use crate::rule::{Kind, Rule};
use crate::statistics::Estimate;
use crate::suite::Who;
use narrows_measure::statistics::mean;

/// What a rule finds in a cell.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Pass, concern or fail.
    pub level: Level,
    /// True if the interval of the excess holds zero: more seeds would decide.
    pub undecided: bool,
    /// The name of what is judged, and its numbers, one for each seed.
    pub subject: Named,
    /// Those that it is compared with.
    pub beside: Vec<Named>,
    /// The second number of a rule that compares two: the subject's, then those that it is compared with; else empty.
    pub second: Vec<Values>,
    /// True if it passes with so much less than each baseline that the rule tells it.
    pub improves: bool,
    /// By how much the subject is beyond the bound that decided, seed by seed; `None` of numbers that are not defined.
    pub excess: Option<Estimate>,
    /// More in words, if there is more to say.
    pub note: Option<String>,
    /// Beside whom the subject is, where the finding is about a run of two.
    pub beside_whom: Option<Who>,
}

/// A finding with the numbers that it is shown with.
pub(super) fn shown(
    rule: &Rule,
    numbers: &Numbers,
    level: Level,
    note: Option<String>,
    victim: Option<Who>,
) -> Finding {
    let (subject, beside) = numbers.shown(rule, victim);
    let beside_whom = if rule.kind == Kind::Twins {
        Some(numbers.players.as_played(Who::Subject))
    } else {
        victim
    };
    let second = match rule.kind {
        Kind::Pareto { and } => [Who::Subject]
            .into_iter()
            .chain(numbers.players.standard())
            .map(|who| numbers.alone(who, and))
            .collect(),
        _ => Vec::new(),
    };
    let mean_of = |values: &Values| mean(&values.iter().flatten().copied().collect::<Vec<f64>>());
    let least = beside.iter().filter_map(|(_, values)| mean_of(values)).reduce(f64::min);
    let improves = level == Level::Pass
        && rule
            .improves
            .zip(mean_of(&subject.1))
            .zip(least)
            .is_some_and(|((part, own), least)| own < part * least);
    Finding {
        level,
        undecided: false,
        subject,
        beside,
        second,
        improves,
        excess: None,
        note,
        beside_whom,
    }
}
