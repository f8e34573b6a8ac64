//! A check that is made: its runs, what stands beside its verdicts, and the result.

use super::draft;
use super::job::{Job, paused};
use super::planned::{ABOUT, remake};
use super::tested::Tested;
use crate::attack::keep::{FILE as KEPT, Keep};
use crate::cli::{CheckArgs, SuiteArg};
use crate::error::Failure;
use crate::output::Started;
use crate::runner::pool;
use narrows_evidence::attack::{Replayed, Trial, TrialError};
use narrows_evidence::check::{Check, report};
use narrows_evidence::judge::Level;
use narrows_evidence::report::{
    Cases, Checked, Conformance, Pages, Statements, check_text, compared,
};
use rayon::prelude::*;
use std::path::PathBuf;

/// Shows a check that is made, and why nothing ran on the kernel.
pub type Show<'a> = dyn Fn(&Checked, Option<String>) -> Result<(), Failure> + 'a;

/// What a check is told beside its runs.
#[derive(Default)]
pub struct Beside<'a> {
    /// The statements of the authors.
    pub statements: Option<Statements>,
    /// The check of another version.
    pub before: Option<&'a Checked>,
}

/// Makes a check, shows it and writes the result; answers with the worst verdict and the result directory, too.
pub fn carried_out(
    args: &CheckArgs,
    check: &Check,
    tested: &Tested,
    beside: Beside<'_>,
    show: &Show,
) -> Result<(Checked, Option<Level>, PathBuf), Failure> {
    let started = Started::now();
    // Before anything runs for minutes.
    let keep = args.keep.as_deref().map(Keep::read_findings).transpose()?;
    let job = Job::new(check, remake(args, tested), tested.program());
    let reserved = job.reserve(&args.output)?;
    let runs = job.make(reserved.directory(), &args.output)?;
    let refused = if args.live && tested.program().is_none() {
        job.on_kernel(&runs, reserved.directory(), &args.output)?
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
    let stopped =
        |failure| paused(failure, &runs, runs.count(), reserved.directory(), &args.output);
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

/// What a check was made from, as `remake` names it.
fn inputs(checked: &Checked, keep: Option<&Keep>) -> Vec<(String, Vec<u8>)> {
    let stated = (!checked.statements.0.is_empty())
        .then(|| (ABOUT.to_owned(), checked.statements.toml().into_bytes()));
    stated.into_iter().chain(keep.map(|keep| (KEPT.to_owned(), keep.json().into_bytes()))).collect()
}

/// The draft's cases as part of the evidence on all criteria, of a controller that shows the states of BBR.
fn cases(args: &CheckArgs, tested: &Tested) -> Result<Option<Conformance>, Failure> {
    let controller = tested.controller().filter(|own| {
        args.suite == SuiteArg::Rfc9743 && args.only.is_empty() && draft::shows_states(own)
    });
    controller.map(|own| draft::conformance(own, &[], true, &args.output)).transpose()
}

/// Findings of searches, run again.
fn replayed(
    args: &CheckArgs,
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

/// Prints a check, and why nothing ran on the kernel.
pub fn shown(args: &CheckArgs, checked: &Checked, refused: Option<String>) -> Result<(), Failure> {
    let text = if args.output.json { checked.json() } else { check_text(checked) };
    args.output.console.print(&text)?;
    match refused {
        Some(refused) => {
            args.output.console.print(&format!("\nNot run on the kernel: {refused}\n"))
        }
        None => Ok(()),
    }
}
