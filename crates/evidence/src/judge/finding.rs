//! The findings of rules in cells.

use super::level::Level;
use super::numbers::{Named, Numbers, Values};
use crate::rule::{Rule, RuleKind};
use crate::statistics::Estimate;
use crate::suite::Who;
use narrows_measure::statistics::mean;

/// The finding of a rule in a cell.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Pass, concern or fail.
    pub level: Level,
    /// True if the interval of the excess contains zero: more seeds would decide.
    pub undecided: bool,
    /// Name and numbers of the judged flows, one number per seed.
    pub subject: Named,
    /// Names and numbers for comparison.
    pub beside: Vec<Named>,
    /// The second number of a rule that compares two: the values of the subject, then those for
    /// comparison. Empty for other rules.
    pub second: Vec<Values>,
    /// True if the cell passes, and the mean is so far below each baseline's that the rule reports
    /// an improvement.
    pub improves: bool,
    /// Distance of the subject beyond the bound that decided; `None` if a number is undefined.
    pub excess: Option<Estimate>,
    /// Additional explanation.
    pub note: Option<String>,
    /// The controller that shares the network with the subject, if the finding is about a pair.
    pub beside_whom: Option<Who>,
}

/// Creates a finding with the numbers that are shown with it.
pub(super) fn shown(
    rule: &Rule,
    numbers: &Numbers,
    level: Level,
    note: Option<String>,
    victim: Option<Who>,
) -> Finding {
    let (subject, beside) = numbers.shown(rule, victim);
    let beside_whom = if rule.kind == RuleKind::Twins {
        Some(numbers.players.as_played(Who::Subject))
    } else {
        victim
    };
    let second = match rule.kind {
        RuleKind::Pareto { and } => [Who::Subject]
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
