//! Execution of a check: its runs, the additional parts of the report, and the result directory.

use super::draft;
use super::job::Job;
use super::planned::{ABOUT, remake};
use super::tested::Tested;
use crate::attack::keep::{FILE as KEPT, Keep};
use crate::error::Failure;
use crate::output::Started;
use crate::request;
use crate::runner::pool;
use narrows_control::Choice;
use narrows_evidence::attack::{Replayed, Trial, TrialError};
use narrows_evidence::check::{Check, report};
use narrows_evidence::judge::Level;
use narrows_evidence::report::{
    Cases, Checked, Conformance, Pages, Statements, check_text, compared,
};
use rayon::prelude::*;
use std::path::PathBuf;

/// Callback that shows a finished check, and the reason if nothing ran on the kernel.
pub type Show<'a> = dyn Fn(&Checked, Option<String>) -> Result<(), Failure> + 'a;

/// Additional input of a check.
#[derive(Default)]
pub struct Beside<'a> {
    /// Statements of the authors.
    pub statements: Option<Statements>,
    /// Check of another version, for a comparison.
    pub before: Option<&'a Checked>,
}

/// Runs a check, shows it and writes the result. Returns the finished check, its worst verdict and
/// the result directory.
pub fn carried_out(
    args: &request::Check,
    check: &Check,
    tested: &Tested,
    beside: Beside<'_>,
    show: &Show,
) -> Result<(Checked, Option<Level>, PathBuf), Failure> {
    let started = Started::now();
    // Read the findings before the runs, so that an error shows at once.
    let keep = args.keep.as_deref().map(Keep::read_findings).transpose()?;
    let job = Job::new(check, remake(args, tested), tested.program());
    let reserved = job.reserve(&args.output)?;
    let runs = job.make(reserved.directory(), &args.output)?;
    let refused = if args.live && tested.program().is_none() {
        job.on_kernel(&runs, &args.output)?
    } else {
        None
    };
    let report = report(check, &|run| runs.get(run));
    let checked = Checked::of(check, &report, env!("CARGO_PKG_VERSION"), &job.remake, runs.count());
    let checked = match beside.statements {
        Some(statements) => checked.stated(statements),
        None => checked,
    };
    let versions = beside
        .before
        .map(|before| compared(before, &checked))
        .transpose()
        .map_err(Failure::Other)?;
    let checked = Checked { versions, ..checked };
    let stopped = |failure| runs.paused(failure);
    let checked =
        Checked { findings: replayed(args, tested, keep.as_ref()).map_err(stopped)?, ..checked };
    let inputs = inputs(&checked, keep.as_ref());
    let pages = Pages {
        courses: job.courses(&report, &args.output).map_err(stopped)?,
        conformance: cases(args, tested).map_err(stopped)?,
        inputs,
    };
    let checked = Checked { conformance: pages.conformance.as_ref().map(Cases::from), ..checked };
    let unseen = refused
        .iter()
        .map(|reason| format!("How it does on the kernel, for which --live asked: {reason}."));
    let not_shown = checked.not_shown.iter().cloned().chain(unseen).collect();
    let checked = Checked { not_shown, ..checked };
    show(&checked, refused)?;
    let directory = reserved.directory().to_owned();
    let info = started.info(Vec::new(), &args.output.console);
    job.write(reserved, &checked, &report, &runs, &pages, &info)?;
    runs.remove()?;
    Ok((checked, report.worst(), directory))
}

/// Returns the input files of a check, under the names that `remake` uses.
fn inputs(checked: &Checked, keep: Option<&Keep>) -> Vec<(String, Vec<u8>)> {
    let stated = (!checked.statements.0.is_empty())
        .then(|| (ABOUT.to_owned(), checked.statements.toml().into_bytes()));
    stated.into_iter().chain(keep.map(|keep| (KEPT.to_owned(), keep.json().into_bytes()))).collect()
}

/// Runs the cases of the BBR draft as additional evidence. Only a check of all criteria has them,
/// and only for a controller that reports the states of BBR.
fn cases(args: &request::Check, tested: &Tested) -> Result<Option<Conformance>, Failure> {
    let controller = tested.controller().filter(|own| {
        args.suite == request::Suite::Rfc9743 && args.only.is_empty() && draft::shows_states(own)
    });
    let draft = |own: &Choice| {
        let args = request::Check {
            suite: request::Suite::BbrDraft,
            quick: true,
            output: args.output.clone(),
            ..request::Check::of(own.clone())
        };
        draft::conformance(&args, own)
    };
    controller.map(draft).transpose()
}

/// Repeats the stored findings of searches.
fn replayed(
    args: &request::Check,
    tested: &Tested,
    keep: Option<&Keep>,
) -> Result<Vec<Replayed>, Failure> {
    let Some((keep, controller)) = keep.zip(tested.controller()) else { return Ok(Vec::new()) };
    let threads = pool(&args.output)?;
    let bar = args.output.console.progress("replaying", keep.count() as u64, args.output.quiet);
    let replayed = keep.replay(controller.text(), &mut |aim, trials| {
        let one = |trial: &Trial| {
            aim.evaluate(trial, bar.stop()).map_err(|error| match error {
                TrialError::Stopped => Failure::Interrupted,
                other => {
                    Failure::Other(format!("on a network of {}: {other}", trial.genome.says()))
                }
            })
        };
        let scores = threads.install(|| trials.par_iter().map(one).collect());
        bar.inc(1);
        scores
    });
    bar.end();
    replayed
}

/// Prints a check, and the reason if nothing ran on the kernel.
pub fn shown(
    args: &request::Check,
    checked: &Checked,
    refused: Option<String>,
) -> Result<(), Failure> {
    let text = if args.output.json { checked.json() } else { check_text(checked) };
    args.output.console.print(&text)?;
    match refused {
        Some(refused) => {
            args.output.console.print(&format!("\nNot run on the kernel: {refused}\n"))
        }
        None => Ok(()),
    }
}
