//! The plan of a check, built from the arguments before anything runs.

use super::tested::Tested;
use crate::error::Failure;
use crate::inputs::as_kept;
use crate::request;
use crate::routers;
use narrows_control::{BASELINES, Choice, Setup};
use narrows_evidence::EvidenceError;
use narrows_evidence::check::{Check, Options};
use narrows_evidence::suite::{Players, Scope, Suite, bbr_draft, media, rfc9743, startup, tcpeval};
use narrows_wire::Ecn;

/// Builds the check that the arguments describe.
pub fn planned(args: &request::Check, tested: &Tested) -> Result<Check, Failure> {
    routers::refuse(
        tested.controller().into_iter().chain(&args.baselines),
        "the queues of a check are those that most routers have",
    )?;
    let baselines = match &args.baselines[..] {
        [] => BASELINES.map(str::to_owned).to_vec(),
        chosen => crate::contenders::distinct(chosen.iter().map(|choice| choice.text()))?,
    };
    if !args.baselines.is_empty() && baselines.iter().all(|own| *own == tested.name()) {
        return Err(Failure::Other(format!(
            "{} cannot be its own only baseline; name another with --baselines",
            tested.name()
        )));
    }
    let players =
        Players { subject: tested.name(), baselines, program: tested.controller().is_none() };
    let scope = match args.scope {
        request::Scope::Internet => Scope::Internet,
        request::Scope::Datacenter => Scope::Datacenter,
        request::Scope::Controlled => Scope::Controlled,
    };
    let signals = tested.controller().map_or(Ok(false), marks)?;
    let options = Options {
        quick: args.quick,
        scope,
        only: args.only.clone(),
        seeds: args.seeds,
        first_seed: args.seed,
        signals,
    };
    Ok(Check::new(suite(args.suite)?, players, options)?)
}

fn suite(arg: request::Suite) -> Result<Suite, EvidenceError> {
    match arg {
        request::Suite::Rfc9743 => rfc9743(),
        request::Suite::BbrDraft => bbr_draft(),
        request::Suite::Tcpeval => tcpeval(),
        request::Suite::Media => media(),
        request::Suite::Startup => startup(),
    }
}

/// True if a controller marks its packets as ECN-capable.
fn marks(choice: &Choice) -> Result<bool, Failure> {
    // Stacks send ECT(0) from the first packet on.
    if choice.entry().is_guest() {
        return Ok(true);
    }
    let built = choice
        .build(&Setup::default())
        .map_err(|error| Failure::Other(format!("{}: {error}", choice.text())))?;
    Ok(built.decision().ecn != Ecn::NotEct)
}

/// File name of the authors' statements in a result directory.
pub const ABOUT: &str = "about.toml";

/// Returns the command that repeats the check in its result directory, which has copies of the
/// files.
pub fn remake(args: &request::Check, tested: &Tested) -> String {
    let kept = |given: bool, file: &str| if given { vec![file.to_owned()] } else { Vec::new() };
    let changed = [
        ("controller", tested.controller().map(as_kept).into_iter().collect()),
        ("baselines", args.baselines.iter().map(as_kept).collect()),
        ("about", kept(args.about.is_some(), ABOUT)),
        ("keep", kept(args.keep.is_some(), ".")),
        // These decide the exit status alone, or which result is beside this one.
        ("strict", Vec::new()),
        ("against", Vec::new()),
    ];
    request::remake("check", args, &changed)
}
