//! `narrows reproduce`: repetition and judgement of published results.

mod job;
mod judge;
pub mod papers;

use crate::error::Failure;
use crate::interruption::keeps;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::request;
use crate::run_store::{RunStore, partial};
use crate::runner::{in_cell, run_cells};
use job::Job;
use narrows_report::{
    FigureResult, JudgedStatement, KeptRun, PaperResult, Reproduction, Reserved, reproduction_json,
    reproduction_table,
};
use narrows_scenario::paper::{Mode, Paper, Standing, Statement};
use papers::Source;
use std::path::{Path, PathBuf};

/// Runs the figures of papers and reports which of their claims hold.
pub fn reproduce(args: request::Reproduce) -> Result<Outcome, Failure> {
    if args.live {
        crate::live::acquire(&args.output.console)?;
    }
    let show = |reproduction: &Reproduction| {
        let json = args.output.json;
        args.output.console.print(&if json {
            reproduction_json(reproduction)
        } else {
            reproduction_table(reproduction)
        })
    };
    let (reproduction, directory) = made(&args, reserve(&args)?, show)?;
    output::point_to(&directory, &args.output)?;
    Ok(if reproduction.as_expected() { Outcome::Ok } else { Outcome::Missed })
}

/// Runs and judges the figures, shows the result and writes it into the reserved directory. Also
/// returns this directory.
pub fn made(
    args: &request::Reproduce,
    reserved: Reserved,
    show: impl FnOnce(&Reproduction) -> Result<(), Failure>,
) -> Result<(Reproduction, PathBuf), Failure> {
    let started = Started::now();
    let sources = papers::chosen(&args.papers)?;
    let jobs = jobs(&sources, args)?;
    let directory = reserved.directory().to_owned();
    let kept =
        jobs.iter().map(|job| job.open(&partial(&directory))).collect::<Result<Vec<_>, _>>()?;
    keeps(&partial(&directory));
    if let Err(failure) = run(&jobs, &kept, &directory, &args.output) {
        if !matches!(failure, Failure::Paused { .. }) {
            kept.into_iter().for_each(RunStore::remove_if_empty);
            // This removes the directory only if it is empty.
            let _ = std::fs::remove_dir(partial(&directory));
        }
        return Err(failure);
    }
    let reproduction = judged(&sources, &jobs, &kept, args)?;
    let printed = show(&reproduction);
    narrows_report::write_reproduction(
        reserved,
        &reproduction,
        &started.info(Vec::new(), &args.output.console),
    )?;
    drop(kept);
    clear(&jobs, &partial(&directory));
    printed?;
    Ok((reproduction, directory))
}

/// Checks and returns the figures that the arguments select.
fn jobs<'a>(sources: &'a [Source], args: &request::Reproduce) -> Result<Vec<Job<'a>>, Failure> {
    let mode = Mode { live: args.live, quick: args.quick };
    let (figures, experiments) = (!args.why, args.why || !args.figure.is_empty());
    let of = |source: &'a Source| {
        let Paper { figures: own, experiments: deciding, .. } = &source.paper;
        let all =
            own.iter().filter(move |_| figures).chain(deciding.iter().filter(move |_| experiments));
        all.filter_map(move |figure| Some((figure, figure.plan(mode)?)))
    };
    let figures = || sources.iter().flat_map(of);
    if let Some(unknown) =
        args.figure.iter().find(|name| figures().all(|(figure, _)| figure.name != **name))
    {
        let known: Vec<&str> = figures().map(|(figure, _)| figure.name.as_str()).collect();
        return Err(Failure::Other(format!(
            "there is no figure \"{unknown}\"; known figures: {}",
            known.join(", ")
        )));
    }
    let mut jobs = Vec::new();
    for (paper, source) in sources.iter().enumerate() {
        for (figure, plan) in of(source)
            .filter(|(figure, _)| args.figure.is_empty() || args.figure.contains(&figure.name))
        {
            args.output.console.go_on()?;
            jobs.push(Job::new(paper, source, figure, plan, mode)?);
        }
    }
    if jobs.is_empty() {
        let (what, remedy) = match (args.live, args.why) {
            (true, _) => ("no figures on the kernel", "leave --live out to simulate them"),
            (_, true) => ("no experiments to run", "leave --why out to run the figures"),
            _ => ("no figures to run", "name another paper (narrows list papers), or add --live"),
        };
        return Err(Failure::Other(format!("there are {what}; {remedy}")));
    }
    Ok(jobs)
}

/// Reserves the result directory: the directory from the command line, else the next free one. Runs
/// that are stored next to it are reused if they belong to the same figures.
pub fn reserve(args: &request::Reproduce) -> Result<Reserved, Failure> {
    let live = if args.live { "-live" } else { "" };
    output::reserve(
        &args.output,
        &format!("reproduction{live}{}", if args.quick { "-quick" } else { "" }),
    )
}

/// Removes the stored runs of these figures, because the result directory has them. Runs of other
/// figures stay. A file that cannot be removed does no harm.
fn clear(jobs: &[Job], folder: &Path) {
    let _ = jobs.iter().try_for_each(|job| job.clear(folder));
    let _ = std::fs::remove_dir(folder);
}

/// Runs everything that is not stored yet, the largest runs first.
fn run(
    jobs: &[Job],
    kept: &[RunStore<KeptRun>],
    directory: &Path,
    output: &request::Output,
) -> Result<(), Failure> {
    let all: Vec<(usize, u64)> = jobs
        .iter()
        .enumerate()
        .flat_map(|(job, own)| (0..own.runs()).map(move |run| (job, run)))
        .collect();
    let mut pending: Vec<u64> = (0..all.len() as u64)
        .filter(|place| !kept[all[*place as usize].0].has(all[*place as usize].1))
        .collect();
    let of = |place: u64| {
        (&jobs[all[place as usize].0], &kept[all[place as usize].0], all[place as usize].1)
    };
    let work = |place: u64| of(place).0.work(of(place).2);
    pending.sort_by_key(|place| std::cmp::Reverse(work(*place).total()));
    let ran = run_cells(
        &pending,
        work,
        |place| of(place).0.world(of(place).2),
        |place| of(place).0.scenario(of(place).2),
        |place, record| {
            let (job, kept, run) = of(place);
            let record = record.map_err(|fault| in_cell(&job.describe(run), &fault))?;
            kept.keep(run, &job.keep(run, &record))
        },
        |place| of(place).0.describe(of(place).2),
        output,
    );
    match ran {
        Err(Failure::Interrupted) => Err(Failure::Paused {
            done: kept.iter().map(RunStore::done).sum(),
            all: all.len() as u64,
            file: partial(directory).display().to_string(),
            resume: "the same command".to_owned(),
        }),
        other => other,
    }
}

fn judged(
    sources: &[Source],
    jobs: &[Job],
    kept: &[RunStore<KeptRun>],
    args: &request::Reproduce,
) -> Result<Reproduction, Failure> {
    let mut papers: Vec<PaperResult> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let of_paper = jobs.iter().zip(kept).filter(|(job, _)| job.paper == index);
        let figures: Vec<FigureResult> =
            of_paper.map(|(job, kept)| job.judged(kept)).collect::<Result<_, _>>()?;
        if !figures.is_empty() {
            let paper = &source.paper;
            let statements = stated(paper, &figures, args);
            papers.push(PaperResult {
                name: paper.name.clone(),
                title: paper.title.clone(),
                authors: paper.authors.clone(),
                published: paper.published.clone(),
                about: paper.about.clone(),
                figures,
                statements,
            });
        }
    }
    Ok(Reproduction {
        remake: request::remake("reproduce", args, &[]),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        quick: args.quick,
        papers,
    })
}

/// Judges the statements of a paper by these figures. If only some figures are selected, leaves out
/// the statements that they do not judge.
fn stated(
    paper: &Paper,
    figures: &[FigureResult],
    args: &request::Reproduce,
) -> Vec<JudgedStatement> {
    let judge = |statement: &Statement| {
        let claims = figures.iter().flat_map(|figure| &figure.claims);
        let own = claims.filter(|judged| judged.claim.statement.as_ref() == Some(&statement.name));
        let standing = Standing::of(own.map(|judged| judged.verdict().holds()));
        JudgedStatement { statement: statement.clone(), standing }
    };
    let whole = args.figure.is_empty() && !args.live && !args.why;
    let unasked = |judged: &JudgedStatement| {
        judged.standing == Standing::NotJudged
            && !(whole && paper.standing(&judged.statement.name) == Standing::NotJudged)
    };
    paper.statements.iter().map(judge).filter(|judged| !unasked(judged)).collect()
}
