//! A checked sweep: its runs, their stored results, and the result directory.

use crate::campaign::Campaign;
use crate::error::Failure;
use crate::host::Console;
use crate::inputs::{Files, of_controllers};
use crate::notes::unverified;
use crate::output::{self, Started};
use crate::pairs;
use crate::quote::quote;
use crate::request;
use crate::run::judge;
use crate::run_store::{self, Origin, RunStore};
use crate::runner::{in_cell, run_cells};
use crate::shard::{Shard, ShardOrder};
use crate::stored_controllers;
use crate::work::Work;
use narrows_measure::group_of;
use narrows_measure::metrics::{Metric, Summary};
use narrows_params::suggest;
use narrows_report::{Column, Grid, GridAxis, Lineup, Pairing, Reduced, Reserved, Scorecard};
use narrows_scenario::paper::World;
use narrows_scenario::{Axis, Changes, Expectation, Flow, Scenario, Sweep};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Maximum number of missed expectations in the report.
const MISSED: usize = 10;

/// A checked sweep with all of its input.
pub struct Job {
    pub(super) sweep: Sweep,
    pub(super) origin: Origin,
    /// The cells. Each is run once per seed.
    cells: Vec<Cell>,
    /// Flow groups and controllers of the cells with more than one group.
    parts: BTreeSet<String>,
    /// Numbers of the runs to do, in ascending order.
    pub(super) runs: Vec<u64>,
    /// Seed of the first run.
    seed: u64,
    /// Cache of the last scenario, with its cell number. The runs of a cell differ only in their
    /// seed.
    last: Mutex<Option<(u64, Scenario)>>,
}

/// Properties of a cell that are needed in addition to its scenario.
struct Cell {
    /// Estimated cost of each run.
    work: Work,
    expect: Vec<Expectation>,
}

impl Job {
    /// Reads the scenario of every cell, so that all errors show before the first run. `remake`
    /// returns the command that repeats the sweep in its result directory. Its argument maps the
    /// current file names to the names in that directory. `scorecard` is the lineup if the sweep is
    /// for a scorecard.
    pub fn new(
        sweep: Sweep,
        files: Files,
        remake: impl Fn(&BTreeMap<String, String>) -> String,
        scorecard: Option<Lineup>,
        console: &Console,
    ) -> Result<Job, Failure> {
        let (mut cells, mut parts, mut seed) = (Vec::new(), BTreeSet::new(), None);
        for run in 0..sweep.cells() {
            let first = run % sweep.seeds() == 0;
            if !first && sweep.seed(run).is_some() {
                continue;
            }
            console.go_on()?;
            let scenario = sweep.cell(run, &|name| files.read(name))?;
            seed = seed.or(Some(scenario.seed));
            if first {
                parts.extend(parts_of(&scenario));
                cells.push(Cell { work: Work::estimated(&scenario), expect: scenario.expect });
            }
        }
        let (mut inputs, names) = files.adopted();
        inputs.extend(of_controllers());
        let sweep = sweep.moved(&names)?;
        let scorecard =
            scorecard.map(|lineup| lineup.moved(|text| narrows_scenario::moved(text, &names)));
        let origin =
            Origin { scorecard, ..Origin::of(remake(&names), sweep.text().to_owned(), inputs) };
        let runs = (0..sweep.cells()).collect();
        Ok(Job {
            sweep,
            origin,
            cells,
            parts,
            runs,
            seed: seed.unwrap_or_default(),
            last: Mutex::new(None),
        })
    }

    /// Marks the cells as the pairs of these controllers. The result then has a matrix.
    pub fn of_pairs(mut self, controllers: Vec<String>) -> Job {
        self.origin.pairs = controllers;
        self
    }

    /// Restores the sweep with stored runs next to `directory`. The stored files get names in a
    /// folder of our own, because the file of runs may be from elsewhere.
    pub fn resumed(directory: &Path, console: &Console) -> Result<Job, Failure> {
        if directory.extension().is_some_and(|end| end == "partial") {
            let own = quote(&directory.with_extension("").display().to_string());
            return Err(Failure::Other(format!(
                "{} holds runs of a sweep that is not complete; narrows sweep --resume {own} goes on",
                directory.display()
            )));
        }
        if directory.join("SHA256SUMS").exists() {
            return Err(Failure::Other(format!(
                "{0} is already complete; narrows report {0} shows it",
                quote(&directory.display().to_string())
            )));
        }
        if directory.exists() {
            let told = format!(
                "{} is no result of a sweep; give the directory that the interrupted sweep has named",
                directory.display()
            );
            return Err(Failure::Other(told));
        }
        let partial = run_store::partial(directory);
        Job::of(run_store::read_origin(&partial)?, &partial, console)
    }

    /// Restores a sweep from the origin in a file of runs.
    pub fn of(kept: Origin, file: &Path, console: &Console) -> Result<Job, Failure> {
        let folder = stored_controllers::unpacked(&kept.controllers)?;
        let sweep = Sweep::parse(
            &kept.sweep,
            &folder.path().join("sweep.toml").display().to_string(),
            &Changes::default(),
        )?;
        let (files, scorecard) = (Files::kept(kept.inputs.clone()), kept.scorecard.clone());
        let job = Job::new(sweep, files, |_| kept.remake.clone(), scorecard, console)?
            .of_pairs(kept.pairs.clone());
        if let Some(name) = kept.other_controller(&job.origin) {
            return Err(Failure::Other(format!(
                "the runs in {} were made with another controller by the name \"{name}\"; give the one that has made them",
                file.display()
            )));
        }
        if job.origin.inputs != kept.inputs {
            return Err(Failure::Other(format!(
                "{} holds files that its sweep does not read, or under unexpected names; remove it to start over",
                file.display()
            )));
        }
        match kept.shard {
            Some(shard) => job.only(shard),
            None => Ok(job),
        }
    }

    /// Restricts the job to one shard of the sweep.
    pub fn only(mut self, shard: Shard) -> Result<Job, Failure> {
        self.runs = self.shard_order().runs(shard).map_err(Failure::Other)?;
        self.origin.shard = Some(shard);
        Ok(self)
    }

    /// Returns the description of the sweep that the runs belong to.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the order in which runs are assigned to shards.
    pub fn shard_order(&self) -> ShardOrder {
        ShardOrder::new(self.sweep.cells(), |run| self.work(run).total())
    }

    /// Returns an error if a metric names a flow group or controller that no cell has.
    pub fn refuse_unknown(&self, wanted: &[Column]) -> Result<(), Failure> {
        let unknown = wanted
            .iter()
            .find_map(|column| column.of.as_deref().filter(|of| !self.parts.contains(*of)));
        let Some(unknown) = unknown else { return Ok(()) };
        Err(Failure::Other(match self.parts.is_empty() {
            true => format!(
                "no cell has flows of two kinds, so none are told apart as \"{unknown}\"; leave out \" of {unknown}\""
            ),
            false => format!(
                "no group of flows and no controller is called \"{unknown}\"; {}",
                suggest(unknown, "flows and controllers", self.parts.iter().map(String::as_str))
            ),
        }))
    }

    /// Reserves the result directory: the directory from the command line, else one with stored
    /// runs of the same sweep, else the next free one.
    pub fn reserve(
        &self,
        output: &request::Output,
        resume: Option<&Path>,
    ) -> Result<Reserved, Failure> {
        if let Some(directory) = resume {
            return Ok(Reserved::new(directory)?);
        }
        let name = self.origin.shard.map_or_else(
            || self.sweep.name(),
            |shard| format!("shard {shard} {}", self.sweep.name()),
        );
        output::reserve_resumable(output, &name, &self.origin)
    }

    /// Runs everything that is not stored yet and writes the result directory.
    pub fn run(
        &self,
        reserved: Reserved,
        output: &request::Output,
        started: &Started,
    ) -> Result<Grid, Failure> {
        let kept = self.make(reserved.directory(), output)?;
        self.finish(reserved, kept, output, started)
    }

    /// Runs everything that is not stored yet.
    pub(super) fn make(
        &self,
        directory: &Path,
        output: &request::Output,
    ) -> Result<Campaign<Reduced>, Failure> {
        let resume = format!("narrows sweep --resume {}", quote(&directory.display().to_string()));
        let kept = Campaign::<Reduced>::begin(directory, &self.origin, resume)?;
        let pending: Vec<u64> = self.runs.iter().copied().filter(|run| !kept.has(*run)).collect();
        let ran = run_cells(
            &pending,
            |run| self.work(run),
            |_| World::Simulator,
            |run| self.scenario(run),
            |run, record| {
                kept.keep(
                    run,
                    &Reduced::of(
                        record.map_err(|fault| in_cell(&self.sweep.describe(run), &fault))?,
                    ),
                )
            },
            |run| self.sweep.describe(run),
            output,
        );
        kept.worked(ran, self.runs.len() as u64).map(|(kept, ())| kept)
    }

    /// Writes the result directory of a sweep after all runs are stored.
    pub fn finish(
        &self,
        reserved: Reserved,
        kept: Campaign<Reduced>,
        output: &request::Output,
        started: &Started,
    ) -> Result<Grid, Failure> {
        let grid = self.grid(&reserved, &kept, &output.console);
        let mut grid = grid.map_err(|failure| kept.paused(failure, self.runs.len() as u64))?;
        grid.notes = self.verdicts(&grid);
        grid.notes.extend(unverified::notes());
        let networks = self
            .origin
            .scorecard
            .iter()
            .flat_map(|lineup| &lineup.networks)
            .filter_map(|network| network.file.clone());
        let inputs = self.origin.inputs.iter().cloned().chain(networks).collect();
        narrows_report::write_grid(
            reserved,
            &grid,
            &self.origin.sweep,
            &started.info(inputs, &output.console),
        )?;
        kept.complete()?;
        Ok(grid)
    }

    /// Compares the metrics of each cell with the expectations of its scenario. Returns a line for
    /// each missed expectation (at most [`MISSED`]) and a line with the number of expectations that
    /// are met.
    fn verdicts(&self, grid: &Grid) -> Vec<String> {
        let (mut notes, mut met) = (Vec::new(), 0);
        for (cell, own) in self.cells.iter().enumerate() {
            for expectation in &own.expect {
                let verdict = judge(expectation, |metric| Summary::over(grid.values(cell, metric)));
                if verdict.met {
                    met += 1
                } else {
                    notes.push(format!("{} (cell {cell}: {})", verdict.text, grid.describe(cell)))
                }
            }
        }
        let (missed, more) = (notes.len(), notes.len().saturating_sub(MISSED));
        notes.truncate(MISSED);
        if more > 0 {
            notes.push(format!("missed: {more} more"));
        }
        if met > 0 {
            notes.push(format!("met: {met} of {} expectations", met + missed));
        }
        notes
    }

    /// Builds the grid from the stored runs. Reads each run once and writes its flows to their
    /// table on the way.
    fn grid(
        &self,
        reserved: &Reserved,
        kept: &RunStore<Reduced>,
        console: &Console,
    ) -> Result<Grid, Failure> {
        let (axes, seeds) = self.axes();
        let mut pairings = Vec::new();
        let reduced = (0..self.sweep.cells()).map(|run| {
            console.go_on()?;
            let reduced = kept.get(run)?;
            pairings.extend((!self.origin.pairs.is_empty()).then(|| Pairing::of(&reduced)));
            Ok::<_, Failure>(reduced)
        });
        let runs = narrows_report::write_flows(reserved, &axes, &seeds, reduced)?;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let mut grid =
            Grid::new(self.sweep.name(), self.origin.remake.clone(), version, (axes, seeds), runs);
        grid.matrix = pairs::of(&self.origin.pairs, &grid, &pairings);
        grid.scorecard = self.origin.scorecard.as_ref().map(|lineup| scorecard_of(lineup, &grid));
        Ok(grid)
    }

    /// Returns all axes except the seeds, and the seeds.
    pub(super) fn axes(&self) -> (Vec<GridAxis>, Vec<u64>) {
        let seeds = match self.sweep.axes().iter().find(|axis| axis.is_seed()) {
            Some(axis) => axis.values.iter().filter_map(|value| value.label.parse().ok()).collect(),
            None => vec![self.seed],
        };
        (self.sweep.axes().iter().filter(|axis| !axis.is_seed()).map(grid_axis).collect(), seeds)
    }

    fn work(&self, run: u64) -> Work {
        self.cells[self.cell(run)].work
    }

    /// Returns the index of the cell that a run belongs to.
    fn cell(&self, run: u64) -> usize {
        (run / self.sweep.seeds()) as usize
    }

    /// Returns the scenario of a run.
    fn scenario(&self, run: u64) -> Result<Scenario, Failure> {
        let Some(seed) = self.sweep.seed(run).filter(|_| self.sweep.seeds() > 1) else {
            return self.read(run);
        };
        let cell = run / self.sweep.seeds();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let own = match last.take() {
            Some((own, scenario)) if own == cell => scenario,
            _ => self.read(run)?,
        };
        let scenario = Scenario { seed, ..own.clone() };
        *last = Some((cell, own));
        Ok(scenario)
    }

    fn read(&self, run: u64) -> Result<Scenario, Failure> {
        let read = |name: &Path| {
            let input = self.origin.inputs.iter().find(|input| Path::new(&input.name) == name);
            input
                .map(|input| input.text.clone())
                .ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound))
        };
        Ok(self.sweep.cell(run, &read)?)
    }
}

/// Returns the flow groups of a scenario and their controllers. Empty if there is only one group.
fn parts_of(scenario: &Scenario) -> BTreeSet<String> {
    let own = |flow: &Flow| {
        (
            group_of(&flow.name).to_owned(),
            flow.controller.as_ref().map_or_else(String::new, |choice| choice.text().to_owned()),
        )
    };
    let groups: BTreeSet<(String, String)> = scenario.flows.iter().map(own).collect();
    let several = groups.len() > 1;
    groups
        .into_iter()
        .flat_map(|(name, controller)| [name, controller])
        .filter(|name| several && !name.is_empty())
        .collect()
}

/// Builds the scorecard of a complete grid. The first axis is the network, the last axis selects
/// the flows on it.
fn scorecard_of(lineup: &Lineup, grid: &Grid) -> Scorecard {
    let runs = lineup.runs().len();
    let values = |network: usize, run: usize, group: Option<&str>, metric: &Metric| match group {
        Some(group) => grid.values_of(network * runs + run, group, metric),
        None => grid.values(network * runs + run, metric),
    };
    Scorecard::of(lineup, (&grid.title, &grid.remake, &grid.version), &grid.seeds, &values)
}

fn grid_axis(axis: &Axis) -> GridAxis {
    let (unit, numbers) = axis
        .numbers()
        .map_or((String::new(), None), |(unit, numbers)| (unit.to_owned(), Some(numbers)));
    GridAxis {
        name: axis.name.clone(),
        labels: axis.values.iter().map(|value| value.label.clone()).collect(),
        unit,
        numbers,
    }
}
