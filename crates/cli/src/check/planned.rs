//! The plan of a check, built from the arguments before anything runs.

use super::tested::Tested;
use crate::cli::{CheckArgs, ScopeArg, SuiteArg};
use crate::error::Failure;
use crate::inputs::as_kept;
use crate::routers;
use narrows_control::{BASELINES, Choice, Setup};
use narrows_evidence::EvidenceError;
use narrows_evidence::check::{Check, Options};
use narrows_evidence::suite::{Players, Scope, Suite, bbr_draft, media, rfc9743, tcpeval};
use narrows_wire::Ecn;

/// Builds the check that the arguments describe.
pub fn planned(args: &CheckArgs, tested: &Tested) -> Result<Check, Failure> {
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
        ScopeArg::Internet => Scope::Internet,
        ScopeArg::Datacenter => Scope::Datacenter,
        ScopeArg::Controlled => Scope::Controlled,
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

fn suite(arg: SuiteArg) -> Result<Suite, EvidenceError> {
    match arg {
        SuiteArg::Rfc9743 => rfc9743(),
        SuiteArg::BbrDraft => bbr_draft(),
        SuiteArg::Tcpeval => tcpeval(),
        SuiteArg::Media => media(),
    }
}

/// True if a controller marks its packets as ECN-capable.
fn marks(choice: &Choice) -> Result<bool, Failure> {
    let built = choice
        .build(&Setup::default())
        .map_err(|error| Failure::Other(format!("{}: {error}", choice.text())))?;
    Ok(built.decision().ecn != Ecn::NotEct)
}

/// File name of the authors' statements in a result directory.
pub const ABOUT: &str = "about.toml";

/// Returns the command that repeats the check in its result directory.
pub fn remake(args: &CheckArgs, tested: &Tested) -> String {
    let mut words = vec!["narrows check".to_owned()];
    words.extend(tested.controller().map(|controller| crate::quote::quote(&as_kept(controller))));
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name} {}", crate::quote::quote(&value))))
    };
    let suite = match args.suite {
        SuiteArg::Rfc9743 => None,
        SuiteArg::BbrDraft => Some("bbr-draft"),
        SuiteArg::Tcpeval => Some("tcpeval"),
        SuiteArg::Media => Some("media"),
    };
    option("suite", suite.map(str::to_owned));
    option("only", (!args.only.is_empty()).then(|| args.only.join(",")));
    let baselines = args.baselines.iter().map(as_kept).collect::<Vec<_>>().join(",");
    option("baselines", (!baselines.is_empty()).then_some(baselines));
    // The result directory has copies of the files.
    option("about", args.about.as_ref().map(|_| ABOUT.to_owned()));
    option("keep", args.keep.as_ref().map(|_| ".".to_owned()));
    option("seeds", args.seeds.map(|seeds| seeds.to_string()));
    option("seed", (args.seed != 1).then(|| args.seed.to_string()));
    match args.scope {
        ScopeArg::Internet => {}
        ScopeArg::Datacenter => option("scope", Some("datacenter".to_owned())),
        ScopeArg::Controlled => option("scope", Some("controlled".to_owned())),
    }
    if args.live {
        words.push("--live".to_owned());
    }
    if args.quick {
        words.push("--quick".to_owned());
    }
    if tested.program().is_some() {
        words.extend(
            args.serve.iter().map(|command| format!("--serve {}", crate::quote::quote(command))),
        );
        words.extend(["--".to_owned(), tested.name()]);
    }
    words.join(" ")
}
