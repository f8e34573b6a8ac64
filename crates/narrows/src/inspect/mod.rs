//! `narrows inspect`: a BPF controller before it runs.

mod found;
mod json;
mod text;

use crate::cli::InspectArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use found::{Found, Verifier};

/// Says what a program is, names and needs, and everything for which it cannot be taken.
pub fn inspect(args: InspectArgs) -> Result<Outcome, Failure> {
    let (mut found, object) = Found::read(&args.file)?;
    if args.kernel {
        found.verifier = Some(Verifier::ask(found.name(), &object)?);
    }
    output::print(&if args.json { json::json(&found) } else { text::text(&found) })?;
    let refused = found.verifier.as_ref().is_some_and(|verifier| verifier.refused.is_some());
    match (found.problems.len(), refused) {
        (0, false) => Ok(Outcome::Ok),
        (0, true) => Err(Failure::Other(format!("{}: the kernel does not take it; its words are above", args.file))),
        (1, _) => Err(Failure::Other(format!("{}: it cannot run, for the problem above", args.file))),
        (count, _) => Err(Failure::Other(format!("{}: it cannot run, for the {count} problems above", args.file))),
    }
}
