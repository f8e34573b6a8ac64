//! Figures: a scenario with axes, plots and claims.

use super::asked::{Asked, Limits};
use super::claim::{self, Claim};
use super::plot::{self, Drawn, Plot};
use super::raw::{RawClaim, RawFile, RawQuick};
use super::select::Axes;
use super::worlds::{self, LIVE, World};
use crate::error::{Checked, Problem, ScenarioError};
use crate::sweep::{Axis, Mode, Sweep};
use crate::text::At;
use crate::{ReadFile, Scenario, syntax};
use std::path::Path as FilePath;

/// A figure of a paper.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name on the command line: the file name without `.toml`.
    pub name: String,
    /// Title of the figure.
    pub title: String,
    /// Place in the document.
    pub source: String,
    /// Set-up according to the document, and choices of this project.
    pub about: String,
    /// Rank among the figures of the paper.
    pub order: i64,
    /// Statements that the claims judge, by name.
    pub(super) named: Vec<At<String>>,
    plans: Plans,
    live: Option<Live>,
}

/// The plan of a figure, with its form for `--quick`.
#[derive(Clone, Debug)]
struct Plans {
    whole: Plan,
    /// Explanation of the scaling, and the scaled plan.
    quick: Option<(String, Plan)>,
}

/// The part of a figure for the kernel.
#[derive(Clone, Debug)]
struct Live {
    /// Differences from the simulator, and the reason why claims can be judged in spite of them.
    why: String,
    plans: Plans,
}

/// The runs of a figure, with plots and claims.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Runs in each world.
    pub sweep: Sweep,
    /// Plots, in the order of the file.
    pub plots: Vec<Plot>,
    /// Claims, in the order of the file.
    pub claims: Vec<Claim>,
    /// True if both the kernel and the simulator run every cell of the sweep.
    live: bool,
    /// Axes of the cells: the axis of worlds, if any, then the axes of the sweep except for seeds.
    axes: Vec<Axis>,
    limits: Limits,
}

impl Figure {
    /// Reads a figure file. Errors call it `file`; its name becomes the name of the figure.
    ///
    /// # Errors
    /// The tables of the figure are invalid, as they are or with `--quick`. [`Plan::check`] checks
    /// the cells.
    pub fn parse(text: &str, file: &str) -> Result<Figure, ScenarioError> {
        read(text, file).map_err(|problem| ScenarioError::new(*problem, file, text))
    }

    /// Returns the plan of a mode; `None` if the figure does not run on the kernel.
    pub fn plan(&self, mode: Mode) -> Option<&Plan> {
        let plans = self.plans(mode)?;
        Some(plans.quick.as_ref().filter(|_| mode.quick).map_or(&plans.whole, |(_, plan)| plan))
    }

    /// Returns the explanation of the scaling in a mode; `None` if nothing is scaled.
    pub fn scaled(&self, mode: Mode) -> Option<&str> {
        self.plans(mode)?.quick.as_ref().filter(|_| mode.quick).map(|(why, _)| why.as_str())
    }

    /// Explains the differences on the kernel, and why the claims can be judged in spite of them;
    /// `None` if the figure does not run there.
    pub fn on_kernel(&self) -> Option<&str> {
        self.live.as_ref().map(|live| live.why.as_str())
    }

    fn plans(&self, mode: Mode) -> Option<&Plans> {
        if mode.live { self.live.as_ref().map(|live| &live.plans) } else { Some(&self.plans) }
    }
}

fn read(text: &str, file: &str) -> Checked<Figure> {
    let raw: RawFile = syntax::read(text)?;
    if raw.claim.is_empty() {
        return Err(Problem::at(
            &raw.figure.span,
            "nothing is claimed of this figure",
            "add a [[claim]]",
        ));
    }
    let plans = Plans::read(&raw, text, file, raw.quick.as_ref(), false)?;
    let live = match &raw.live {
        Some(live) => {
            let help = "add why = \"...\": what is different on the kernel, and why the claims can be seen all the same";
            let why = said(live.value.why.as_ref())
                .ok_or_else(|| Problem::at(&live.span, "[live] has no why", help))?;
            Some(Live {
                why,
                plans: Plans::read(&raw, text, file, live.value.quick.as_ref(), true)?,
            })
        }
        None => None,
    };
    if let (None, Some(claim)) =
        (&live, raw.claim.iter().filter_map(|claim| claim.value.live.as_ref()).next())
    {
        return Err(Problem::at(
            &claim.span,
            "the figure does not run on the kernel",
            "add a table [live], or leave this out",
        ));
    }
    let name = FilePath::new(file)
        .file_stem()
        .map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let named = raw.claim.iter().filter_map(|claim| claim.value.statement.clone()).collect();
    let figure = raw.figure.value;
    Ok(Figure {
        name,
        named,
        title: figure.title,
        source: figure.source,
        about: figure.about,
        order: figure.order,
        plans,
        live,
    })
}

/// Returns a text that is not blank.
fn said(text: Option<&At<String>>) -> Option<String> {
    text.map(|text| text.value.clone()).filter(|text| !text.trim().is_empty())
}

impl Plans {
    /// Reads the plan, and the scaled plan if there is a table `quick`.
    fn read(
        raw: &RawFile,
        text: &str,
        file: &str,
        quick: Option<&At<RawQuick>>,
        live: bool,
    ) -> Checked<Plans> {
        let mode = Mode { live, quick: false };
        let whole = Plan::of(raw, Sweep::figure(text, file, mode)?, mode)?;
        let Some(table) = quick else { return Ok(Plans { whole, quick: None }) };
        let help = "add why = \"...\": what is scaled, and why the claims can be seen all the same";
        let why = said(table.value.why.as_ref())
            .ok_or_else(|| Problem::at(&table.span, "[quick] has no why", help))?;
        let mode = Mode { live, quick: true };
        let sweep = Sweep::figure(text, file, mode)?;
        if sweep.same_runs(&whole.sweep) {
            return Err(Problem::at(
                &table.span,
                "[quick] changes nothing",
                "leave it out, or give for example duration = \"10 s\"",
            ));
        }
        Ok(Plans { whole, quick: Some((why, Plan::of(raw, sweep, mode)?)) })
    }
}

impl Plan {
    fn of(raw: &RawFile, sweep: Sweep, mode: Mode) -> Checked<Plan> {
        let mut limits = Limits::default();
        let all: Vec<Axis> = mode
            .live
            .then(worlds::axis)
            .into_iter()
            .chain(telling(&sweep).iter().cloned())
            .collect();
        let axes = Axes { axes: &all, mode };
        // In a figure for the kernel, some claims are about the kernel alone, and others about the
        // simulator.
        let judged = |claim: &&At<RawClaim>| match claim::is_live_only(&claim.value) {
            true => mode.live || raw.live.is_none(),
            false => !mode.live || claim.value.live.is_some(),
        };
        let plots: Vec<Vec<Plot>> = raw
            .plot
            .iter()
            .map(|raw| plot::read(raw, axes, &mut limits))
            .collect::<Checked<_>>()?;
        let claims = raw
            .claim
            .iter()
            .filter(judged)
            .map(|raw| claim::read(raw, axes, &mut limits))
            .collect::<Checked<_>>()?;
        Ok(Plan { sweep, plots: plots.concat(), claims, live: mode.live, axes: all, limits })
    }

    /// Returns the axes of the cells: for a live figure the axis of worlds, then the axes of the
    /// sweep except for seeds.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns the number of cells, each of which is run once for each seed.
    pub fn cells(&self) -> usize {
        self.by_axes().cells()
    }

    fn by_axes(&self) -> Axes<'_> {
        Axes { axes: &self.axes, mode: Mode::default() }
    }

    /// Returns the number of runs: all runs of the sweep in each world.
    pub fn runs(&self) -> u64 {
        self.sweep.cells() * if self.live { LIVE.len() as u64 } else { 1 }
    }

    /// Returns the world of a run.
    pub fn world(&self, run: u64) -> World {
        if self.live { LIVE[(run / self.sweep.cells()) as usize] } else { World::Simulator }
    }

    /// Returns the simulator's cell that corresponds to a cell of the kernel.
    pub fn simulated(&self, cell: usize) -> Option<usize> {
        let sweep = self.cells() / LIVE.len();
        (self.live && cell < sweep).then_some(cell + sweep)
    }

    /// Returns the scenario of a run.
    ///
    /// # Errors
    /// The errors of [`Sweep::cell`].
    pub fn scenario(&self, run: u64, read: &ReadFile) -> Result<Scenario, ScenarioError> {
        self.sweep.cell(run % self.sweep.cells(), read)
    }

    /// Describes a run in words.
    pub fn describe(&self, run: u64) -> String {
        let cell = self.sweep.describe(run % self.sweep.cells());
        if self.live { format!("{cell}, world = \"{}\"", self.world(run).name()) } else { cell }
    }

    /// Returns the number of seeds of each cell. Run `cell * seeds + n` has seed number `n` of the
    /// cell.
    pub fn seeds(&self) -> usize {
        self.sweep.axes().iter().find(|axis| axis.is_seed()).map_or(1, |axis| axis.values.len())
    }

    /// Describes a cell by its labels on the axes with several values.
    pub fn label(&self, cell: usize) -> String {
        let axes = self.by_axes();
        let several: Vec<usize> =
            (0..axes.axes.len()).filter(|axis| axes.axes[*axis].values.len() > 1).collect();
        axes.label(cell, &several)
    }

    /// Returns every number that plots and claims use, each once.
    pub fn asked(&self) -> Vec<Asked> {
        let mut all: Vec<Asked> = Vec::new();
        let of_claims = self.claims.iter().flat_map(|claim| {
            std::iter::once(&claim.asked).chain(claim.than.iter().map(|than| &than.asked))
        });
        for asked in of_claims.chain(self.plots.iter().filter_map(Plot::asked)) {
            if !all.contains(asked) {
                all.push(asked.clone());
            }
        }
        all
    }

    /// Returns a text that identifies the stored results: the runs, the numbers that plots and
    /// claims use, and the traces. Words and bounds of claims are not part of it.
    pub fn identity(&self) -> String {
        let asked = self.asked().into_iter().map(|Asked { metric, window, flows, link }| {
            format!("{} {window:?} {flows:?} {link:?}\n", metric.name)
        });
        let traced = self.plots.iter().enumerate().filter_map(|(place, plot)| match &plot.drawn {
            Drawn::Trace { trace, panels, flows, link } => {
                Some(format!("{place} {trace:?} {panels:?} {flows:?} {link:?}\n"))
            }
            Drawn::Lines { .. } | Drawn::Cdf { .. } => None,
        });
        let worlds = self.live.then(|| format!("{:?}\n", self.axes[0].labels()));
        asked.chain(traced).chain(worlds).fold(self.sweep.runs() + "\n", |text, line| text + &line)
    }

    /// Checks every cell, and passes the scenarios to `each` in order.
    ///
    /// # Errors
    /// The first cell that is invalid: its scenario, a window that ends after the run, or a name
    /// without a flow or link.
    pub fn check(
        &self,
        read: &ReadFile,
        mut each: impl FnMut(Scenario),
    ) -> Result<(), ScenarioError> {
        for cell in 0..self.cells() {
            let scenario = self.scenario((cell * self.seeds()) as u64, read)?;
            self.limits.check(cell, &scenario).map_err(|problem| self.sweep.fail(*problem))?;
            each(scenario);
        }
        Ok(())
    }
}

/// Returns all axes except the axis of seeds, which is the last.
fn telling(sweep: &Sweep) -> &[Axis] {
    match sweep.axes() {
        [axes @ .., last] if last.is_seed() => axes,
        all => all,
    }
}
