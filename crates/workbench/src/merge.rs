//! `narrows merge`: the result of a sweep that ran in shards on several machines.

use crate::campaign::Campaign;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::Started;
use crate::program;
use crate::request;
use crate::run_store::Origin;
use crate::shard::Shard;
use crate::sweep::{Job, shown};
use narrows_report::{Part, Reduced};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Merges the runs of all parts and writes the result that a single machine would have written.
pub fn merge(args: request::Merge) -> Result<Outcome, Failure> {
    let started = Started::now();
    let parts = args
        .shards
        .iter()
        .map(|path| Ok(Part::open(path)?))
        .collect::<Result<Vec<Part>, Failure>>()?;
    let origins = parts.iter().map(origin).collect::<Result<Vec<Origin>, Failure>>()?;
    let own = Origin { shard: None, ..origins[0].clone() };
    refuse_foreign(&parts, &origins, &own)?;
    let job = Job::of(own, parts[0].path(), &args.output.console)?;
    let there = runs(&parts)?;
    refuse_missing(&job, &origins, &there)?;
    job.refuse_unknown(&args.shown.metric)?;
    let reserved = job.reserve(&args.output, None)?;
    let directory = reserved.directory().to_owned();
    let resume = args.output.console.same_command();
    let kept = Campaign::<Reduced>::begin(&directory, job.origin(), resume)?;
    for part in &parts {
        for run in part.runs() {
            let (run, text) = run?;
            if !kept.has(run) {
                kept.keep(run, &part.reduced(&text)?)?;
            }
        }
    }
    let grid = job.finish(reserved, kept, &args.output, &started)?;
    shown(&grid, &args.shown.metric, &directory, &args.output)
}

/// Reads the origin of the runs in a part.
fn origin(part: &Part) -> Result<Origin, Failure> {
    let other = |error| {
        Failure::Other(format!(
            "{} does not say of which sweep it is: {error}; make it again",
            part.path().display()
        ))
    };
    serde_json::from_str(part.heading()).map_err(other)
}

/// Refuses parts of another sweep than the first part, and parts from another build of the program.
fn refuse_foreign(parts: &[Part], origins: &[Origin], own: &Origin) -> Result<(), Failure> {
    let this = Origin { program: program::build(), ..own.clone() };
    for (part, origin) in parts.iter().zip(origins) {
        let path = part.path().display();
        if let Some(what) = origin.differs(own) {
            let first = parts[0].path().display();
            return Err(Failure::Other(format!(
                "the runs in {path} {what}, unlike those in {first}; merge shards of one sweep"
            )));
        }
        if let Some(what) = origin.differs(&this) {
            return Err(Failure::Other(format!(
                "the runs in {path} {what}; merge with the program that has made them"
            )));
        }
    }
    Ok(())
}

/// Returns the numbers of all runs in the parts. A run in two parts must be identical in both.
fn runs(parts: &[Part]) -> Result<BTreeSet<u64>, Failure> {
    // Each run with a hash of its stored text.
    let mut all: BTreeMap<u64, (u64, &Part)> = BTreeMap::new();
    for part in parts {
        for run in part.runs() {
            let (run, text) = run?;
            part.reduced(&text)?;
            let mut hash = DefaultHasher::new();
            text.hash(&mut hash);
            let hash = hash.finish();
            let (known, other) = *all.entry(run).or_insert((hash, part));
            if known != hash {
                let (one, two) = (other.path().display(), part.path().display());
                return Err(Failure::Other(format!(
                    "run {run} is in {one} and in {two}, and they differ; make both again on one machine"
                )));
            }
        }
    }
    Ok(all.into_keys().collect())
}

/// Maximum number of missing shards that the message names.
const NAMED: usize = 10;

fn refuse_missing(job: &Job, origins: &[Origin], there: &BTreeSet<u64>) -> Result<(), Failure> {
    let deal = job.shard_order();
    let places = deal.missing(|run| there.contains(&run));
    if places.is_empty() {
        return Ok(());
    }
    let divided = origins.iter().find_map(|origin| match origin.shard {
        Some(Shard::Of { all, .. }) => Some(all),
        _ => None,
    });
    // Shard numbers like 2/3 are clearer than places, if the parts have such numbers.
    let numbered = divided.map(|all| {
        let absent = |shard: &Shard| {
            deal.runs(*shard).is_ok_and(|runs| runs.iter().any(|run| !there.contains(run)))
        };
        (1..=all).map(|number| Shard::Of { number, all }).filter(absent).collect::<Vec<_>>()
    });
    let missing = numbered.unwrap_or(places);
    let mut names: Vec<String> = missing.iter().take(NAMED).map(Shard::to_string).collect();
    if missing.len() > NAMED {
        names.push(format!("{} more", missing.len() - NAMED));
    }
    let (shards, are) = if missing.len() == 1 { ("shard", "is") } else { ("shards", "are") };
    Err(Failure::Other(format!(
        "{shards} {} {are} missing; narrows sweep FILE --shard {} makes {}",
        names.join(", "),
        missing[0],
        if missing.len() == 1 { "it" } else { "the first of them" }
    )))
}
