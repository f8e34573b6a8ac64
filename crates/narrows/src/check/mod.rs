//! `narrows check`: the criteria of RFC 9743, with a verdict on each and the runs behind it.

mod job;

use crate::cli::{CheckArgs, ScopeArg};
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::routers;
use job::Job;
use narrows_control::{Choice, Setup};
use narrows_evidence::check::{Check, Options};
use narrows_evidence::judge::Level;
use narrows_evidence::report::{Checked, check_text};
use narrows_evidence::suite::{Players, Scope, rfc9743};
use narrows_wire::Ecn;

/// The standard controllers beside which others are judged.
const BASELINES: [&str; 2] = ["newreno", "cubic"];

/// Runs the cells of the suite, and judges.
pub fn check(args: CheckArgs) -> Result<Outcome, Failure> {
    let started = Started::now();
    routers::refuse([&args.controller].into_iter().chain(&args.baselines), "the queues of a check are those that most routers have")?;
    let baselines = match &args.baselines[..] {
        [] => BASELINES.map(str::to_owned).to_vec(),
        chosen => crate::contenders::distinct(chosen.iter().map(|choice| choice.text()))?,
    };
    let players = Players { subject: args.controller.text().to_owned(), baselines };
    let scope = match args.scope {
        ScopeArg::Internet => Scope::Internet,
        ScopeArg::Datacenter => Scope::Datacenter,
        ScopeArg::Controlled => Scope::Controlled,
    };
    let signals = marks(&args.controller)?;
    let options = Options { quick: args.quick, scope, only: args.only.clone(), seeds: args.seeds, signals };
    let check = Check::new(rfc9743().map_err(failure)?, players, options).map_err(failure)?;
    let job = Job::new(&check, remake(&args));
    let reserved = job.reserve(&args.output)?;
    let runs = job.make(reserved.directory(), &args.output)?;
    let report = check.judged(&|run| runs.get(run));
    let checked = Checked::of(&check, &report, env!("CARGO_PKG_VERSION"), &job.remake, runs.count());
    let text = if args.output.json { checked.json() } else { check_text(&checked) };
    args.output.console.print(&text)?;
    let directory = reserved.directory().to_owned();
    job.write(reserved, &checked, &report, &runs, &started, &args.output)?;
    runs.remove()?;
    output::point_to(&directory, &args.output)?;
    let enough = |own: &str| report.count(own) == 0;
    Ok(match report.worst() {
        Some(Level::Fail) => Outcome::Missed,
        _ if args.strict && !(enough("concern") && enough("not run")) => Outcome::Missed,
        _ => Outcome::Ok,
    })
}

/// True if a controller marks its packets as ECN-capable.
fn marks(choice: &Choice) -> Result<bool, Failure> {
    let built = choice.build(&Setup::default()).map_err(|error| Failure::Other(format!("{}: {error}", choice.text())))?;
    Ok(built.decision().ecn != Ecn::NotEct)
}

/// The command that makes the same check.
fn remake(args: &CheckArgs) -> String {
    let mut words = vec!["narrows check".to_owned(), crate::quote::quote(args.controller.text())];
    let mut option = |name: &str, value: Option<String>| words.extend(value.map(|value| format!("--{name} {}", crate::quote::quote(&value))));
    option("only", (!args.only.is_empty()).then(|| args.only.join(",")));
    let baselines = args.baselines.iter().map(|choice| choice.text()).collect::<Vec<_>>().join(",");
    option("baselines", (!baselines.is_empty()).then_some(baselines));
    option("seeds", args.seeds.map(|seeds| seeds.to_string()));
    match args.scope {
        ScopeArg::Internet => {}
        ScopeArg::Datacenter => option("scope", Some("datacenter".to_owned())),
        ScopeArg::Controlled => option("scope", Some("controlled".to_owned())),
    }
    if args.quick {
        words.push("--quick".to_owned());
    }
    words.join(" ")
}

/// What evidence cannot be gathered of.
pub(crate) fn failure(error: narrows_evidence::EvidenceError) -> Failure {
    match error {
        narrows_evidence::EvidenceError::Scenario(error) => Failure::Scenario(error),
        other => Failure::Other(other.to_string()),
    }
}
