//! The runs of a check, and the findings of rules in them.

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

/// Seeds that decide cells that did not pass with the first seeds, relative to the first seed.
const FRESH: RangeInclusive<u16> = 1000..=1029;

/// The stored numbers of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The numbers that its grid asks for.
    pub asked: Vec<Option<f64>>,
    /// Every metric, in the order of [`METRICS`].
    pub metrics: Vec<Option<f64>>,
    /// Change of the goodput of long flows during the run, in percent ([`DRIFT`]); `None` if it is
    /// undefined.
    #[serde(default)]
    pub drift: Option<f64>,
    /// Reason why a controller could not continue, so that there are no numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Reasons why a run on the kernel is invalid; empty for a valid run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
}

/// A check of a controller by a suite.
pub struct Check {
    /// The suite of the check.
    pub suite: Suite,
    /// The controller under test and the baselines.
    pub players: Players,
    /// Options of the check.
    pub options: Options,
    pub(super) grids: Vec<Planned>,
}

/// Looks up the stored numbers of a run. `None` if the run has not been made.
pub type Results<'a> = dyn Fn(Run) -> Option<Kept> + 'a;

/// The seeds and the variant with which a cell is run.
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
    /// The suite lacks a criterion of `only`, or a scenario is invalid with this controller.
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

    /// Returns the scenario of a run.
    ///
    /// # Errors
    ///
    /// The scenario is invalid with this controller.
    pub fn scenario(&self, run: Run) -> Result<Scenario, EvidenceError> {
        let mut scenario = self.grids[usize::from(run.grid)].scenario(run)?;
        scenario.seed = u64::from(run.seed);
        variant::apply(&mut scenario, run.variant);
        Ok(scenario)
    }

    /// Computes the numbers of a run that are stored.
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

    /// Returns the stored numbers of a run in which a controller could not continue: all are
    /// undefined.
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

    /// Returns the reason why the subject could not continue in any of the first runs. `None` if it
    /// could in at least one: otherwise nothing can be said about it.
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

    /// True if the program under test takes part in this run.
    pub fn is_of_program(&self, run: Run) -> bool {
        self.players.program && self.is_of_subject(run)
    }

    /// Describes a run.
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

    /// Describes the cell of a run.
    pub fn cell_label(&self, run: Run) -> String {
        self.grids[usize::from(run.grid)].label(usize::from(run.cell))
    }

    /// Describes the controllers of a run.
    pub fn pair_label(&self, run: Run) -> String {
        self.grids[usize::from(run.grid)].pair_label(run).to_owned()
    }

    /// Returns the part and the pair of a grid in which the subject runs, together with `beside` if
    /// there are such runs.
    pub fn place(&self, grid: usize, beside: Option<Who>) -> (u8, u8) {
        let subject = Some(self.players.as_played(Who::Subject));
        let beside = beside.map(|who| self.players.as_played(who));
        self.grids[grid].place(subject, beside).unwrap_or((0, 0))
    }

    /// Returns the number of first seeds of each cell.
    pub fn seeds(&self) -> u16 {
        let seeds = match (self.players.program, self.options.quick) {
            (true, true) => 1,
            (true, false) | (false, true) => 5,
            (false, false) => 10,
        };
        self.options.seeds.unwrap_or(seeds)
    }

    /// Returns a text that determines all runs of a check, except for the program under test.
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

    /// Returns the runs of a cell.
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

    /// Returns the variant for the runs of a pair. A program runs only on the kernel. Its baselines
    /// first run in the simulator, without the hosts' random delay, and on the kernel for cells
    /// that did not pass.
    fn variant(&self, look: Look, (this, other): (Option<Who>, Option<Who>)) -> Variant {
        match look {
            Look::Other(variant) => variant,
            Look::First | Look::Fresh if !self.players.program => Variant::Plain,
            Look::First if ![this, other].contains(&Some(Who::Subject)) => Variant::Prompt,
            Look::First | Look::Fresh => Variant::Kernel,
        }
    }

    /// Returns the reasons why a cell's runs on the kernel are invalid.
    pub(super) fn kernel_issues(&self, grid: usize, cell: usize, results: &Results) -> Vec<String> {
        let runs = self.runs(
            grid,
            cell,
            if self.players.program { Look::Fresh } else { Look::Other(Variant::Kernel) },
        );
        runs.into_iter().filter_map(results).flat_map(|kept| kept.issues).collect()
    }

    /// Returns the finding of a rule in a cell; `None` while runs are missing.
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

/// Returns the grid, without cells but with the reason if the subject cannot run in it. If a
/// baseline cannot run in it, that is an error.
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
