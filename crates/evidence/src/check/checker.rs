//! Which runs a check needs, and what rules find in them.

use super::options::Options;
use super::plan::Planned;
use super::program;
use super::run::{Run, Variant};
use super::standing::standing_before;
use super::variant;
use crate::EvidenceError;
use crate::judge::{Finding, Numbers, judge};
use crate::measures::DRIFT;
use crate::rule::Rule;
use crate::suite::{Players, Suite, Who};
use narrows_measure::metrics::METRICS;
use narrows_measure::{Emulation, Record};
use narrows_scenario::Scenario;
use serde::{Deserialize, Serialize};
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
            let help = narrows_params::suggest(
                unknown,
                "criteria",
                suite.criteria.iter().map(|own| own.id.as_str()),
            );
            return Err(EvidenceError::new(
                &suite.name,
                &format!("there is no criterion \"{unknown}\"; {help}"),
            ));
        }
        let mut grids = Vec::new();
        for grid in &suite.grids {
            let asked = grid
                .rules
                .iter()
                .any(|rule| standing_before(&suite, &players, &options, rule.criterion).is_none());
            let full = !options.quick && !players.program;
            let planned = match asked && (!grid.signals || options.signals) && (!grid.full || full)
            {
                true => Planned::new(grid.parts(&players, full)?),
                false => Planned::without(None),
            };
            let planned = if players.program { program::runnable(planned) } else { planned };
            grids.push(runnable(planned, &players)?);
        }
        Ok(Check { suite, players, options, grids })
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
            asked: self.suite.grids[usize::from(run.grid)]
                .asked
                .iter()
                .map(|number| number.value(record))
                .collect(),
            metrics: METRICS.iter().map(|metric| finite((metric.compute)(record))).collect(),
            drift: finite((DRIFT.compute)(record)),
            fault: None,
            issues: record.emulation.as_ref().map(Emulation::validity_issues).unwrap_or_default(),
        }
    }

    /// What is kept of a run in which a controller could not go on: no number is defined.
    pub fn keep_fault(&self, run: Run, fault: String) -> Kept {
        let asked = vec![None; self.suite.grids[usize::from(run.grid)].asked.len()];
        Kept {
            asked,
            metrics: vec![None; METRICS.len()],
            drift: None,
            fault: Some(fault),
            issues: Vec::new(),
        }
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

    pub(super) fn is_of_subject(&self, run: Run) -> bool {
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
        format!(
            "{}: {cell}{}{variant}, seed {}",
            self.suite.grids[usize::from(run.grid)].name,
            grid.pair_label(run),
            run.seed
        )
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
        let asked =
            self.suite.grids.iter().flat_map(|grid| &grid.asked).map(crate::number::Number::text);
        texts.map(str::to_owned).chain(asked).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn seeds_of(&self, look: Look) -> Vec<u16> {
        match look {
            Look::Other(Variant::Kernel) => (0..if self.options.quick { 1 } else { 5 })
                .map(|seed| self.options.first_seed + seed)
                .collect(),
            Look::Fresh if !self.players.program => {
                FRESH.map(|seed| self.options.first_seed + seed).collect()
            }
            _ => (0..self.seeds()).map(|seed| self.options.first_seed + seed).collect(),
        }
    }

    /// The runs of a cell.
    pub(super) fn runs(&self, grid: usize, cell: usize, look: Look) -> Vec<Run> {
        let (planned, seeds) = (&self.grids[grid], self.seeds_of(look));
        let of_pair = |(part, pair): (u8, u8)| {
            let variant = self.variant(look, planned.players(part, pair));
            seeds.iter().map(move |seed| Run {
                grid: grid as u16,
                part,
                cell: cell as u16,
                pair,
                variant,
                seed: *seed,
            })
        };
        planned.pairs().into_iter().flat_map(of_pair).collect()
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
        let runs = self.runs(
            grid,
            cell,
            if self.players.program { Look::Fresh } else { Look::Other(Variant::Kernel) },
        );
        runs.into_iter().filter_map(results).flat_map(|kept| kept.issues).collect()
    }

    /// What a rule finds in a cell; `None` while runs are missing.
    pub(super) fn finding(
        &self,
        grid: usize,
        rule: &Rule,
        cell: usize,
        look: Look,
        results: &Results,
    ) -> Option<Finding> {
        let (planned, seeds) = (&self.grids[grid], self.seeds_of(look));
        let missing = std::cell::Cell::new(false);
        let at = |cell: usize,
                  this: Option<Who>,
                  other: Option<Who>,
                  number: usize|
         -> Vec<Option<f64>> {
            let Some((part, pair)) = planned.place(this, other) else {
                return vec![None; seeds.len()];
            };
            let variant = self.variant(look, (this, other));
            let value = |seed: &u16| {
                let run =
                    Run { grid: grid as u16, part, cell: cell as u16, pair, variant, seed: *seed };
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
}

/// The grid, or the reason that the subject cannot run in it. That a baseline cannot is an error.
fn runnable(planned: Planned, players: &Players) -> Result<Planned, EvidenceError> {
    for pair in planned.pairs() {
        let Some(error) = planned.refusal(pair) else { continue };
        let (this, other) = planned.parts[usize::from(pair.0)].pairs[usize::from(pair.1)];
        if this != Some(Who::Subject) && other != Some(Who::Subject) {
            return Err(error);
        }
        return Ok(Planned::without(Some(format!(
            "{} cannot run in it: {}",
            players.subject,
            error.short()
        ))));
    }
    Ok(planned)
}
