//! One figure on its way: its runs, what is kept of them, what they show.

use super::judge::judge;
use super::papers::Source;
use crate::cells::{self, Cells, Origin};
use crate::error::Failure;
use crate::work::Work;
use narrows_measure::{Emulation, Record};
use narrows_report::{DrawnPlot, FigureResult, KeptRun, Traced};
use narrows_scenario::Scenario;
use narrows_scenario::paper::{Asked, Drawn, Figure, Mode, Plan, Plot, World};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// A figure that has been checked, and all that it needs.
pub struct Job<'a> {
    /// Which of the papers it belongs to.
    pub paper: usize,
    figure: &'a Figure,
    plan: &'a Plan,
    mode: Mode,
    source: &'a Source,
    asked: Vec<Asked>,
    origin: Origin,
    /// Of each cell.
    work: Vec<Work>,
}

impl<'a> Job<'a> {
    /// Checks every cell.
    pub fn new(
        paper: usize,
        source: &'a Source,
        figure: &'a Figure,
        plan: &'a Plan,
        mode: Mode,
    ) -> Result<Job<'a>, Failure> {
        let mut work = Vec::new();
        plan.check(&|name| source.read(name), |scenario| work.push(Work::estimated(&scenario)))?;
        let live = if mode.live { " --live" } else { "" };
        let quick = if figure.scaled(mode).is_some() { " --quick" } else { "" };
        let origin = Origin {
            program: cells::program(),
            remake: format!("{} {}{live}{quick}", source.paper.name, figure.name),
            sweep: plan.identity(),
            inputs: source.inputs(),
            controllers: Vec::new(),
            scorecard: None,
            pairs: Vec::new(),
            shard: None,
        };
        Ok(Job { paper, figure, plan, mode, source, asked: plan.asked(), origin, work })
    }

    /// The runs that are kept in `folder`. Those of other runs, other files beside it or another build of the program have another name.
    pub fn open(&self, folder: &Path) -> Result<Cells<KeptRun>, Failure> {
        let mut hash = DefaultHasher::new();
        let Origin {
            program,
            remake,
            sweep,
            inputs,
            controllers: _,
            scorecard: _,
            pairs: _,
            shard: _,
        } = &self.origin;
        (program, remake, sweep).hash(&mut hash);
        inputs.iter().for_each(|input| (&input.name, &input.text).hash(&mut hash));
        Cells::open(
            folder.join(format!("{}{:016x}.runs", self.prefix(), hash.finish())),
            &self.origin,
        )
    }

    /// Removes what is kept in `folder` of the figure, also by another build and of another text.
    pub fn clear(&self, folder: &Path) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let hash = name
                .to_str()
                .and_then(|name| name.strip_prefix(&self.prefix())?.strip_suffix(".runs"));
            if hash.is_some_and(|hash| {
                hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
            }) {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn prefix(&self) -> String {
        format!("{}-{}-", self.source.paper.name, self.figure.name.replace('/', "-"))
    }

    /// How many runs it has.
    pub fn runs(&self) -> u64 {
        self.plan.runs()
    }

    /// What runs it.
    pub fn world(&self, run: u64) -> World {
        self.plan.world(run)
    }

    /// How much a run is.
    pub fn work(&self, run: u64) -> Work {
        self.work[run as usize / self.plan.seeds()]
    }

    /// A run in words.
    pub fn describe(&self, run: u64) -> String {
        format!("{} of {}, {}", self.figure.name, self.source.paper.name, self.plan.describe(run))
    }

    /// The scenario of a run.
    pub fn scenario(&self, run: u64) -> Result<Scenario, Failure> {
        Ok(self.plan.scenario(run, &|name| self.source.read(name))?)
    }

    /// What is kept of a run.
    pub fn keep(&self, run: u64, record: &Record) -> KeptRun {
        let (cell, seed) = ((run as usize) / self.plan.seeds(), (run as usize) % self.plan.seeds());
        let traces =
            self.plan.plots.iter().enumerate().filter_map(|(place, plot)| match &plot.drawn {
                Drawn::Trace { trace, panels, flows, link }
                    if seed == 0 && panels.iter().any(|(_, own)| *own == cell) =>
                {
                    Some((place, Traced::of(record, *trace, flows, link.as_deref())))
                }
                _ => None,
            });
        let validity_issues =
            record.emulation.as_ref().map(Emulation::validity_issues).unwrap_or_default();
        KeptRun {
            values: self.asked.iter().map(|asked| value(asked, record)).collect(),
            traces: traces.collect(),
            validity_issues,
        }
    }

    /// Which runs say more of the machine than of the kernel, and why.
    fn validity_issues(&self, runs: &[KeptRun]) -> Vec<String> {
        let issue = |(run, kept): (usize, &KeptRun)| {
            (!kept.validity_issues.is_empty()).then(|| {
                format!("{}: {}", self.plan.describe(run as u64), kept.validity_issues.join("; "))
            })
        };
        runs.iter().enumerate().filter_map(issue).collect()
    }

    /// What the runs show.
    pub fn judged(&self, kept: &Cells<KeptRun>) -> Result<FigureResult, Failure> {
        let runs = (0..self.runs()).map(|run| kept.get(run)).collect::<Result<Vec<_>, _>>()?;
        let seeds = self.plan.seeds();
        let values = |cell: usize, asked: &Asked| -> Vec<Option<f64>> {
            let index = self
                .asked
                .iter()
                .position(|own| own == asked)
                .expect("everything that is asked for was kept");
            runs[cell * seeds..][..seeds].iter().map(|run| run.values[index]).collect()
        };
        let traced = |plot: usize, cell: usize| -> Vec<Traced> {
            let kept = runs[cell * seeds].traces.iter().find(|(own, _)| *own == plot);
            kept.map_or_else(Vec::new, |(_, lines)| lines.clone())
        };
        let draw = |(place, plot): (usize, &Plot)| {
            DrawnPlot::of(plot, &values, &|cell| traced(place, cell))
        };
        let plots = self.plan.plots.iter().enumerate().map(draw).collect();
        let claims = self
            .plan
            .claims
            .iter()
            .map(|claim| {
                judge(claim, &values, &|cell| self.plan.label(cell), &|cell| {
                    self.plan.simulated(cell)
                })
            })
            .collect();
        let on_kernel = self.figure.on_kernel().filter(|_| self.mode.live);
        Ok(FigureResult {
            name: self.figure.name.clone(),
            title: self.figure.title.clone() + if self.mode.live { ", on the kernel" } else { "" },
            source: self.figure.source.clone(),
            about: std::iter::once(self.figure.about.as_str())
                .chain(on_kernel)
                .collect::<Vec<_>>()
                .join("\n"),
            scaled: self.figure.scaled(self.mode).map(str::to_owned),
            validity_issues: self.validity_issues(&runs),
            claims,
            plots,
        })
    }
}

/// A number of a run.
fn value(asked: &Asked, record: &Record) -> Option<f64> {
    let part = asked.window.map(|(from, to)| record.between(from, to));
    let record = part.as_ref().unwrap_or(record);
    let names: Vec<&str> = asked.flows.iter().map(String::as_str).collect();
    let chosen = (!names.is_empty()).then(|| record.only(&names));
    let record = chosen.as_ref().unwrap_or(record);
    let at = asked.link.as_ref().map(|link| record.at_link(link));
    (asked.metric.compute)(at.as_ref().unwrap_or(record)).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::papers;
    use super::*;
    use narrows_scenario::paper::{Claim, Standing};

    #[test]
    fn what_does_not_hold_of_a_document_has_an_experiment_that_decides_why() {
        for Source { paper, .. } in papers::built_in().unwrap_or_else(|error| panic!("{error}")) {
            for statement in &paper.statements {
                let missed =
                    matches!(paper.standing(&statement.name), Standing::InPart | Standing::NotHeld);
                assert!(
                    !missed || statement.experiment.is_some(),
                    "{} of {}",
                    statement.name,
                    paper.name
                );
            }
            let judged = |claim: &Claim| claim.statement.is_some();
            let all = paper.experiments.iter().filter_map(|figure| figure.plan(Mode::default()));
            assert!(
                !all.flat_map(|plan| &plan.claims).any(judged),
                "an experiment of {} is ours, not the document's",
                paper.name
            );
        }
    }

    #[test]
    fn every_figure_of_every_paper_can_be_run() {
        let sources = papers::built_in().unwrap_or_else(|error| panic!("{error}"));
        for source in &sources {
            for figure in source.paper.figures.iter().chain(&source.paper.experiments) {
                for (live, quick) in [(false, false), (false, true), (true, false), (true, true)] {
                    let mode = Mode { live, quick };
                    let Some(plan) = figure.plan(mode) else { continue };
                    let job = Job::new(0, source, figure, plan, mode).unwrap_or_else(|failure| {
                        failure.print();
                        panic!("{} of {}, {mode:?}", figure.name, source.paper.name)
                    });
                    assert!(job.runs() > 0);
                }
            }
        }
    }
}
