//! `narrows sweep`.

mod job;
mod part;

pub use job::Job;

use crate::error::Failure;
use crate::host::Console;
use crate::inputs::Files;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::request;
use narrows_report::{Column, Grid};
use narrows_scenario::{Changes, Sweep};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs the missing runs of a sweep or of one shard, and writes the result when all are done.
pub fn sweep(args: request::Sweep) -> Result<Outcome, Failure> {
    let started = Started::now();
    let job = match &args.resume {
        Some(directory) => Job::resumed(directory, &args.output.console)?,
        None => asked(&args, &args.output.console)?,
    };
    job.refuse_unknown(&args.shown.metric)?;
    if let Some(out) = args.output.out.as_deref()
        && job.is_complete_in(out)?
    {
        return job.tell_part(out, &args.output);
    }
    let reserved = job.reserve(&args.output, args.resume.as_deref())?;
    let directory = reserved.directory().to_owned();
    if job.origin().shard.is_some() {
        job.run_part(reserved, &args.output, &started)?;
        return job.tell_part(&directory, &args.output);
    }
    let grid = job.run(reserved, &args.output, &started)?;
    shown(&grid, &args.shown.metric, &directory, &args.output)
}

/// Creates the sweep that the arguments describe.
pub fn asked(args: &request::Sweep, console: &Console) -> Result<Job, Failure> {
    let Some(file) = &args.scenario else {
        return Err(Failure::Other(
            "give a scenario file, or --resume with a result directory".to_owned(),
        ));
    };
    args.on.refuse_two_networks()?;
    let changes =
        Changes { set: args.set.clone(), seeds: args.seeds, overrides: args.on.overrides() };
    let remake = |_: &BTreeMap<String, String>| "narrows sweep sweep.toml".to_owned();
    let job = Job::new(Sweep::load(file, &changes)?, Files::beside(file), remake, None, console)?;
    match args.shard {
        Some(shard) => job.only(shard),
        None => Ok(job),
    }
}

/// Shows the result of a sweep.
pub fn shown(
    grid: &Grid,
    wanted: &[Column],
    directory: &Path,
    output: &request::Output,
) -> Result<Outcome, Failure> {
    output::show(grid, wanted, directory, output)?;
    let missed = grid.notes.iter().any(|note| note.starts_with("missed"));
    Ok(if missed { Outcome::Missed } else { Outcome::Ok })
}
