//! The choice of further runs from the findings so far.

use super::checker::{Check, Look, Results};
use super::program;
use super::run::{Run, Variant};
use super::standing::standing_before;
use crate::judge::{Finding, Level};
use crate::measures::CONVERGED_PERCENT;
use crate::rule::{Rule, RuleKind};
use crate::suite::Who;
use std::collections::{BTreeMap, BTreeSet};

impl Check {
    /// Returns the runs of every check: those that rules need in each cell with the first seeds.
    pub fn first(&self) -> Vec<Run> {
        let questions =
            (0..self.suite.criteria.len()).flat_map(|criterion| self.judged_cells(criterion));
        let runs: BTreeSet<Run> =
            questions.flat_map(|own| self.runs_for(own, Look::First)).collect();
        runs.into_iter().collect()
    }

    /// Returns the runs that the results so far make necessary; empty when the check is complete.
    pub fn further(&self, results: &Results) -> Vec<Run> {
        let mut wanted = Vec::new();
        for criterion in 0..self.suite.criteria.len() {
            for (own, look) in self.open_questions(criterion, results) {
                wanted.extend(self.runs_for(own, look));
            }
        }
        wanted.sort();
        wanted.dedup();
        wanted.retain(|run| results(*run).is_none());
        wanted
    }

    /// Returns the runs that repeat the worst cell on the kernel, for each criterion that the suite
    /// marks as live: one per pair in a quick check, otherwise five.
    pub fn on_kernel(&self, results: &Results) -> Vec<Run> {
        if self.players.program {
            return Vec::new();
        }
        let asked =
            (0..self.suite.criteria.len()).filter(|criterion| self.suite.criteria[*criterion].live);
        let worst = asked.filter_map(|criterion| {
            self.known(criterion, results).into_iter().find(|own| own.judged)
        });
        let mut runs: Vec<Run> = worst
            .flat_map(|own| self.runs_for(own.question(), Look::Other(Variant::Kernel)))
            .collect();
        runs.sort();
        runs.dedup();
        runs
    }

    /// Returns the ids of the criteria with a worst cell that also runs on the kernel.
    pub fn live_criteria(&self) -> Vec<&str> {
        self.suite
            .criteria
            .iter()
            .filter(|criterion| criterion.live)
            .map(|criterion| criterion.id.as_str())
            .collect()
    }

    /// Returns the runs that a rule needs in a cell.
    fn runs_for(&self, (grid, rule, cell): Question, look: Look) -> Vec<Run> {
        let (planned, rule) = (&self.grids[grid], &self.suite.grids[grid].rules[rule]);
        let before = if let RuleKind::Rises { axis } = &rule.kind {
            planned.before(cell, axis)
        } else {
            None
        };
        // A baseline under test is its own reference, so the harm to itself is needed, too.
        let subject = Some(Who::Subject);
        let read = |run: &Run| {
            let (this, other) = planned.players(run.part, run.pair);
            match rule.kind {
                RuleKind::Twins => this == other,
                RuleKind::Harm => (this, other) != (subject, subject),
                _ => true,
            }
        };
        [Some(cell), before]
            .into_iter()
            .flatten()
            .flat_map(|cell| self.runs(grid, cell, look))
            .filter(read)
            .collect()
    }

    /// Counts the subject's runs behind a finding in which long flows had not converged.
    pub(super) fn unconverged(&self, own: &Known, results: &Results) -> usize {
        let look = if own.fresh.is_some() { Look::Fresh } else { Look::First };
        let place = self.place(own.grid, own.decided().beside_whom);
        let runs = self
            .runs_for(own.question(), look)
            .into_iter()
            .filter(|run| (run.part, run.pair) == place);
        runs.filter_map(results)
            .filter(|kept| kept.drift.is_some_and(|drift| drift > CONVERGED_PERCENT))
            .count()
    }

    /// Returns the reason why the subject could not continue in a run behind a finding, if there is
    /// such a run.
    pub(super) fn fault(&self, own: &Known, results: &Results) -> Option<String> {
        let look = if own.fresh.is_some() { Look::Fresh } else { Look::First };
        let runs =
            self.runs_for(own.question(), look).into_iter().filter(|run| self.is_of_subject(*run));
        runs.filter_map(results).find_map(|kept| kept.fault)
    }

    /// Returns the cells of a criterion's rules: grid, rule, cell.
    fn judged_cells(&self, criterion: usize) -> Vec<Question> {
        if standing_before(&self.suite, &self.players, &self.options, criterion).is_some() {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (place, grid) in self.suite.grids.iter().enumerate() {
            let asked = |rule: &Rule| {
                !self.players.program || program::shows(rule, &grid.asked[rule.number])
            };
            for (own, rule) in grid
                .rules
                .iter()
                .enumerate()
                .filter(|(_, rule)| rule.criterion == criterion && asked(rule))
            {
                let meant = |cell: &usize| {
                    let label = self.grids[place].label(*cell);
                    rule.only.is_empty()
                        || rule.only.iter().any(|word| label.split(", ").any(|part| part == word))
                };
                all.extend(
                    self.grids[place]
                        .chosen
                        .iter()
                        .copied()
                        .filter(meant)
                        .map(|cell| (place, own, cell)),
                );
            }
        }
        all
    }

    /// Returns the cells of a criterion in which runs of a program are invalid, with the reasons.
    pub(super) fn spoiled(&self, criterion: usize, results: &Results) -> Vec<String> {
        let cells: BTreeSet<(usize, usize)> =
            self.judged_cells(criterion).into_iter().map(|(grid, _, cell)| (grid, cell)).collect();
        let of = |(grid, cell): (usize, usize)| {
            let issues: BTreeSet<String> =
                self.kernel_issues(grid, cell, results).into_iter().collect();
            let issues: Vec<String> = issues.into_iter().collect();
            let place = [self.suite.grids[grid].name.clone(), self.grids[grid].label(cell)];
            let place: Vec<String> = place.into_iter().filter(|word| !word.is_empty()).collect();
            (!issues.is_empty()).then(|| format!("{}: {}", place.join(", "), issues.join("; ")))
        };
        cells.into_iter().filter_map(of).collect()
    }

    /// Returns the cells of a criterion with their findings so far, the worst first.
    pub(super) fn known(&self, criterion: usize, results: &Results) -> Vec<Known> {
        let of = |(grid, rule, cell): (usize, usize, usize)| {
            let own = &self.suite.grids[grid].rules[rule];
            if self.players.program && !self.kernel_issues(grid, cell, results).is_empty() {
                return None;
            }
            let first = self.finding(grid, own, cell, Look::First, results)?;
            if self.players.program
                && program::unseen(&self.suite.grids[grid].asked[own.number], &first)
            {
                return None;
            }
            let fresh = if first.level == Level::Pass {
                None
            } else {
                self.finding(grid, own, cell, Look::Fresh, results)
            };
            Some(Known { grid, rule, cell, judged: own.kind != RuleKind::Shown, first, fresh })
        };
        let known: Vec<Known> = self.judged_cells(criterion).into_iter().filter_map(of).collect();
        worst_first(known)
    }

    /// Returns the next questions for a criterion.
    fn open_questions(&self, criterion: usize, results: &Results) -> Vec<(Question, Look)> {
        let known = self.known(criterion, results);
        let worst_confirmed = known
            .iter()
            .filter_map(|own| own.fresh.as_ref())
            .map(|finding| finding.level)
            .max()
            .unwrap_or(Level::Pass);
        let unconfirmed =
            known.iter().filter(|own| own.fresh.is_none() && own.first.level > Level::Pass);
        // In a quick check, skip cells that can no longer make the verdict worse.
        let mut open: Vec<&Known> = unconfirmed
            .filter(|own| !self.options.quick || own.first.level > worst_confirmed)
            .collect();
        if self.options.quick {
            open.truncate(1);
        }
        if !open.is_empty() {
            return open.iter().map(|own| (own.question(), Look::Fresh)).collect();
        }
        if self.players.program {
            return Vec::new();
        }
        // A cell that passes in no variant settles the verdict. Until such a cell is found, run the
        // variants of the next decisive cell.
        let asked =
            decisive(&known, worst_confirmed).find(|own| self.turned_by(own, results).is_none());
        asked.map_or_else(Vec::new, |own| {
            Variant::OTHERS.map(|variant| (own.question(), Look::Other(variant))).to_vec()
        })
    }

    /// Returns the variant in which a cell passes, among the variants that have been run.
    pub(super) fn turned_by(&self, own: &Known, results: &Results) -> Option<Variant> {
        let rule = &self.suite.grids[own.grid].rules[own.rule];
        Variant::OTHERS.into_iter().find(|variant| {
            let finding = self.finding(own.grid, rule, own.cell, Look::Other(*variant), results);
            finding.is_some_and(|finding| finding.level == Level::Pass)
        })
    }
}

/// Sorts cells by severity: the rule that is broken most clearly comes first, and within a rule the
/// cell with the largest excess.
fn worst_first(mut known: Vec<Known>) -> Vec<Known> {
    let rule = |own: &Known| (own.grid, own.rule);
    let mut clearest: BTreeMap<(usize, usize), (Severity, f64)> = BTreeMap::new();
    for own in &known {
        let seen = (own.severity(), own.clearness());
        let most = clearest.entry(rule(own)).or_insert(seen);
        if seen.0.cmp(&most.0).then(seen.1.total_cmp(&most.1)).is_gt() {
            *most = seen;
        }
    }
    known.sort_by(|a, b| {
        let by_rule =
            || clearest[&rule(b)].1.total_cmp(&clearest[&rule(a)].1).then(rule(a).cmp(&rule(b)));
        b.severity()
            .cmp(&a.severity())
            .then_with(by_rule)
            .then_with(|| b.excess().total_cmp(&a.excess()))
    });
    known
}

/// Returns the cells with a verdict that fresh seeds confirmed at this level, if the level is not a
/// pass.
pub(super) fn decisive(known: &[Known], level: Level) -> impl Iterator<Item = &Known> {
    known.iter().filter(move |own| {
        level > Level::Pass && own.fresh.as_ref().is_some_and(|fresh| fresh.level == level)
    })
}

/// The severity of a cell: whether it is judged, its level, whether fresh seeds confirmed it, and
/// whether it is decided.
type Severity = (bool, Level, bool, bool);

/// The findings of a rule in a cell so far.
pub(super) struct Known {
    pub grid: usize,
    pub rule: usize,
    pub cell: usize,
    /// False for a number that is only shown.
    pub judged: bool,
    pub first: Finding,
    pub fresh: Option<Finding>,
}

/// A rule in a cell: grid, rule, cell.
type Question = (usize, usize, usize);

impl Known {
    fn question(&self) -> Question {
        (self.grid, self.rule, self.cell)
    }

    /// Returns the present severity. Of two cells beyond a bound, a cell confirmed by fresh seeds
    /// comes first, and a decided cell comes before an undecided one.
    fn severity(&self) -> Severity {
        let finding = self.decided();
        let confirmed = finding.level > Level::Pass && self.fresh.is_some();
        (self.judged, finding.level, confirmed, !finding.undecided)
    }

    fn excess(&self) -> f64 {
        self.decided().excess.map_or_else(|| self.without_excess(), |excess| excess.mean)
    }

    /// Returns the excess for a rule that has none. A pass by such a rule comes last.
    fn without_excess(&self) -> f64 {
        if self.decided().level == Level::Pass { f64::NEG_INFINITY } else { 0.0 }
    }

    /// Returns the excess divided by the width of its interval, because excesses of different rules
    /// may be in different units. Without a width, as with one seed, it is divided by the number
    /// itself.
    fn clearness(&self) -> f64 {
        let finding = self.decided();
        let Some(excess) = finding.excess else { return self.without_excess() };
        let number = finding
            .subject
            .1
            .iter()
            .flatten()
            .copied()
            .fold(0.0f64, |most, value| most.max(value.abs()));
        let unit = if excess.high > excess.low { excess.high - excess.low } else { number };
        excess.mean / unit.max(1e-9)
    }

    /// Returns the finding that counts.
    fn decided(&self) -> &Finding {
        self.fresh.as_ref().unwrap_or(&self.first)
    }
}
