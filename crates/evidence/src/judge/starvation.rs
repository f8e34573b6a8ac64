//! Starvation of flows next to the subject that do not starve next to a baseline.

use super::finding::{Finding, shown};
use super::level::Level;
use super::numbers::Numbers;
use crate::rule::Rule;
use crate::suite::Who;
use narrows_measure::harm::STARVED_S;

/// Judges starvation (RFC 9743, section 5.2). The rule fails if a baseline starves next to the
/// subject in more than half of the seeds, and next to no baseline in more than half. It raises
/// concern if the subject starves next to itself, and no baseline does next to itself. It also
/// raises concern if starvation is undefined in at least half of the seeds.
pub fn judge(rule: &Rule, numbers: &Numbers) -> Finding {
    let standard: Vec<Who> = numbers.players.standard().collect();
    let starves = |this: Who, other: Who| {
        let times = numbers.beside(this, other, rule.number);
        times.iter().flatten().filter(|time| **time >= STARVED_S).count()
    };
    let many = |count: usize| count * 2 > numbers.seeds;
    for victim in &standard {
        let (own, anyhow) = (
            starves(Who::Subject, *victim),
            standard.iter().any(|who| many(starves(*who, *victim))),
        );
        if many(own) && !anyhow {
            let name = numbers.players.text(*victim);
            let note = format!(
                "{name} starves in {own} of {} seeds, and beside no baseline",
                numbers.seeds
            );
            let level = if rule.levels.fail.is_some() { Level::Fail } else { Level::Concern };
            return shown(rule, numbers, level, Some(note), Some(*victim));
        }
    }
    let itself = (!numbers.players.program).then_some(Who::Subject);
    let unknown = standard.iter().copied().chain(itself).find_map(|other| {
        let missing = numbers
            .beside(Who::Subject, other, rule.number)
            .iter()
            .filter(|time| time.is_none())
            .count();
        (missing * 2 >= numbers.seeds).then_some((other, missing))
    });
    if let Some((other, missing)) = unknown {
        let note = format!(
            "not defined beside {} in {missing} of {} seeds",
            numbers.players.text(other),
            numbers.seeds
        );
        return shown(rule, numbers, Level::Concern, Some(note), Some(other));
    }
    let itself = starves(Who::Subject, Who::Subject);
    let theirs = standard.iter().any(|who| many(starves(*who, *who)));
    if many(itself) && !theirs {
        let note = format!(
            "{} starves beside itself in {itself} of {} seeds",
            numbers.players.subject, numbers.seeds
        );
        return shown(rule, numbers, Level::Concern, Some(note), Some(Who::Subject));
    }
    shown(rule, numbers, Level::Pass, None, None)
}
