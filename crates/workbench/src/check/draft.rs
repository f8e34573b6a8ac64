//! `narrows check bbr3 --suite bbr-draft`: the example cases of draft-ietf-ccwg-bbr, judged by the
//! states that the controller reports.

use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::request;
use crate::runner::pool;
use narrows_control::Choice;
use narrows_evidence::bbr_draft::{self, Case, Cell, Subject, cases, grid, run, run_on};
use narrows_evidence::report::Conformance;
use narrows_report::{Bundle, write_bundle};
use rayon::prelude::*;

/// Runs the cases, shows the result and writes the result directory.
pub fn draft(args: &request::Check, controller: &Choice) -> Result<Outcome, Failure> {
    let started = Started::now();
    let reserved = output::reserve(&args.output, &format!("draft {}", controller.text()))?;
    let conformance = conformance(args, controller)?;
    args.output.console.print(&if args.output.json {
        conformance.json()
    } else {
        conformance.text()
    })?;
    let directory = reserved.directory().to_owned();
    let documents = vec![
        ("report.html".to_owned(), conformance.html().into_bytes()),
        ("conformance.json".to_owned(), conformance.json().into_bytes()),
    ];
    let bundle = Bundle { documents, table: None, version: conformance.narrows.clone() };
    write_bundle(reserved, bundle, &started.info(Vec::new(), &args.output.console))?;
    output::point_to(&directory, &args.output)?;
    Ok(if conformance.is_explained() { Outcome::Ok } else { Outcome::Missed })
}

/// Runs the 22 cases, or those in `only`. Unless `quick` or `only` is given, also runs T01, T03 and
/// T10 over the paths of the full grid.
pub fn conformance(args: &request::Check, controller: &Choice) -> Result<Conformance, Failure> {
    let (only, quick, output) = (&args.only, args.quick, &args.output);
    let subject = subject(controller);
    if let Some(unknown) = only.iter().find(|id| cases().iter().all(|case| case.id != id.as_str()))
    {
        return Err(Failure::Other(format!(
            "there is no case \"{unknown}\"; cases are T01 to T22"
        )));
    }
    let wanted: Vec<_> = cases()
        .iter()
        .filter(|case| only.is_empty() || only.iter().any(|id| id == case.id))
        .collect();
    let console = &output.console;
    let outcomes = pool(output)?.install(|| -> Result<Vec<bbr_draft::Outcome>, Failure> {
        let case = |case: &&Case| console.go_on().map(|()| run(case, &subject));
        let mut outcomes: Vec<_> = wanted.par_iter().map(case).collect::<Result<_, _>>()?;
        if !quick && only.is_empty() {
            let cell = |cell: &Cell| console.go_on().map(|()| run_on(cell, &subject));
            outcomes.extend(grid().par_iter().map(cell).collect::<Result<Vec<_>, _>>()?);
        }
        console.go_on()?;
        Ok(outcomes.concat())
    })?;
    Ok(Conformance {
        format: 1,
        narrows: env!("CARGO_PKG_VERSION").to_owned(),
        draft: "draft-ietf-ccwg-bbr-06".to_owned(),
        controller: subject.controller,
        remake: request::remake(
            "check",
            args,
            &[("controller", vec![controller.text().to_owned()])],
        ),
        outcomes,
    })
}

/// Refuses options that have no effect on the cases.
///
/// # Errors
///
/// If such an option is given. The error names the first one.
pub fn refuse_unheeded(args: &request::Check) -> Result<(), Failure> {
    let given = [
        ("--against", args.against.is_some()),
        ("--about", args.about.is_some()),
        ("--baselines", !args.baselines.is_empty()),
        ("--scope", args.scope != request::Scope::Internet),
        ("--seeds", args.seeds.is_some()),
        ("--seed", args.seed != 1),
        ("--strict", args.strict),
        ("--keep", args.keep.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Other(format!(
            "{option} cannot be used with --suite bbr-draft, whose cases run alone in the simulator, once; leave it out"
        ))),
        None => Ok(()),
    }
}

/// True if the controller reports the states of BBR.
pub fn shows_states(controller: &Choice) -> bool {
    controller.entry().name() == "bbr3"
}

/// Returns the controller with the profile against which it is judged.
fn subject(controller: &Choice) -> Subject {
    let own = match controller.params().text("profile").as_deref() {
        Some("linux") => Subject::linux(),
        _ => Subject::draft(),
    };
    let text = controller.text();
    let text = match () {
        () if text.contains("profile=") => text.to_owned(),
        () if text.contains('?') => format!("{text}&profile=draft"),
        () => own.controller,
    };
    Subject { controller: text, profile: own.profile }
}
