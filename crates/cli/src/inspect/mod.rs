//! `narrows inspect`: inspection of a controller from a file before it runs.

mod found;
mod json;
mod text;

use crate::cli::InspectArgs;
use crate::kernel::kept_log;
use crate::terminal;
use found::{Found, Verifier};
use narrows_bpf::ForKernel;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::policies::{self, LearnedPolicy};

/// Reports the properties and needs of a program, and all problems that prevent it from running.
pub fn inspect(args: InspectArgs) -> Result<Outcome, Failure> {
    if policies::is_policy(&args.file) {
        return policy(&args);
    }
    let (mut found, object) = Found::read(&args.file)?;
    let mut kept = String::new();
    if let (true, Some(program)) = (args.kernel, &found.program) {
        let verifier = Verifier::ask(&ForKernel::unchanged(program, &object))?;
        if let Some((_, log)) = &verifier.refused {
            kept = format!("; {}", kept_log(log, args.log.as_deref()));
        }
        found.verifier = Some(verifier);
    }
    terminal::print(&if args.json { json::json(&found) } else { text::text(&found) })?;
    let refused = found.verifier.as_ref().is_some_and(|verifier| verifier.refused.is_some());
    match (found.problems.len(), refused) {
        (0, false) => Ok(Outcome::Ok),
        (0, true) => Err(Failure::Other(format!(
            "{}: the kernel does not take it; the end of what it says is above{kept}",
            args.file
        ))),
        (1, _) => {
            Err(Failure::Other(format!("{}: it cannot run, for the problem above", args.file)))
        }
        (count, _) => Err(Failure::Other(format!(
            "{}: it cannot run, for the {count} problems above",
            args.file
        ))),
    }
}

/// Reports the properties of a learned policy. A policy that can be read cannot fail to run, so
/// there is less to report.
fn policy(args: &InspectArgs) -> Result<Outcome, Failure> {
    let file = &args.file;
    if args.kernel || args.json {
        let flag = if args.kernel {
            "--kernel judges BPF programs"
        } else {
            "--json describes BPF programs"
        };
        return Err(Failure::Other(format!(
            "{file}: {flag}, and this is a learned policy; leave it out"
        )));
    }
    let policy = LearnedPolicy::read(file).map_err(Failure::Other)?;
    terminal::print(&policy.text(file))?;
    Ok(Outcome::Ok)
}
