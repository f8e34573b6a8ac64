//! The runs of a check. They are done round by round, and stored on disk until the result is
//! complete.

use super::tested::{self, Tried};
use crate::campaign::Campaign;
use crate::error::Failure;
use crate::output;
use crate::request;
use crate::run_store::Origin;
use crate::runner::{pool, run_cells};
use crate::work::{Work, steps};
use narrows_evidence::check::{Check, CriterionVerdict, Kept, Report, Run, Variant};
use narrows_evidence::report::{Checked, Pages, course, write_check};
use narrows_live::Program;
use narrows_report::{Reserved, RunInfo};
use narrows_scenario::Scenario;
use narrows_scenario::paper::World;
use narrows_units::Span;
use rayon::prelude::*;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

/// A check and the description under which its runs are stored.
pub struct Job<'a> {
    check: &'a Check,
    origin: Origin,
    /// Command that repeats the check.
    pub remake: String,
    /// The tested program, or `None` for a controller.
    program: Option<&'a Program>,
}

/// The runs that are done.
pub struct Runs {
    kept: Campaign<Kept>,
    known: Mutex<BTreeMap<Run, Kept>>,
}

impl Runs {
    /// Returns the result of a run, or `None` if it is not done.
    pub fn get(&self, run: Run) -> Option<Kept> {
        self.lock().get(&run).cloned()
    }

    /// Returns the number of runs that are done.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// Returns all runs that are done.
    pub fn all(&self) -> Vec<(Run, Kept)> {
        self.lock().iter().map(|(run, kept)| (*run, kept.clone())).collect()
    }

    /// Converts an interruption to the failure that reports the stored runs.
    pub fn paused(&self, failure: Failure) -> Failure {
        self.kept.paused(failure, self.count() as u64)
    }

    /// Removes the stored runs, because the result directory has them.
    pub fn remove(self) -> Result<(), Failure> {
        self.kept.complete()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Run, Kept>> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl<'a> Job<'a> {
    /// Creates the job of a check.
    pub fn new(check: &'a Check, remake: String, program: Option<&'a Program>) -> Job<'a> {
        let origin = Origin::of(remake.clone(), check.identity(), Vec::new());
        Job { check, origin, remake, program }
    }

    /// Reserves the result directory: the directory from the command line, else one with stored
    /// runs of the same check, else the next free one.
    pub fn reserve(&self, output: &request::Output) -> Result<Reserved, Failure> {
        output::reserve_resumable(
            output,
            &format!("check {}", self.check.players.subject),
            &self.origin,
        )
    }

    /// Does all runs that are not stored yet: first those that every check has, then those that the
    /// results make necessary.
    pub fn make(&self, directory: &Path, output: &request::Output) -> Result<Runs, Failure> {
        let mut wanted = self.check.first();
        self.refuse_baselines(&wanted)?;
        let resume = output.console.same_command();
        let kept = Campaign::<Kept>::begin(directory, &self.origin, resume)?;
        let runs = Runs { kept, known: Mutex::new(BTreeMap::new()) };
        if !output.quiet && output.console.is_watched() {
            let left: Vec<Run> =
                wanted.iter().copied().filter(|run| !runs.kept.has(run.number())).collect();
            let before = match runs.kept.done() {
                0 => String::new(),
                1 => "1 run is kept from before; ".to_owned(),
                kept => format!("{kept} runs are kept from before; "),
            };
            output::tell(&format!("{before}{}", self.announced(&left)?));
        }
        while !wanted.is_empty() {
            let mut pending = Vec::new();
            for run in wanted {
                match runs.kept.has(run.number()) {
                    true => drop(runs.lock().insert(run, runs.kept.get(run.number())?)),
                    false => pending.push(run.number()),
                }
            }
            if let Err(failure) = self.round(&pending, &runs, output) {
                // An empty file of runs would only be in the way of the next command.
                if runs.count() == 0 && !matches!(failure, Failure::Paused { .. }) {
                    runs.remove()?;
                }
                return Err(failure);
            }
            if let Some(fault) = self.check.never_ran(&|run| runs.get(run)) {
                runs.remove()?;
                return Err(Failure::Other(fault));
            }
            wanted = self.check.further(&|run| runs.get(run));
        }
        Ok(runs)
    }

    /// Does the runs on the kernel, one after another. Returns a reason if nothing ran there: this
    /// host or the kernel cannot do the runs, or no criterion has a cell for it.
    pub fn on_kernel(
        &self,
        runs: &Runs,
        output: &request::Output,
    ) -> Result<Option<String>, Failure> {
        let mut pending = Vec::new();
        let wanted = self.check.on_kernel(&|run| runs.get(run));
        if wanted.is_empty() {
            let criteria = self.check.live_criteria().join(", ");
            return Ok(Some(format!(
                "only the worst judged cells of {criteria} run there, and this check judged none of them"
            )));
        }
        for run in wanted {
            match runs.kept.has(run.number()) {
                true => drop(runs.lock().insert(run, runs.kept.get(run.number())?)),
                false => pending.push(run.number()),
            }
        }
        match self.round(&pending, runs, output) {
            Err(Failure::Live(error)) => Ok(Some(error.to_string())),
            other => other.map(|()| None),
        }
    }

    /// Refuses baselines that this kernel does not have, before a program runs for hours. The
    /// baselines run on the kernel later, in the cells that the program does not pass.
    fn refuse_baselines(&self, wanted: &[Run]) -> Result<(), Failure> {
        if self.program.is_none() {
            return Ok(());
        }
        let mut seen = BTreeSet::new();
        for run in wanted.iter().filter(|run| !self.check.is_of_program(**run)) {
            if seen.insert(self.check.pair_label(*run)) {
                narrows_live::supports(
                    &self.check.scenario(Run { variant: Variant::Kernel, ..*run })?,
                )?;
            }
        }
        Ok(())
    }

    /// Describes the runs of the first round and how long they take.
    fn announced(&self, wanted: &[Run]) -> Result<String, Failure> {
        let all = wanted.len();
        if self.program.is_none() {
            let again = match self.check.suite.judges() {
                true => "; those of cells that do not pass, again with fresh seeds",
                false => "; this suite sets no bounds",
            };
            return Ok(format!("{all} runs{again}"));
        }
        let mut time = Span::ZERO;
        let of_program: Vec<&Run> =
            wanted.iter().filter(|run| self.check.is_of_program(**run)).collect();
        for run in &of_program {
            time += self.check.scenario(**run)?.duration;
        }
        let minutes = time.as_secs_f64() / 60.0;
        Ok(format!(
            "{} runs of the program on the kernel, {minutes:.0} minutes, and {} simulated; cells that do not pass, again with baselines on the kernel",
            of_program.len(),
            all - of_program.len()
        ))
    }

    fn round(&self, pending: &[u64], runs: &Runs, output: &request::Output) -> Result<(), Failure> {
        let all = runs.count() + pending.len();
        let scenario = |number: u64| -> Result<Scenario, Failure> {
            Ok(self.check.scenario(Run::of(number))?)
        };
        let (of_program, pending): (Vec<u64>, Vec<u64>) =
            pending.iter().partition(|number| self.check.is_of_program(Run::of(**number)));
        // Runs that differ only in their seed (the lower 16 bits) have the same cost.
        let mut work: BTreeMap<u64, Work> = BTreeMap::new();
        let alike = |number: u64| number >> 16;
        for number in &pending {
            if let Entry::Vacant(place) = work.entry(alike(*number)) {
                place.insert(Work::estimated(&scenario(*number)?));
            }
        }
        let keep = |number: u64, kept: Kept| -> Result<(), Failure> {
            runs.kept.keep(number, &kept)?;
            runs.lock().insert(Run::of(number), kept);
            Ok(())
        };
        let simulated = || {
            run_cells(
                &pending,
                |number| work[&alike(number)],
                |number| {
                    if Run::of(number).variant == Variant::Kernel {
                        World::Kernel
                    } else {
                        World::Simulator
                    }
                },
                scenario,
                |number, record| {
                    let run = Run::of(number);
                    keep(
                        number,
                        record.map_or_else(
                            |fault| self.check.keep_fault(run, fault),
                            |record| self.check.keep(run, &record),
                        ),
                    )
                },
                |number| self.check.describe(Run::of(number)),
                output,
            )
        };
        let ran = self.run_program(&of_program, runs, keep, output).and_then(|()| simulated());
        ran.map_err(|failure| runs.kept.paused(failure, all as u64))
    }

    /// Runs the program under test, one run after another.
    fn run_program(
        &self,
        pending: &[u64],
        runs: &Runs,
        keep: impl Fn(u64, Kept) -> Result<(), Failure>,
        output: &request::Output,
    ) -> Result<(), Failure> {
        let Some(program) = self.program.filter(|_| !pending.is_empty()) else { return Ok(()) };
        let scenarios = pending
            .iter()
            .map(|number| Ok(self.check.scenario(Run::of(*number))?))
            .collect::<Result<Vec<_>, Failure>>()?;
        let bar = output.console.progress(
            "running live",
            scenarios.iter().map(|scenario| steps(scenario.duration)).sum(),
            output.quiet,
        );
        let mut tried = runs.all().iter().any(|(run, _)| self.check.is_of_program(*run));
        for (number, scenario) in pending.iter().zip(&scenarios) {
            let run = Run::of(*number);
            bar.tell(format!(" {}", self.check.describe(run)));
            let Tried { record, troubles, hopeless } = tested::run(program, scenario, &bar)?;
            // A failure in the first run that would occur in every run ends the check.
            if let (true, Some(trouble)) = (hopeless && !tried, troubles.first()) {
                bar.end();
                return Err(Failure::Other(format!("{trouble} ({})", self.check.describe(run))));
            }
            tried = true;
            let mut kept = self.check.keep(run, &record);
            kept.issues.extend(troubles);
            keep(*number, kept)?;
        }
        bar.end();
        Ok(())
    }

    /// Draws the worst cell over time for each criterion that does not pass.
    pub fn courses(
        &self,
        report: &Report,
        output: &request::Output,
    ) -> Result<BTreeMap<String, String>, Failure> {
        let threads = pool(output)?;
        let stop = output.console.stop();
        let of = |own: &CriterionVerdict| -> Option<Result<(String, String), Failure>> {
            let drawn = course(self.check, own, stop).transpose()?;
            Some(drawn.map(|svg| (own.criterion.id.clone(), svg)).map_err(Failure::from))
        };
        let courses: Result<_, Failure> =
            threads.install(|| report.criteria.par_iter().filter_map(of).collect());
        if output.console.is_stopped() { Err(Failure::Interrupted) } else { courses }
    }

    /// Writes the result directory.
    pub fn write(
        &self,
        reserved: Reserved,
        checked: &Checked,
        report: &Report,
        runs: &Runs,
        pages: &Pages,
        info: &RunInfo,
    ) -> Result<(), Failure> {
        write_check(reserved, self.check, checked, report, &runs.all(), pages, info)
            .map_err(|error| Failure::Other(error.to_string()))
    }
}
