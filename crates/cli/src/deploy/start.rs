//! `narrows deploy start`.

use super::agent::Begin;
use super::dry;
use super::names::in_kernel;
use super::place::{group, mount, open};
use super::status::shown;
use crate::cli::DeployStartArgs;
use crate::terminal;
use narrows_deploy::Experiment;
use narrows_deploy::experiment::Ports;
use narrows_deploy::state::Phase;
use narrows_files::{Limit, read_text};
use narrows_workbench::experiments::{EXPERIMENT, has_agent, names};
use narrows_workbench::{Failure, Outcome};
use std::path::Path;

/// Runs an experiment to its end.
pub fn start(args: &DeployStartArgs) -> Result<Outcome, Failure> {
    narrows_kernel::fit_for_deployments()?;
    let file = args.experiment.display().to_string();
    let text = read_text(&args.experiment, Limit::TEXT).map_err(|error| {
        Failure::Other(format!("{file} cannot be read: {error}; give the file of an experiment"))
    })?;
    let experiment = resolved(&text, &file)?;
    let select = &experiment.select;
    if select.cgroups.iter().any(|own| own == "/") && select.ports.is_empty() && !args.all {
        return Err(Failure::Other(format!(
            "{file} chooses all connections of this host, of ssh too; name cgroups or ports below [select], or add --all"
        )));
    }
    let mount = mount()?;
    if args.dry_run {
        return dry::run(&experiment, &mount);
    }
    let paths: Vec<_> = select.cgroups.iter().map(|own| group(&mount, own)).collect();
    paths.iter().try_for_each(|path| open(path).map(drop))?;
    refuse_overlap(&experiment, &args.state)?;
    if handed_down() && !args.quiet {
        terminal::tell(
            "connections hand their slow-start thresholds down to later ones to the same address, across arms: sysctl -w net.ipv4.tcp_no_ssthresh_metrics_save=1 ends that",
        );
    }
    let states = args.state.clone();
    let begin = Begin { experiment, text, paths, states, resumes: args.resume };
    let agent = begin.agent()?;
    if !args.quiet {
        terminal::tell(&agent.told());
    }
    let state = agent.run()?;
    if args.json {
        let text = serde_json::to_string_pretty(&state).expect("its fields are texts and numbers");
        terminal::print(&(text + "\n"))?;
    } else {
        terminal::print(&shown(&state, false))?;
    }
    match state.phase {
        Phase::Completed | Phase::Stopped => Ok(Outcome::Ok),
        Phase::Harmed => Ok(Outcome::Missed),
        Phase::Invalid => Ok(Outcome::Invalid),
        _ => Err(Failure::Other(format!("the experiment failed: {}", state.reason))),
    }
}

/// Reads an experiment, with the kernel's names of its controllers.
fn resolved(text: &str, file: &str) -> Result<Experiment, Failure> {
    let known = |name: &str| in_kernel(name).map(drop);
    let mut experiment = Experiment::read(text, file, &known)?;
    experiment.treatment = in_kernel(&experiment.treatment).expect("it was checked");
    experiment.control = experiment.control.map(|name| in_kernel(&name).expect("it was checked"));
    Ok(experiment)
}

/// Refuses an experiment that shares a control group and ports with another that goes on.
fn refuse_overlap(own: &Experiment, states: &Path) -> Result<(), Failure> {
    for name in names(states).into_iter().filter(|name| *name != own.name) {
        if !has_agent(states, &name) {
            continue;
        }
        let path = states.join(&name).join(EXPERIMENT);
        let Ok(text) = read_text(&path, Limit::TEXT) else { continue };
        let Ok(other) = Experiment::read(&text, &name, &|_| Ok(())) else { continue };
        let (one, two) = (&own.select, &other.select);
        let share = one.cgroups.iter().find(|own| two.cgroups.iter().any(|two| related(own, two)));
        if let Some(cgroup) = share.filter(|_| overlap(&one.ports, &two.ports)) {
            return Err(Failure::Other(format!(
                "the experiment \"{name}\" goes on with connections of {cgroup}, too; give the two experiments different control groups or ports"
            )));
        }
    }
    Ok(())
}

/// True if one path is the other or above it.
fn related(one: &str, other: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (one, other) = (parts(one), parts(other));
    one.iter().zip(&other).all(|(one, other)| one == other)
}

fn overlap(one: &[Ports], other: &[Ports]) -> bool {
    let meet = |own: &Ports, two: &Ports| own.first <= two.last && two.first <= own.last;
    one.is_empty()
        || other.is_empty()
        || one.iter().any(|own| other.iter().any(|two| meet(own, two)))
}

/// True if connections keep their slow-start thresholds for later ones to the same address.
fn handed_down() -> bool {
    let path = "/proc/sys/net/ipv4/tcp_no_ssthresh_metrics_save";
    std::fs::read_to_string(path).is_ok_and(|text| text.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_groups_and_ports_that_meet() {
        assert!(related("/", "/a/b") && related("/a/b", "/a") && related("/a", "/a/"));
        assert!(!related("/a/b", "/a/c") && !related("/ab", "/a"));
        let ports = |first, last| Ports { first, last };
        assert!(overlap(&[ports(80, 90)], &[ports(90, 100)]) && overlap(&[], &[ports(1, 1)]));
        assert!(!overlap(&[ports(80, 89)], &[ports(90, 100)]));
    }
}
