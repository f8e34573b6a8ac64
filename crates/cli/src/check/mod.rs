//! `narrows check`: the criteria of a suite, with a verdict or numbers on each and the runs behind it.

mod draft;
mod job;
mod tested;

use crate::cli::{CheckArgs, ReproduceArgs, ScopeArg, SuiteArg, parse_choice};
use crate::error::Failure;
use crate::inputs::as_kept;
use crate::outcome::Outcome;
use crate::output::{self, Started};
use crate::reproduce::reproduce;
use crate::routers;
use job::Job;
use narrows_control::{BASELINES, Choice, Setup};
use narrows_evidence::EvidenceError;
use narrows_evidence::check::{Check, Options, report};
use narrows_evidence::judge::Level;
use narrows_evidence::report::{Checked, Counts, Statements, Terms, Versions, check_text};
use narrows_evidence::suite::{Players, Scope, Suite, media, rfc9743, tcpeval};
use narrows_wire::Ecn;
use std::path::Path;
use tested::Tested;

/// Runs the cells of the suite, and judges.
pub fn check(args: CheckArgs) -> Result<Outcome, Failure> {
    if args.known {
        return known_answers(args);
    }
    let tested = Tested::of(&args)?;
    if args.live && matches!(args.suite, SuiteArg::Tcpeval | SuiteArg::Media) {
        return Err(Failure::Other("--live cannot be used with this suite, which judges nothing; leave it out".to_owned()));
    }
    if args.live && args.suite == SuiteArg::Rfc9743 {
        // Before anything starts a thread.
        narrows_live::acquire()?;
    }
    if let (SuiteArg::BbrDraft, Tested::Controller(controller)) = (args.suite, &tested) {
        draft::refuse_unheeded(&args)?;
        return draft::draft(&args, controller);
    }
    let statements = args.about.as_deref().map(statements).transpose()?;
    let check = planned(&args, &tested)?;
    let before = args.against.as_deref().map(|other| earlier(&args, other, &check)).transpose()?;
    let (checked, worst) = carried_out(&args, &check, &tested, statements)?;
    if let Some(before) = before {
        let versions = Versions::of(&before, &checked).map_err(Failure::Other)?;
        if !args.output.json {
            args.output.console.print(&format!("\n{}", versions.text()))?;
        }
        return Ok(if versions.is_worse() { Outcome::Missed } else { Outcome::Ok });
    }
    let Counts { concern, not_run, .. } = checked.summary;
    Ok(match worst {
        Some(Level::Fail) => Outcome::Missed,
        _ if args.strict && concern + not_run > 0 => Outcome::Missed,
        _ => Outcome::Ok,
    })
}

/// Runs the published results that a sound suite finds.
fn known_answers(args: CheckArgs) -> Result<Outcome, Failure> {
    let CheckArgs { quick, output, .. } = args;
    let papers = vec!["known-answers".to_owned()];
    reproduce(ReproduceArgs { papers, quick, live: false, why: false, figure: Vec::new(), output })
}

/// The check, before anything runs.
fn planned(args: &CheckArgs, tested: &Tested) -> Result<Check, Failure> {
    routers::refuse(tested.controller().into_iter().chain(&args.baselines), "the queues of a check are those that most routers have")?;
    let baselines = match &args.baselines[..] {
        [] => BASELINES.map(str::to_owned).to_vec(),
        chosen => crate::contenders::distinct(chosen.iter().map(|choice| choice.text()))?,
    };
    let players = Players { subject: tested.name(), baselines, program: tested.controller().is_none() };
    let scope = match args.scope {
        ScopeArg::Internet => Scope::Internet,
        ScopeArg::Datacenter => Scope::Datacenter,
        ScopeArg::Controlled => Scope::Controlled,
    };
    let signals = tested.controller().map_or(Ok(false), marks)?;
    let options = Options { quick: args.quick, scope, only: args.only.clone(), seeds: args.seeds, first_seed: args.seed, signals };
    Ok(Check::new(suite(args.suite)?, players, options)?)
}

fn suite(arg: SuiteArg) -> Result<Suite, EvidenceError> {
    match arg {
        SuiteArg::Rfc9743 | SuiteArg::BbrDraft => rfc9743(),
        SuiteArg::Tcpeval => tcpeval(),
        SuiteArg::Media => media(),
    }
}

/// Makes a check and delivers the result; answers with the worst verdict, too.
fn carried_out(
    args: &CheckArgs,
    check: &Check,
    tested: &Tested,
    statements: Option<Statements>,
) -> Result<(Checked, Option<Level>), Failure> {
    let started = Started::now();
    let job = Job::new(check, remake(args, tested), tested.program());
    let reserved = job.reserve(&args.output)?;
    let runs = job.make(reserved.directory(), &args.output)?;
    let refused = if args.live && tested.program().is_none() { job.on_kernel(&runs, reserved.directory(), &args.output)? } else { None };
    let report = report(check, &|run| runs.get(run));
    let checked = Checked::of(check, &report, env!("CARGO_PKG_VERSION"), &job.remake, runs.count());
    let checked = match statements {
        Some(statements) => checked.stated(statements),
        None => checked,
    };
    let text = if args.output.json { checked.json() } else { check_text(&checked) };
    args.output.console.print(&text)?;
    if let Some(refused) = refused {
        args.output.console.print(&format!("\nNot run on the kernel: {refused}\n"))?;
    }
    let directory = reserved.directory().to_owned();
    job.write(reserved, &checked, &report, &runs, &started, &args.output)?;
    runs.remove()?;
    output::point_to(&directory, &args.output)?;
    Ok((checked, report.worst()))
}

/// The check of another version: one that was kept, or one that is made now.
fn earlier(args: &CheckArgs, other: &str, check: &Check) -> Result<Checked, Failure> {
    let path = Path::new(other);
    let kept = if path.is_dir() {
        Some(path.join("check.json"))
    } else {
        (other.ends_with(".json") && !other.ends_with(".policy.json")).then(|| path.to_owned())
    };
    let Some(file) = kept else {
        let neither = |reason| {
            Failure::Other(format!("{other} is neither the result of a check, a directory or a .json file, nor a controller: {reason}"))
        };
        let controller = Tested::Controller(parse_choice(other).map_err(neither)?);
        if args.output.out.is_some() {
            return Err(Failure::Other(
                "--out names one directory, and --against a controller makes two results; leave --out away".to_owned(),
            ));
        }
        let planned = planned(args, &controller)?;
        if let Some(why) = Terms::of(&planned).differ(&Terms::of(check)) {
            return Err(Failure::Other(format!("{why}; give --against the result of a check")));
        }
        return Ok(carried_out(args, &planned, &controller, None)?.0);
    };
    let text = std::fs::read_to_string(&file)
        .map_err(|error| Failure::Other(format!("{} cannot be read: {error}; give the result of a check", file.display())))?;
    let damaged = |reason: String| Failure::Other(format!("{} is not the result of a check: {reason}", file.display()));
    let before = Checked::read(&text).map_err(damaged)?;
    match before.terms().differ(&Terms::of(check)) {
        Some(why) => Err(Failure::Other(format!("{why}; make the earlier one again with {}", before.remake))),
        None => Ok(before),
    }
}

fn statements(file: &Path) -> Result<Statements, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::Other(format!("{} cannot be read: {error}; give the file of the authors' statements", file.display())))?;
    Ok(Statements::read(&text, &file.display().to_string())?)
}

/// True if a controller marks its packets as ECN-capable.
fn marks(choice: &Choice) -> Result<bool, Failure> {
    let built = choice.build(&Setup::default()).map_err(|error| Failure::Other(format!("{}: {error}", choice.text())))?;
    Ok(built.decision().ecn != Ecn::NotEct)
}

/// The command that makes the same check.
fn remake(args: &CheckArgs, tested: &Tested) -> String {
    let mut words = vec!["narrows check".to_owned()];
    words.extend(tested.controller().map(|controller| crate::quote::quote(&as_kept(controller))));
    let mut option =
        |name: &str, value: Option<String>| words.extend(value.map(|value| format!("--{name} {}", crate::quote::quote(&value))));
    let suite = match args.suite {
        SuiteArg::Rfc9743 | SuiteArg::BbrDraft => None,
        SuiteArg::Tcpeval => Some("tcpeval"),
        SuiteArg::Media => Some("media"),
    };
    option("suite", suite.map(str::to_owned));
    option("only", (!args.only.is_empty()).then(|| args.only.join(",")));
    let baselines = args.baselines.iter().map(as_kept).collect::<Vec<_>>().join(",");
    option("baselines", (!baselines.is_empty()).then_some(baselines));
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
        words.extend(args.serve.iter().map(|command| format!("--serve {}", crate::quote::quote(command))));
        words.extend(["--".to_owned(), tested.name()]);
    }
    words.join(" ")
}
