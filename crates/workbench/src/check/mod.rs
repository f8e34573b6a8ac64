//! `narrows check`: the criteria of a suite, with a verdict or numbers for each and the runs behind
//! them.

mod draft;
mod job;
mod known;
mod made;
mod planned;
mod tested;

pub use known::self_check;

use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output;
use crate::request;
use made::{Beside, carried_out, shown};
use narrows_evidence::check::Check;
use narrows_evidence::judge::Level;
use narrows_evidence::report::{Checked, Counts, Statements, Terms};
use narrows_files::{Limit, read_text};
use planned::planned;
use std::path::Path;
use tested::Tested;

/// Runs the cells of a suite and judges the results.
pub fn check(args: request::Check) -> Result<Outcome, Failure> {
    let tested = Tested::of(&args)?;
    if args.live && matches!(args.suite, request::Suite::Tcpeval | request::Suite::Media) {
        return Err(Failure::Other(
            "--live cannot be used with this suite, which judges nothing; leave it out".to_owned(),
        ));
    }
    if args.live {
        crate::live::acquire(&args.output.console)?;
    }
    let shows_states = tested.controller().filter(|own| draft::shows_states(own));
    if let (request::Suite::BbrDraft, false, Some(controller)) =
        (args.suite, args.live, shows_states)
    {
        draft::refuse_unheeded(&args)?;
        return draft::draft(&args, controller);
    }
    if args.about.is_some() && !args.only.is_empty() && args.only.iter().all(|id| id != "stated") {
        return Err(Failure::Other(
            "--about is read for criterion stated, which --only leaves out; add it, or leave --about out".to_owned(),
        ));
    }
    let statements = args.about.as_deref().map(statements).transpose()?;
    let check = planned(&args, &tested)?;
    let before = args.against.as_deref().map(|other| earlier(&args, other, &check)).transpose()?;
    let beside = Beside { statements, before: before.as_ref() };
    let (checked, worst, directory) =
        carried_out(&args, &check, &tested, beside, &|checked, refused| {
            shown(&args, checked, refused)
        })?;
    output::point_to(&directory, &args.output)?;
    if let Some(versions) = &checked.versions {
        return Ok(if versions.is_worse() { Outcome::Missed } else { Outcome::Ok });
    }
    let Counts { concern, not_run, .. } = checked.summary;
    Ok(match worst {
        Some(Level::Fail) => Outcome::Missed,
        _ if args.strict && concern + not_run > 0 => Outcome::Missed,
        _ => Outcome::Ok,
    })
}

/// Returns the check of another version: reads a stored one, or runs it now.
fn earlier(args: &request::Check, other: &str, check: &Check) -> Result<Checked, Failure> {
    let path = Path::new(other);
    let kept = if path.is_dir() {
        Some(path.join("check.json"))
    } else {
        (other.ends_with(".json") && !other.ends_with(".policy.json")).then(|| path.to_owned())
    };
    let Some(file) = kept else {
        let neither = |reason| {
            Failure::Other(format!(
                "{other} is neither the result of a check, a directory or a .json file, nor a controller: {reason}"
            ))
        };
        let controller = Tested::Controller(request::parse_choice(other).map_err(neither)?);
        if args.output.out.is_some() {
            return Err(Failure::Other(
                "--out names one directory, and --against a controller makes two results; leave --out away".to_owned(),
            ));
        }
        let planned = planned(args, &controller)?;
        if let Some(why) = Terms::of(&planned).differ(&Terms::of(check)) {
            return Err(Failure::Other(format!("{why}; give --against the result of a check")));
        }
        let (before, _, directory) =
            carried_out(args, &planned, &controller, Beside::default(), &|checked, refused| {
                shown(args, checked, refused)
            })?;
        output::point_to(&directory, &args.output)?;
        return Ok(before);
    };
    let text = read_text(&file, Limit::MEASUREMENT).map_err(|error| {
        Failure::Other(format!(
            "{} cannot be read: {error}; give the result of a check",
            file.display()
        ))
    })?;
    let damaged = |reason: String| {
        Failure::Other(format!("{} is not the result of a check: {reason}", file.display()))
    };
    let before = Checked::read(&text).map_err(damaged)?;
    if let Some(why) = before.terms().differ(&Terms::of(check)) {
        return Err(Failure::Other(format!(
            "{why}; check {} again with the options of this check",
            before.controller
        )));
    }
    let judged: Vec<&str> = before
        .criteria
        .iter()
        .filter(|own| own.reason.is_none())
        .map(|own| own.id.as_str())
        .collect();
    if !args.only.is_empty() && args.only.iter().all(|id| !judged.contains(&id.as_str())) {
        return Err(Failure::Other(format!(
            "there is nothing to compare: {} judged {}, and --only asks for {}",
            file.display(),
            judged.join(", "),
            args.only.join(", ")
        )));
    }
    Ok(before)
}

fn statements(file: &Path) -> Result<Statements, Failure> {
    let text = read_text(file, Limit::TEXT).map_err(|error| {
        Failure::Other(format!(
            "{} cannot be read: {error}; give the file of the authors' statements",
            file.display()
        ))
    })?;
    Ok(Statements::read(&text, &file.display().to_string())?)
}
