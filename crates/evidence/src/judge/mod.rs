//! The application of rules to the numbers of a cell.
//!
//! A rule turns the numbers of each seed into an **excess**: the distance of the subject beyond the
//! rule's bound, paired with the baselines' runs of the same seed. The interval of the mean excess
//! decides. If it is at or below zero, the subject is within the bound. If it is above zero, the
//! subject is beyond the bound. Otherwise the cell is undecided.

mod excess;
mod finding;
mod level;
mod numbers;
mod starvation;

pub use finding::Finding;
pub use level::Level;
pub use numbers::{Named, Numbers, Values};

use crate::rule::{Rule, RuleKind};
use crate::statistics::{Estimate, estimate};
use crate::suite::Who;
use excess::Excess;
use finding::shown;

/// Applies a rule to a cell.
pub fn judge(rule: &Rule, numbers: &Numbers) -> Finding {
    let is_baseline = numbers.players.as_played(Who::Subject) != Who::Subject;
    if is_baseline && rule.kind.compares() {
        return shown(
            rule,
            numbers,
            Level::Pass,
            Some("a baseline: passes by construction".to_owned()),
            None,
        );
    }
    match &rule.kind {
        RuleKind::Starves => return starvation::judge(rule, numbers),
        RuleKind::Undefined => return undefined(rule, numbers),
        RuleKind::Shown => return shown(rule, numbers, Level::Pass, None, None),
        _ => {}
    }
    let bounds = [(Level::Fail, rule.levels.fail), (Level::Concern, rule.levels.concern)];
    let bounds = bounds.into_iter().filter_map(|(level, bound)| Some((level, bound?)));
    let seen: Vec<Seen> = bounds
        .flat_map(|(level, bound)| {
            excess::of(rule, bound, numbers).into_iter().map(move |own| (level, own))
        })
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

/// The position of an excess relative to the bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Within,
    Undecided,
    Beyond,
}

/// An excess over a bound, and the position of its interval.
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
        // The amount of harm is of interest whatever the verdict.
        let note =
            self.note.clone().filter(|_| level != Level::Pass || rule.kind == RuleKind::Harm);
        Finding { excess: self.estimate, ..shown(rule, numbers, level, note, self.victim) }
    }
}

/// Judges whether a number is defined in at least half of the seeds. The subject passes if the
/// number is undefined for some seed of a baseline, too.
fn undefined(rule: &Rule, numbers: &Numbers) -> Finding {
    let lacking =
        |who: Who| numbers.alone(who, rule.number).iter().filter(|value| value.is_none()).count();
    let theirs = numbers.players.standard().all(|who| lacking(who) == 0);
    let own = lacking(Who::Subject);
    let level = match () {
        () if own * 2 <= numbers.seeds || !theirs => Level::Pass,
        () if rule.levels.fail.is_some() => Level::Fail,
        () => Level::Concern,
    };
    let note =
        (level != Level::Pass).then(|| format!("not defined in {own} of {} seeds", numbers.seeds));
    shown(rule, numbers, level, note, None)
}
