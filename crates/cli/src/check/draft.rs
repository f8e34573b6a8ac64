//! `narrows check --suite bbr-draft`: the example cases of draft-ietf-ccwg-bbr.

use crate::cli::{CheckArgs, ScopeArg};
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::quote::quote;
use narrows_control::Choice;
use narrows_evidence::bbr_draft::{Subject, cases, grid, run, run_on};
use narrows_evidence::report::Conformance;
use narrows_report::{Bundle, write_bundle};
use rayon::prelude::*;

/// Carries out the cases: the 22, and without `--quick` three of them over the paths of the full set, too.
pub fn draft(args: &CheckArgs, controller: &Choice) -> Result<Outcome, Failure> {
    let started = Started::now();
    let subject = subject(controller);
    let reserved = output::reserve(&args.output, &format!("draft {}", controller.text()))?;
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.output.jobs.unwrap_or(0) as usize).build();
    let threads = threads.map_err(|error| Failure::Other(format!("threads cannot be started: {error}; try --jobs 1")))?;
    let wanted: Vec<_> = cases().iter().filter(|case| args.only.is_empty() || args.only.iter().any(|id| id == case.id)).collect();
    if let Some(unknown) = args.only.iter().find(|id| cases().iter().all(|case| case.id != id.as_str())) {
        return Err(Failure::Other(format!("there is no case \"{unknown}\"; cases are T01 to T22")));
    }
    let outcomes = threads.install(|| {
        let mut outcomes: Vec<_> = wanted.par_iter().flat_map(|case| run(case, &subject)).collect();
        if !args.quick && args.only.is_empty() && subject.profile != narrows_evidence::bbr_draft::Profile::BlackBox {
            outcomes.extend(grid().par_iter().flat_map(|cell| run_on(cell, &subject)).collect::<Vec<_>>());
        }
        outcomes
    });
    let quick = if args.quick { " --quick" } else { "" };
    let only = if args.only.is_empty() { String::new() } else { format!(" --only {}", args.only.join(",")) };
    let conformance = Conformance {
        format: 1,
        narrows: env!("CARGO_PKG_VERSION").to_owned(),
        draft: "draft-ietf-ccwg-bbr-06".to_owned(),
        controller: subject.controller.clone(),
        remake: format!("narrows check {} --suite bbr-draft{only}{quick}", quote(controller.text())),
        outcomes,
    };
    args.output.console.print(&if args.output.json { conformance.json() } else { conformance.text() })?;
    let directory = reserved.directory().to_owned();
    let documents =
        vec![("report.html".to_owned(), conformance.html().into_bytes()), ("conformance.json".to_owned(), conformance.json().into_bytes())];
    let bundle = Bundle { documents, table: None, version: conformance.narrows.clone() };
    write_bundle(reserved, bundle, &started.info(Vec::new(), &args.output.console))?;
    output::point_to(&directory, &args.output)?;
    Ok(if conformance.is_explained() { Outcome::Ok } else { Outcome::Missed })
}

/// Refuses options that the cases do not heed.
///
/// # Errors
///
/// The first of them.
pub fn refuse_unheeded(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--against", args.against.is_some()),
        ("--about", args.about.is_some()),
        ("--baselines", !args.baselines.is_empty()),
        ("--scope", args.scope != ScopeArg::Internet),
        ("--seeds", args.seeds.is_some()),
        ("--seed", args.seed != 1),
        ("--strict", args.strict),
        ("--live", args.live),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Other(format!(
            "{option} cannot be used with --suite bbr-draft, whose cases run alone in the simulator, once; leave it out"
        ))),
        None => Ok(()),
    }
}

/// BBR's third version is measured against its profile; any other controller is a black box.
fn subject(controller: &Choice) -> Subject {
    if controller.entry().name != "bbr3" {
        return Subject::black_box(controller.text());
    }
    let own = match controller.params().text("profile").as_deref() {
        Some("linux") => Subject::linux(),
        _ => Subject::draft(),
    };
    let text = if controller.text().contains("profile=") { controller.text().to_owned() } else { own.controller };
    Subject { controller: text, profile: own.profile }
}
