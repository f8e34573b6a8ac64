//! The work for one figure: its runs, their stored results, and the judgement.

use super::judge::judge;
use super::papers::Source;
use crate::error::Failure;
use crate::run_store::{Origin, RunStore};
use crate::work::Work;
use narrows_measure::{Emulation, Record};
use narrows_report::{DrawnPlot, FigureResult, KeptRun, Traced};
use narrows_scenario::Scenario;
use narrows_scenario::paper::{Asked, Drawn, Figure, Mode, Plan, Plot, World};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// A checked figure with all of its input.
pub struct Job<'a> {
    /// Index of the figure's paper.
    pub paper: usize,
    figure: &'a Figure,
    plan: &'a Plan,
    mode: Mode,
    source: &'a Source,
    asked: Vec<Asked>,
    origin: Origin,
    /// Cost of the runs of each cell.
    work: Vec<Work>,
}

impl<'a> Job<'a> {
    /// Reads the scenario of every cell, so that all errors show before the first run.
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
        let name = format!("{} {}{live}{quick}", source.paper.name, figure.name);
        let origin = Origin {
            controllers: Vec::new(),
            ..Origin::of(name, plan.identity(), source.inputs())
        };
        Ok(Job { paper, figure, plan, mode, source, asked: plan.asked(), origin, work })
    }

    /// Opens the stored runs in `folder`. The file name has a hash of the runs, of the input files
    /// and of the program's build, so that a change of any of these starts a new file.
    pub fn open(&self, folder: &Path) -> Result<RunStore<KeptRun>, Failure> {
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
        RunStore::open(
            folder.join(format!("{}{:016x}.runs", self.prefix(), hash.finish())),
            &self.origin,
        )
    }

    /// Removes all files of the figure in `folder`, also those of other builds and other texts.
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

    /// Returns the number of runs.
    pub fn runs(&self) -> u64 {
        self.plan.runs()
    }

    /// Returns where a run takes place: in the simulator or on the kernel.
    pub fn world(&self, run: u64) -> World {
        self.plan.world(run)
    }

    /// Returns the cost of a run.
    pub fn work(&self, run: u64) -> Work {
        self.work[run as usize / self.plan.seeds()]
    }

    /// Describes a run.
    pub fn describe(&self, run: u64) -> String {
        format!("{} of {}, {}", self.figure.name, self.source.paper.name, self.plan.describe(run))
    }

    /// Returns the scenario of a run.
    pub fn scenario(&self, run: u64) -> Result<Scenario, Failure> {
        Ok(self.plan.scenario(run, &|name| self.source.read(name))?)
    }

    /// Extracts the values, traces and validity issues of a run that are stored.
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

    /// Returns a message for each live run that is not valid.
    fn validity_issues(&self, runs: &[KeptRun]) -> Vec<String> {
        let issue = |(run, kept): (usize, &KeptRun)| {
            (!kept.validity_issues.is_empty()).then(|| {
                format!("{}: {}", self.plan.describe(run as u64), kept.validity_issues.join("; "))
            })
        };
        runs.iter().enumerate().filter_map(issue).collect()
    }

    /// Judges the figure by the stored runs.
    pub fn judged(&self, kept: &RunStore<KeptRun>) -> Result<FigureResult, Failure> {
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

/// Computes a value of a run.
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
