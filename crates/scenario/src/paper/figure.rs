//! A figure: its scenario with axes, its plots, its claims.

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
    /// What commands call it: its file without `.toml`.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Where it stands in the document.
    pub source: String,
    /// What the document says of the set-up, and what is ours.
    pub about: String,
    /// Its place among the figures of its paper.
    pub order: i64,
    /// The names of statements that its claims judge.
    pub(super) named: Vec<At<String>>,
    plans: Plans,
    live: Option<Live>,
}

/// What is run of a figure, and what `--quick` makes of it.
#[derive(Clone, Debug)]
struct Plans {
    whole: Plan,
    /// What is scaled and why that is fair, and what is run then.
    quick: Option<(String, Plan)>,
}

/// A figure on the kernel.
#[derive(Clone, Debug)]
struct Live {
    /// What is different there, and why the claims can be seen all the same.
    why: String,
    plans: Plans,
}

/// What is run of a figure, and what is drawn and judged of it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its runs.
    pub sweep: Sweep,
    /// Its plots, in the order of the file.
    pub plots: Vec<Plot>,
    /// Its claims, in the order of the file.
    pub claims: Vec<Claim>,
    /// The kernel runs every cell of the sweep, and the simulator too.
    live: bool,
    /// The axes of the cells: that of the worlds, then those of the sweep but for the seeds.
    axes: Vec<Axis>,
    limits: Limits,
}

impl Figure {
    /// Reads a figure file; `file` is what errors call it, and its name is the figure's.
    ///
    /// # Errors
    /// What is wrong with the tables of the figure, as it is and with `--quick`; cells are checked by [`Plan::check`].
    pub fn parse(text: &str, file: &str) -> Result<Figure, ScenarioError> {
        read(text, file).map_err(|problem| ScenarioError::new(*problem, file, text))
    }

    /// What is run in a mode; `None` of a figure that does not run on the kernel.
    pub fn plan(&self, mode: Mode) -> Option<&Plan> {
        let plans = self.plans(mode)?;
        Some(plans.quick.as_ref().filter(|_| mode.quick).map_or(&plans.whole, |(_, plan)| plan))
    }

    /// What is scaled in a mode, and why that is fair; `None` if nothing is.
    pub fn scaled(&self, mode: Mode) -> Option<&str> {
        self.plans(mode)?.quick.as_ref().filter(|_| mode.quick).map(|(why, _)| why.as_str())
    }

    /// What is different on the kernel, and why the claims can be seen all the same; `None` of a figure that does not run there.
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

/// A text that says something.
fn said(text: Option<&At<String>>) -> Option<String> {
    text.map(|text| text.value.clone()).filter(|text| !text.trim().is_empty())
}

impl Plans {
    /// What is run, and with `quick` what is run then.
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
        // Of a figure that runs on the kernel, some claims are about the kernel alone, and some about the simulator.
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

    /// The axes of the cells: on the kernel that of the worlds, and those of the sweep but for the seeds.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many cells there are, each run once for each seed.
    pub fn cells(&self) -> usize {
        self.by_axes().cells()
    }

    fn by_axes(&self) -> Axes<'_> {
        Axes { axes: &self.axes, mode: Mode::default() }
    }

    /// How many runs there are: in each world all of the sweep.
    pub fn runs(&self) -> u64 {
        self.sweep.cells() * if self.live { LIVE.len() as u64 } else { 1 }
    }

    /// The world of a run.
    pub fn world(&self, run: u64) -> World {
        if self.live { LIVE[(run / self.sweep.cells()) as usize] } else { World::Simulator }
    }

    /// Of a cell that the kernel runs, the one that the simulator runs.
    pub fn simulated(&self, cell: usize) -> Option<usize> {
        let sweep = self.cells() / LIVE.len();
        (self.live && cell < sweep).then_some(cell + sweep)
    }

    /// The scenario of a run.
    ///
    /// # Errors
    /// As [`Sweep::cell`].
    pub fn scenario(&self, run: u64, read: &ReadFile) -> Result<Scenario, ScenarioError> {
        self.sweep.cell(run % self.sweep.cells(), read)
    }

    /// A run in words.
    pub fn describe(&self, run: u64) -> String {
        let cell = self.sweep.describe(run % self.sweep.cells());
        if self.live { format!("{cell}, world = \"{}\"", self.world(run).name()) } else { cell }
    }

    /// How many seeds each cell is run with: run `cell * seeds + n` is that of the n-th.
    pub fn seeds(&self) -> usize {
        self.sweep.axes().iter().find(|axis| axis.is_seed()).map_or(1, |axis| axis.values.len())
    }

    /// A cell in words: its labels on the axes that have several.
    pub fn label(&self, cell: usize) -> String {
        let axes = self.by_axes();
        let several: Vec<usize> =
            (0..axes.axes.len()).filter(|axis| axes.axes[*axis].values.len() > 1).collect();
        axes.label(cell, &several)
    }

    /// Every number that plots and claims ask for, each once.
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

    /// All that what is kept of its runs follows from: the runs, what is asked of them and what is drawn over their time. Words and bounds
    /// of claims are not among it.
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

    /// Checks every cell, and gives their scenarios to `each` in order.
    ///
    /// # Errors
    /// What is wrong with the first cell that is wrong; a window that ends after the run does, or a name that no flow or link of it has.
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

/// All axes but that of the seeds, which is the last.
fn telling(sweep: &Sweep) -> &[Axis] {
    match sweep.axes() {
        [axes @ .., last] if last.is_seed() => axes,
        all => all,
    }
}
