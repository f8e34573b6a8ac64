//! Which runs a check needs, and what rules find in them.

use super::options::Options;
use super::plan::Planned;
use super::program;
use super::run::{Run, Variant};
use super::standing::standing_before;
use super::variant;
use crate::EvidenceError;
use crate::judge::{Finding, Level, Numbers, judge};
use crate::measures::{CONVERGED_PERCENT, DRIFT};
use crate::rule::{Kind, Rule};
use crate::suite::{Players, Suite, Who};
use narrows_measure::metrics::METRICS;
use narrows_measure::{Emulation, Record};
use narrows_scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The seeds that decide about a cell that did not pass with the first ones, from the first seed on.
const FRESH: RangeInclusive<u16> = 1000..=1029;

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The numbers that its grid asks for.
    pub asked: Vec<Option<f64>>,
    /// Every metric, in the order of the table of metrics.
    pub metrics: Vec<Option<f64>>,
    /// How much long flows' goodput still changed, in percent ([`DRIFT`]); `None` where that is not defined.
    #[serde(default)]
    pub drift: Option<f64>,
    /// Why a controller could not go on, so that there are no numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Why a run on the kernel says more of the machine than of the controller; nothing of a sound run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
}

/// A check of a controller by a suite.
pub struct Check {
    /// The suite.
    pub suite: Suite,
    /// The controller and the baselines.
    pub players: Players,
    /// How it is made.
    pub options: Options,
    pub(super) grids: Vec<Planned>,
}

/// Where kept runs are found. `None` of a run that has not been made.
pub type Results<'a> = dyn Fn(Run) -> Option<Kept> + 'a;

/// Which seeds and variant of a cell are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    First,
    Fresh,
    Other(Variant),
}

impl Check {
    /// Plans a check.
    ///
    /// # Errors
    ///
    /// A criterion of `only` that the suite does not have, or a scenario that cannot be made with this controller.
    pub fn new(suite: Suite, players: Players, options: Options) -> Result<Check, EvidenceError> {
        if let Some(unknown) = options.only.iter().find(|id| suite.place(id).is_none()) {
            let help = narrows_params::suggest(unknown, "criteria", suite.criteria.iter().map(|own| own.id.as_str()));
            return Err(EvidenceError::new(&suite.name, &format!("there is no criterion \"{unknown}\"; {help}")));
        }
        let mut grids = Vec::new();
        for grid in &suite.grids {
            let asked = grid.rules.iter().any(|rule| standing_before(&suite, &players, &options, rule.criterion).is_none());
            let full = !options.quick && !players.program;
            let planned = match asked && (!grid.signals || options.signals) && (!grid.full || full) {
                true => Planned::new(grid.parts(&players, full)?),
                false => Planned::without(None),
            };
            let planned = if players.program { program::runnable(planned) } else { planned };
            grids.push(runnable(planned, &players)?);
        }
        Ok(Check { suite, players, options, grids })
    }

    /// The runs that every check has.
    pub fn first(&self) -> Vec<Run> {
        let cells = self.grids.iter().enumerate().flat_map(|(grid, planned)| planned.chosen.iter().map(move |cell| (grid, *cell)));
        cells.flat_map(|(grid, cell)| self.runs(grid, cell, Look::First)).collect()
    }

    /// The runs that what is known makes necessary; nothing when all is known.
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

    /// The runs that show on the kernel what the simulator showed in the worst cell of each criterion for which the suite asks it: one of each pair in a quick check,
    /// else five.
    pub fn on_kernel(&self, results: &Results) -> Vec<Run> {
        if self.players.program {
            return Vec::new();
        }
        let asked = (0..self.suite.criteria.len()).filter(|criterion| self.suite.criteria[*criterion].live);
        let worst = asked.filter_map(|criterion| self.known(criterion, results).into_iter().next());
        let mut runs: Vec<Run> = worst.flat_map(|own| self.runs_for(own.question(), Look::Other(Variant::Kernel))).collect();
        runs.sort();
        runs.dedup();
        runs
    }

    /// The scenario of a run.
    ///
    /// # Errors
    ///
    /// It cannot be made with this controller.
    pub fn scenario(&self, run: Run) -> Result<Scenario, EvidenceError> {
        let mut scenario = self.grids[usize::from(run.grid)].scenario(run)?;
        scenario.seed = u64::from(run.seed);
        variant::apply(&mut scenario, run.variant);
        Ok(scenario)
    }

    /// What is kept of a run.
    pub fn keep(&self, run: Run, record: &Record) -> Kept {
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        Kept {
            asked: self.suite.grids[usize::from(run.grid)].asked.iter().map(|number| number.value(record)).collect(),
            metrics: METRICS.iter().map(|metric| finite((metric.compute)(record))).collect(),
            drift: finite((DRIFT.compute)(record)),
            fault: None,
            issues: record.emulation.as_ref().map(Emulation::validity_issues).unwrap_or_default(),
        }
    }

    /// What is kept of a run in which a controller could not go on: no number is defined.
    pub fn keep_fault(&self, run: Run, fault: String) -> Kept {
        let asked = vec![None; self.suite.grids[usize::from(run.grid)].asked.len()];
        Kept { asked, metrics: vec![None; METRICS.len()], drift: None, fault: Some(fault), issues: Vec::new() }
    }

    /// Why the subject could not go on in any of the first runs, if it could in none: then nothing can be said of it.
    pub fn never_ran(&self, results: &Results) -> Option<String> {
        let own = self.first().into_iter().filter(|run| self.is_of_subject(*run));
        let mut first = None;
        for run in own {
            let fault = results(run)?.fault?;
            first.get_or_insert_with(|| format!("{} ({})", fault, self.describe(run)));
        }
        first
    }

    fn is_of_subject(&self, run: Run) -> bool {
        let (this, other) = self.grids[usize::from(run.grid)].players(run.part, run.pair);
        [this, other].contains(&Some(self.players.as_played(Who::Subject)))
    }

    /// True if the program under test makes this run.
    pub fn is_of_program(&self, run: Run) -> bool {
        self.players.program && self.is_of_subject(run)
    }

    /// A run in words.
    pub fn describe(&self, run: Run) -> String {
        let grid = &self.grids[usize::from(run.grid)];
        let variant = match run.variant {
            Variant::Plain => String::new(),
            other => format!(", {}", other.text()),
        };
        let cell = grid.label(usize::from(run.cell));
        let cell = if cell.is_empty() { cell } else { format!("{cell}, ") };
        format!("{}: {cell}{}{variant}, seed {}", self.suite.grids[usize::from(run.grid)].name, grid.pair_label(run), run.seed)
    }

    /// The cell of a run in words.
    pub fn cell_label(&self, run: Run) -> String {
        self.grids[usize::from(run.grid)].label(usize::from(run.cell))
    }

    /// Who is in a run, in words.
    pub fn pair_label(&self, run: Run) -> String {
        self.grids[usize::from(run.grid)].pair_label(run).to_owned()
    }

    /// Where a grid runs the subject, beside somebody if it has such runs: the part, and the place in it.
    pub fn place(&self, grid: usize, beside: Option<Who>) -> (u8, u8) {
        let subject = Some(self.players.as_played(Who::Subject));
        let beside = beside.map(|who| self.players.as_played(who));
        self.grids[grid].place(subject, beside).unwrap_or((0, 0))
    }

    /// How many seeds each cell has at first.
    pub fn seeds(&self) -> u16 {
        let seeds = match (self.players.program, self.options.quick) {
            (true, true) => 1,
            (true, false) | (false, true) => 5,
            (false, false) => 10,
        };
        self.options.seeds.unwrap_or(seeds)
    }

    /// All that the runs of a check follow from, but for the program.
    pub fn identity(&self) -> String {
        let texts = self.grids.iter().flat_map(|grid| &grid.parts).map(|part| part.sweep.text());
        let asked = self.suite.grids.iter().flat_map(|grid| &grid.asked).map(crate::number::Number::text);
        texts.map(str::to_owned).chain(asked).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn seeds_of(&self, look: Look) -> Vec<u16> {
        match look {
            Look::Other(Variant::Kernel) => {
                (0..if self.options.quick { 1 } else { 5 }).map(|seed| self.options.first_seed + seed).collect()
            }
            Look::Fresh if !self.players.program => FRESH.map(|seed| self.options.first_seed + seed).collect(),
            _ => (0..self.seeds()).map(|seed| self.options.first_seed + seed).collect(),
        }
    }

    fn runs(&self, grid: usize, cell: usize, look: Look) -> Vec<Run> {
        let (planned, seeds) = (&self.grids[grid], self.seeds_of(look));
        let of_pair = |(part, pair): (u8, u8)| {
            let variant = self.variant(look, planned.players(part, pair));
            seeds.iter().map(move |seed| Run { grid: grid as u16, part, cell: cell as u16, pair, variant, seed: *seed })
        };
        planned.pairs().into_iter().flat_map(of_pair).collect()
    }

    /// The runs that a rule reads of a cell.
    fn runs_for(&self, (grid, rule, cell): Question, look: Look) -> Vec<Run> {
        let (planned, rule) = (&self.grids[grid], &self.suite.grids[grid].rules[rule]);
        let before = if let Kind::Rises { axis } = &rule.kind { planned.before(cell, axis) } else { None };
        let subject = Some(self.players.as_played(Who::Subject));
        let read = |run: &Run| {
            let (this, other) = planned.players(run.part, run.pair);
            match rule.kind {
                Kind::Twins => this == other,
                Kind::Harm => (this, other) != (subject, subject),
                _ => true,
            }
        };
        [Some(cell), before].into_iter().flatten().flat_map(|cell| self.runs(grid, cell, look)).filter(read).collect()
    }

    /// How the run of a pair differs from the suite's scenario. A program runs on the kernel alone; baselines run beside it where a cell that did not pass is looked at
    /// again, and in the simulator before, with hosts as prompt as the kernel.
    fn variant(&self, look: Look, (this, other): (Option<Who>, Option<Who>)) -> Variant {
        match look {
            Look::Other(variant) => variant,
            Look::First | Look::Fresh if !self.players.program => Variant::Plain,
            Look::First if ![this, other].contains(&Some(Who::Subject)) => Variant::Prompt,
            Look::First | Look::Fresh => Variant::Kernel,
        }
    }

    /// Why runs of a cell on the kernel are not sound.
    pub(super) fn kernel_issues(&self, grid: usize, cell: usize, results: &Results) -> Vec<String> {
        let runs = self.runs(grid, cell, if self.players.program { Look::Fresh } else { Look::Other(Variant::Kernel) });
        runs.into_iter().filter_map(results).flat_map(|kept| kept.issues).collect()
    }

    /// What a rule finds in a cell; `None` while runs are missing.
    pub(super) fn finding(&self, grid: usize, rule: &Rule, cell: usize, look: Look, results: &Results) -> Option<Finding> {
        let (planned, seeds) = (&self.grids[grid], self.seeds_of(look));
        let missing = std::cell::Cell::new(false);
        let at = |cell: usize, this: Option<Who>, other: Option<Who>, number: usize| -> Vec<Option<f64>> {
            let Some((part, pair)) = planned.place(this, other) else { return vec![None; seeds.len()] };
            let variant = self.variant(look, (this, other));
            let value = |seed: &u16| {
                let run = Run { grid: grid as u16, part, cell: cell as u16, pair, variant, seed: *seed };
                let kept = results(run);
                missing.set(missing.get() || kept.is_none());
                kept.and_then(|kept| kept.asked.get(number).copied().flatten())
            };
            seeds.iter().map(value).collect()
        };
        let numbers = Numbers {
            grid: &self.suite.grids[grid],
            players: &self.players,
            seeds: seeds.len(),
            of: &|this, other, number| at(cell, this, other, number),
            before: &|axis, number| {
                let before = planned.before(cell, axis)?;
                Some(at(before, Some(self.players.as_played(Who::Subject)), None, number))
            },
        };
        let finding = judge(rule, &numbers);
        (!missing.get()).then_some(finding)
    }

    /// In how many of the subject's runs behind a finding long flows had not converged.
    pub(super) fn unconverged(&self, own: &Known, results: &Results) -> usize {
        let look = if own.fresh.is_some() { Look::Fresh } else { Look::First };
        let place = self.place(own.grid, own.decided().beside_whom);
        let runs = self.runs(own.grid, own.cell, look).into_iter().filter(|run| (run.part, run.pair) == place);
        runs.filter_map(results).filter(|kept| kept.drift.is_some_and(|drift| drift > CONVERGED_PERCENT)).count()
    }

    /// Why the subject could not go on in a run behind a finding, if there is one.
    pub(super) fn fault(&self, own: &Known, results: &Results) -> Option<String> {
        let look = if own.fresh.is_some() { Look::Fresh } else { Look::First };
        let runs = self.runs(own.grid, own.cell, look).into_iter().filter(|run| self.is_of_subject(*run));
        runs.filter_map(results).find_map(|kept| kept.fault)
    }

    /// The cells of a criterion's rules: grid, rule, cell.
    fn judged_cells(&self, criterion: usize) -> Vec<Question> {
        if standing_before(&self.suite, &self.players, &self.options, criterion).is_some() {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (place, grid) in self.suite.grids.iter().enumerate() {
            let asked = |rule: &Rule| !self.players.program || program::shows(rule, &grid.asked[rule.number]);
            for (own, rule) in grid.rules.iter().enumerate().filter(|(_, rule)| rule.criterion == criterion && asked(rule)) {
                let meant = |cell: &usize| {
                    let label = self.grids[place].label(*cell);
                    rule.only.is_empty() || rule.only.iter().any(|word| label.split(", ").any(|part| part == word))
                };
                all.extend(self.grids[place].chosen.iter().copied().filter(meant).map(|cell| (place, own, cell)));
            }
        }
        all
    }

    /// The cells of a criterion whose runs of a program are not sound, each with the reasons.
    pub(super) fn spoiled(&self, criterion: usize, results: &Results) -> Vec<String> {
        let cells: BTreeSet<(usize, usize)> = self.judged_cells(criterion).into_iter().map(|(grid, _, cell)| (grid, cell)).collect();
        let of = |(grid, cell): (usize, usize)| {
            let issues: BTreeSet<String> = self.kernel_issues(grid, cell, results).into_iter().collect();
            let issues: Vec<String> = issues.into_iter().collect();
            let place = [self.suite.grids[grid].name.clone(), self.grids[grid].label(cell)];
            let place: Vec<String> = place.into_iter().filter(|word| !word.is_empty()).collect();
            (!issues.is_empty()).then(|| format!("{}: {}", place.join(", "), issues.join("; ")))
        };
        cells.into_iter().filter_map(of).collect()
    }

    /// Cells with their findings as far as they are known, the worst first.
    pub(super) fn known(&self, criterion: usize, results: &Results) -> Vec<Known> {
        let of = |(grid, rule, cell): (usize, usize, usize)| {
            let own = &self.suite.grids[grid].rules[rule];
            if self.players.program && !self.kernel_issues(grid, cell, results).is_empty() {
                return None;
            }
            let first = self.finding(grid, own, cell, Look::First, results)?;
            if self.players.program && program::unseen(&self.suite.grids[grid].asked[own.number], &first) {
                return None;
            }
            let fresh = if first.level == Level::Pass { None } else { self.finding(grid, own, cell, Look::Fresh, results) };
            Some(Known { grid, rule, cell, first, fresh })
        };
        let known: Vec<Known> = self.judged_cells(criterion).into_iter().filter_map(of).collect();
        worst_first(known)
    }

    /// What is to be run for a criterion next.
    fn open_questions(&self, criterion: usize, results: &Results) -> Vec<(Question, Look)> {
        let known = self.known(criterion, results);
        let worst_confirmed = known.iter().filter_map(|own| own.fresh.as_ref()).map(|finding| finding.level).max().unwrap_or(Level::Pass);
        let unconfirmed = known.iter().filter(|own| own.fresh.is_none() && own.first.level > Level::Pass);
        // Cells that can no longer make the verdict worse are not run again in a quick check.
        let mut open: Vec<&Known> = unconfirmed.filter(|own| !self.options.quick || own.first.level > worst_confirmed).collect();
        if self.options.quick {
            open.truncate(1);
        }
        if !open.is_empty() {
            return open.iter().map(|own| (own.question(), Look::Fresh)).collect();
        }
        if self.players.program {
            return Vec::new();
        }
        // One that no variant turns decides; before it is found, the next is asked.
        let asked = decisive(&known, worst_confirmed).find(|own| self.turned_by(own, results).is_none());
        asked.map_or_else(Vec::new, |own| Variant::OTHERS.map(|variant| (own.question(), Look::Other(variant))).to_vec())
    }

    /// The variant in which a cell passes, as far as its variants have been run.
    pub(super) fn turned_by(&self, own: &Known, results: &Results) -> Option<Variant> {
        let rule = &self.suite.grids[own.grid].rules[own.rule];
        Variant::OTHERS.into_iter().find(|variant| {
            let finding = self.finding(own.grid, rule, own.cell, Look::Other(*variant), results);
            finding.is_some_and(|finding| finding.level == Level::Pass)
        })
    }
}

/// Cells by how bad they look: those of the rule that is broken most clearly first, and of one rule that with the largest excess.
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
        let by_rule = || clearest[&rule(b)].1.total_cmp(&clearest[&rule(a)].1).then(rule(a).cmp(&rule(b)));
        b.severity().cmp(&a.severity()).then_with(by_rule).then_with(|| b.excess().total_cmp(&a.excess()))
    });
    known
}

/// The cells whose verdicts fresh seeds confirmed at this level, if it is not a pass.
pub(super) fn decisive(known: &[Known], level: Level) -> impl Iterator<Item = &Known> {
    known.iter().filter(move |own| level > Level::Pass && own.fresh.as_ref().is_some_and(|fresh| fresh.level == level))
}

/// The grid, or the reason that the subject cannot run in it. That a baseline cannot is an error.
fn runnable(planned: Planned, players: &Players) -> Result<Planned, EvidenceError> {
    for pair in planned.pairs() {
        let Some(error) = planned.refusal(pair) else { continue };
        let (this, other) = planned.parts[usize::from(pair.0)].pairs[usize::from(pair.1)];
        if this != Some(Who::Subject) && other != Some(Who::Subject) {
            return Err(error);
        }
        return Ok(Planned::without(Some(format!("{} cannot run in it: {}", players.subject, error.short()))));
    }
    Ok(planned)
}

/// How bad a cell looks: its level, whether fresh seeds confirmed it, and whether it is decided.
type Severity = (Level, bool, bool);

/// A rule's findings in a cell, as far as they are known.
pub(super) struct Known {
    pub grid: usize,
    pub rule: usize,
    pub cell: usize,
    pub first: Finding,
    pub fresh: Option<Finding>,
}

/// A rule in a cell: grid, rule, cell.
type Question = (usize, usize, usize);

impl Known {
    fn question(&self) -> Question {
        (self.grid, self.rule, self.cell)
    }

    /// How bad it looks at present: of two cells beyond a bound, the one that fresh seeds have confirmed comes first, and before one that is undecided.
    fn severity(&self) -> Severity {
        let finding = self.decided();
        let confirmed = finding.level > Level::Pass && self.fresh.is_some();
        (finding.level, confirmed, !finding.undecided)
    }

    fn excess(&self) -> f64 {
        self.decided().excess.map_or(0.0, |excess| excess.mean)
    }

    /// How many times the width of its interval the excess is beyond the bound, since that of another rule may be in another unit. Where there is no width, as of one
    /// seed, how many times the number itself.
    fn clearness(&self) -> f64 {
        let finding = self.decided();
        let Some(excess) = finding.excess else { return 0.0 };
        let number = finding.subject.1.iter().flatten().copied().fold(0.0f64, |most, value| most.max(value.abs()));
        let unit = if excess.high > excess.low { excess.high - excess.low } else { number };
        excess.mean / unit.max(1e-9)
    }

    /// The finding that counts.
    fn decided(&self) -> &Finding {
        self.fresh.as_ref().unwrap_or(&self.first)
    }
}
