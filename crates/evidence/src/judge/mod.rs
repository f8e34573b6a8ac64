//! Rules, and what they make of the numbers of a cell.
//!
//! A rule turns the numbers of each seed into an **excess**: how far the subject is beyond the rule's bound, paired with the baselines' runs of the same seed. The
//! interval of its mean decides: all of it at or below zero is within the bound, all above is beyond, anything else is undecided.

mod excess;
mod level;
mod numbers;
mod starvation;

pub use level::Level;
pub use numbers::{Named, Numbers};

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
    /// The name of what is judged, and its numbers, one for each seed.
    pub subject: Named,
    /// Those that it is compared with.
    pub beside: Vec<Named>,
    /// By how much the subject is beyond the bound that decided, seed by seed; `None` of numbers that are not defined.
    pub excess: Option<Estimate>,
    /// More in words, if there is more to say.
    pub note: Option<String>,
}

/// Applies a rule to a cell.
pub fn judge(rule: &Rule, numbers: &Numbers) -> Finding {
    if numbers.players.baselines.contains(&numbers.players.subject) && rule.kind.compares() {
        return shown(rule, numbers, Level::Pass, Some("a baseline: passes by construction".to_owned()), None);
    }
    match &rule.kind {
        Kind::Starves => return starvation::judge(rule, numbers),
        Kind::Undefined => return undefined(rule, numbers),
        _ => {}
    }
    let bounds = [(Level::Fail, rule.levels.fail), (Level::Concern, rule.levels.concern)];
    let bounds = bounds.into_iter().filter_map(|(level, bound)| Some((level, bound?)));
    let seen: Vec<Seen> = bounds
        .flat_map(|(level, bound)| excess::of(rule, bound, numbers).into_iter().map(move |own| (level, own)))
        .map(|(level, own)| Seen::of(rule, level, own))
        .collect();
    if let Some(beyond) = seen.iter().find(|own| own.place == Place::Beyond) {
        return beyond.finding(rule, numbers, beyond.level);
    }
    if let Some(open) = seen.iter().find(|own| own.place == Place::Undecided) {
        return Finding { undecided: true, ..open.finding(rule, numbers, Level::Concern) };
    }
    let mean = |own: &Seen| own.estimate.map_or(f64::NEG_INFINITY, |estimate| estimate.mean);
    match seen.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))) {
        Some(nearest) => nearest.finding(rule, numbers, Level::Pass),
        None => shown(rule, numbers, Level::Pass, None, None),
    }
}

/// Where an excess lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Within,
    Undecided,
    Beyond,
}

/// An excess over a bound, and where its interval lies.
struct Seen {
    level: Level,
    place: Place,
    estimate: Option<Estimate>,
    note: Option<String>,
    victim: Option<Who>,
}

impl Seen {
    fn of(rule: &Rule, level: Level, Excess { values, note, victim }: Excess) -> Seen {
        let missing = values.iter().filter(|value| value.is_none()).count();
        if missing > 0 && !rule.passes_undefined {
            let note = Some(format!("not defined in {missing} of {} seeds", values.len()));
            return Seen { level, place: Place::Undecided, estimate: None, note, victim };
        }
        let estimate = estimate(&values.into_iter().flatten().collect::<Vec<_>>());
        let place = match estimate {
            Some(own) if own.low > 0.0 => Place::Beyond,
            Some(own) if own.high > 0.0 => Place::Undecided,
            _ => Place::Within,
        };
        Seen { level, place, estimate, note, victim }
    }

    fn finding(&self, rule: &Rule, numbers: &Numbers, level: Level) -> Finding {
        // How much harm there is is worth knowing, whatever the verdict.
        let note = self.note.clone().filter(|_| level != Level::Pass || rule.kind == Kind::Harm);
        Finding { excess: self.estimate, ..shown(rule, numbers, level, note, self.victim) }
    }
}

impl Kind {
    /// True if it compares with baselines, so that a baseline is within its bounds by construction.
    fn compares(&self) -> bool {
        matches!(self, Kind::Relative | Kind::Twins | Kind::Harm | Kind::Starves | Kind::Undefined | Kind::Pareto { .. })
    }
}

/// A finding with the numbers that it is shown with.
fn shown(rule: &Rule, numbers: &Numbers, level: Level, note: Option<String>, victim: Option<Who>) -> Finding {
    let (subject, beside) = numbers.shown(rule, victim);
    Finding { level, undecided: false, subject, beside, excess: None, note }
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
    shown(rule, numbers, level, note, None)
}
