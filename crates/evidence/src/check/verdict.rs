//! The verdicts of a check, criterion by criterion.

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
    /// Standing of the controller.
    pub standing: Standing,
    /// The variant in which the worst cell passes, if every cell of its level passes in some
    /// variant. The verdict is then at most concern.
    pub fragile: Option<Variant>,
    /// The cells, rule by rule, the worst first.
    pub cells: Vec<CellVerdict>,
    /// Id of the criterion that this verdict is taken from, if it is from another criterion.
    pub comes_from: Option<String>,
    /// Grids in which the controller cannot run although it runs in others, with the reasons.
    pub left_out: Vec<String>,
    /// Finding of the worst cell's rule on the kernel, if it ran there; or the reasons why those
    /// runs are invalid.
    pub kernel: Option<Result<Finding, Vec<String>>>,
}

/// The verdict of a rule on a cell.
#[derive(Clone, Debug)]
pub struct CellVerdict {
    /// Index of the grid in the suite.
    pub grid: usize,
    /// Index of the rule in the grid.
    pub rule: usize,
    /// Index of the cell in the grid.
    pub cell: usize,
    /// Description of the cell.
    pub label: String,
    /// Index and label of the cell on each axis of its grid.
    pub coordinates: Vec<(usize, String)>,
    /// Finding with the first seeds.
    pub first: Finding,
    /// Finding with 30 fresh seeds, if the first seeds did not pass and these were run.
    pub fresh: Option<Finding>,
    /// Number of runs behind the finding in which long flows had not converged.
    pub unconverged: usize,
    /// Reason why the controller could not continue in one of these runs.
    pub fault: Option<String>,
}

impl CriterionVerdict {
    /// True for a concern and a failure.
    pub fn is_worse_than_pass(&self) -> bool {
        matches!(self.standing, Standing::Judged(level) if level > Level::Pass)
    }
}

impl CellVerdict {
    /// Returns the finding that counts.
    pub fn decided(&self) -> &Finding {
        self.fresh.as_ref().unwrap_or(&self.first)
    }
}

/// Verdicts on all criteria.
#[derive(Clone, Debug)]
pub struct Report {
    /// Verdicts in the order of the suite.
    pub criteria: Vec<CriterionVerdict>,
}

impl Report {
    /// Counts the criteria with this verdict or standing: "pass", "concern", "fail", "shown", "not
    /// run", "not applicable".
    pub fn count(&self, word: &str) -> usize {
        self.criteria.iter().filter(|own| own.standing.word() == word).count()
    }

    /// Returns the worst verdict; `None` if nothing was judged.
    pub fn worst(&self) -> Option<Level> {
        self.criteria
            .iter()
            .filter_map(
                |own| if let Standing::Judged(level) = own.standing { Some(level) } else { None },
            )
            .max()
    }
}

/// Computes the verdicts from the runs of a check.
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
    // Only fresh seeds can give a level worse than pass.
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
    issues.sort_unstable();
    issues.dedup();
    Some(if issues.is_empty() { Ok(finding) } else { Err(issues) })
}

/// Returns the variant in which the first decisive cell passes, if each decisive cell passes in
/// some variant.
fn fragility(check: &Check, known: &[Known], level: Level, results: &Results) -> Option<Variant> {
    let turned: Option<Vec<Variant>> =
        decisive(known, level).map(|own| check.turned_by(own, results)).collect();
    turned?.first().copied()
}
