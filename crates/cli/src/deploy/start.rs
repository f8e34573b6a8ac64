//! `narrows deploy start`.

use super::agent::Agent;
use super::place::{group, mount, open};
use super::state::Phase;
use super::status::shown;
use crate::cli::DeployStartArgs;
use crate::terminal;
use narrows_control::{ENTRIES, TWINS};
use narrows_deploy::Experiment;
use narrows_deploy::experiment::OpenConnections;
use narrows_files::{Limit, read_text};
use narrows_params::{Need, suggest};
use narrows_workbench::{Failure, Outcome};

/// Runs an experiment to its end.
pub fn start(args: &DeployStartArgs) -> Result<Outcome, Failure> {
    narrows_kernel::fit()?;
    let file = args.experiment.display().to_string();
    let text = read_text(&args.experiment, Limit::TEXT).map_err(|error| {
        Failure::Other(format!("{file} cannot be read: {error}; give the file of an experiment"))
    })?;
    let known = |name: &str| in_kernel(name).map(drop);
    let mut experiment = Experiment::read(&text, &file, &known)?;
    experiment.treatment = in_kernel(&experiment.treatment).expect("it was checked");
    experiment.control = experiment.control.map(|name| in_kernel(&name).expect("it was checked"));
    refuse_unheeded(&experiment, &file)?;
    let select = &experiment.select;
    if select.cgroups.iter().any(|own| own == "/") && select.ports.is_empty() && !args.all {
        return Err(Failure::Other(format!(
            "{file} chooses all connections of this host, of ssh too; name cgroups or ports below [select], or add --all"
        )));
    }
    let mount = mount()?;
    let paths: Vec<_> = select.cgroups.iter().map(|own| group(&mount, own)).collect();
    let cgroups = paths.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let agent = Agent::start(experiment, &cgroups, paths, args.state.clone())?;
    if !args.quiet {
        terminal::tell(&agent.told());
    }
    let state = agent.run()?;
    if args.json {
        let text = serde_json::to_string_pretty(&state).expect("its fields are texts and numbers");
        terminal::print(&(text + "\n"))?;
    } else {
        terminal::print(&shown(&state))?;
    }
    match state.phase {
        Phase::Completed | Phase::Stopped => Ok(Outcome::Ok),
        Phase::Harmed => Ok(Outcome::Missed),
        Phase::Invalid => Ok(Outcome::Invalid),
        _ => Err(Failure::Other(format!("the experiment failed: {}", state.reason))),
    }
}

/// Refuses what a plan takes and an agent does not carry out.
fn refuse_unheeded(experiment: &Experiment, file: &str) -> Result<(), Failure> {
    let unheeded = [
        (experiment.design.start.is_some(), "start"),
        (experiment.result.keep > 0.0, "keep"),
        (experiment.result.listen.is_some(), "listen"),
        (experiment.roll_back.open == OpenConnections::Reset, "open = \"reset\""),
    ];
    match unheeded.iter().find(|(is_set, _)| *is_set) {
        Some((_, key)) => Err(Failure::Other(format!(
            "{file}: {key} is not carried out on a host yet; leave it out"
        ))),
        None => Ok(()),
    }
}

/// Returns the kernel's name of a controller. The error is the reason and the remedy.
fn in_kernel(name: &str) -> Result<String, String> {
    let available = narrows_kernel::available();
    if name.contains('?') {
        return Err(format!(
            "\"{name}\" has parameters, which a controller gets when it is loaded; load it with `narrows kernel load \"{name}\" --as NAME`, and write NAME"
        ));
    }
    let twin = TWINS.iter().find(|own| own.entry.name == name).map(|own| own.kernel);
    let own = twin.unwrap_or(name);
    let entry = ENTRIES.iter().find(|entry| entry.kernel == Some(own) || entry.name == name);
    if entry.is_some_and(|entry| entry.needs.contains(&Need::EcnCounts)) {
        return Err(format!(
            "{name} needs ECN, which is negotiated before connections are chosen; take a controller without"
        ));
    }
    if available.iter().any(|there| there == own) {
        return Ok(own.to_owned());
    }
    let remedy = match twin {
        Some(_) => format!("load it with `narrows kernel load {name}`"),
        None => suggest(own, "controllers", available.iter().map(String::as_str)),
    };
    Err(format!("this kernel has no controller \"{own}\"; {remedy}"))
}
