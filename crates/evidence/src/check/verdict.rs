//! What the runs of a check say, criterion by criterion.

use super::checker::{Check, Look, Results};
use super::further::{Known, decisive};
use super::run::Variant;
use super::standing::{Standing, standing_before};
use crate::judge::{Finding, Level};
use crate::suite::Criterion;

/// The verdict on a criterion.
#[derive(Clone, Debug)]
pub struct CriterionVerdict {
    /// The criterion.
    pub criterion: Criterion,
    /// How the controller stands.
    pub standing: Standing,
    /// The variant in which the worst cell passes, if every cell of its level passes in some variant: the verdict is at most concern then.
    pub fragile: Option<Variant>,
    /// The cells, rule by rule, the worst first.
    pub cells: Vec<CellVerdict>,
    /// Another criterion from which the verdict comes.
    pub comes_from: Option<String>,
    /// The grids in which the controller cannot run while it runs in others, each with the reason.
    pub left_out: Vec<String>,
    /// What the rule of the worst cell finds on the kernel, if that was run; the reasons that the machine set part of it.
    pub kernel: Option<Result<Finding, Vec<String>>>,
}

/// The verdict of a rule on a cell.
#[derive(Clone, Debug)]
pub struct CellVerdict {
    /// The place of the grid in the suite.
    pub grid: usize,
    /// The place of the rule in the grid.
    pub rule: usize,
    /// The cell's place in the grid.
    pub cell: usize,
    /// The cell in words.
    pub label: String,
    /// Where it is on each axis of its grid: the place, and its label.
    pub coordinates: Vec<(usize, String)>,
    /// What the first seeds show.
    pub first: Finding,
    /// What 30 fresh seeds show, if the first did not pass and they were run.
    pub fresh: Option<Finding>,
    /// In how many of the runs behind it long flows had not converged.
    pub unconverged: usize,
    /// Why the controller could not go on in one of them.
    pub fault: Option<String>,
}

impl CriterionVerdict {
    /// True of a concern and a failure.
    pub fn is_worse_than_pass(&self) -> bool {
        matches!(self.standing, Standing::Judged(level) if level > Level::Pass)
    }
}

impl CellVerdict {
    /// The finding that counts.
    pub fn decided(&self) -> &Finding {
        self.fresh.as_ref().unwrap_or(&self.first)
    }
}

/// Verdicts on all criteria.
#[derive(Clone, Debug)]
pub struct Report {
    /// In the order of the suite.
    pub criteria: Vec<CriterionVerdict>,
}

impl Report {
    /// How many criteria have this verdict or lack of one: "pass", "concern", "fail", "shown", "not run", "not applicable".
    pub fn count(&self, word: &str) -> usize {
        self.criteria.iter().filter(|own| own.standing.word() == word).count()
    }

    /// The worst verdict; `None` if nothing was judged.
    pub fn worst(&self) -> Option<Level> {
        self.criteria
            .iter()
            .filter_map(
                |own| if let Standing::Judged(level) = own.standing { Some(level) } else { None },
            )
            .max()
    }
}

/// What the runs of a check say.
pub fn report(check: &Check, results: &Results) -> Report {
    let mut criteria: Vec<CriterionVerdict> = Vec::new();
    let asked = |id: &String| check.options.only.is_empty() || check.options.only.contains(id);
    for place in
        (0..check.suite.criteria.len()).filter(|place| asked(&check.suite.criteria[*place].id))
    {
        let own = verdict(check, place, &criteria, results);
        criteria.push(own);
    }
    Report { criteria }
}

fn verdict(
    check: &Check,
    place: usize,
    before: &[CriterionVerdict],
    results: &Results,
) -> CriterionVerdict {
    let criterion = check.suite.criteria[place].clone();
    let bare = |standing| CriterionVerdict {
        criterion: criterion.clone(),
        standing,
        fragile: None,
        cells: Vec::new(),
        comes_from: None,
        left_out: Vec::new(),
        kernel: None,
    };
    if let Some(standing) = standing_before(&check.suite, &check.players, &check.options, place) {
        return bare(standing);
    }
    if criterion.from_others {
        let worst = before.iter().filter_map(|own| {
            if let Standing::Judged(level) = own.standing { Some((level, own)) } else { None }
        });
        return match worst.reduce(|a, b| if b.0 > a.0 { b } else { a }) {
            Some((level, own)) => {
                let comes_from = (level > Level::Pass).then(|| own.criterion.id.clone());
                CriterionVerdict {
                    comes_from,
                    fragile: own.fragile,
                    ..bare(Standing::Judged(level))
                }
            }
            None => bare(Standing::NotRun("no criterion before it was judged".to_owned())),
        };
    }
    let known = check.known(place, results);
    let grids =
        check.suite.grids.iter().zip(&check.grids).filter(|(grid, _)| grid.criterion == place);
    let mut refused =
        grids.filter_map(|(grid, planned)| Some((&grid.name, planned.refused.as_ref()?)));
    let spoiled = if check.players.program { check.spoiled(place, results) } else { Vec::new() };
    if known.is_empty() {
        if !spoiled.is_empty() {
            return bare(Standing::NotRun(spoiled.join("; ")));
        }
        let reason = refused
            .next()
            .map_or_else(|| "none of its grids applies".to_owned(), |(_, reason)| reason.clone());
        return bare(Standing::NotRun(reason));
    }
    let left_out =
        refused.map(|(name, reason)| format!("{name}: {reason}")).chain(spoiled).collect();
    // What fresh seeds did not look at cannot count more than what they confirmed.
    let confirmed =
        known.iter().filter_map(|own| own.fresh.as_ref()).map(|finding| finding.level).max();
    let level = confirmed.unwrap_or(Level::Pass);
    let fragile = fragility(check, &known, level, results);
    let level = if fragile.is_some() { level.min(Level::Concern) } else { level };
    let kernel = known
        .first()
        .filter(|_| !check.players.program)
        .and_then(|own| on_kernel(check, own, results));
    let standing =
        if known.iter().any(|own| own.judged) { Standing::Judged(level) } else { Standing::Shown };
    let cells = known.into_iter().map(|own| CellVerdict {
        grid: own.grid,
        rule: own.rule,
        cell: own.cell,
        label: check.grids[own.grid].label(own.cell),
        coordinates: check.grids[own.grid].coordinates(own.cell),
        unconverged: check.unconverged(&own, results),
        fault: check.fault(&own, results),
        first: own.first,
        fresh: own.fresh,
    });
    CriterionVerdict { cells: cells.collect(), fragile, left_out, kernel, ..bare(standing) }
}

fn on_kernel(
    check: &Check,
    own: &Known,
    results: &Results,
) -> Option<Result<Finding, Vec<String>>> {
    let rule = &check.suite.grids[own.grid].rules[own.rule];
    let finding = check.finding(own.grid, rule, own.cell, Look::Other(Variant::Kernel), results)?;
    let mut issues = check.kernel_issues(own.grid, own.cell, results);
    issues.dedup();
    Some(if issues.is_empty() { Ok(finding) } else { Err(issues) })
}

/// The variant that turns the first decisive cell's verdict into pass, if each decisive cell has one.
fn fragility(check: &Check, known: &[Known], level: Level, results: &Results) -> Option<Variant> {
    let turned: Option<Vec<Variant>> =
        decisive(known, level).map(|own| check.turned_by(own, results)).collect();
    turned?.first().copied()
}
