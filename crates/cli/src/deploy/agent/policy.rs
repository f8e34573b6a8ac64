//! The policy that the program in the kernel gets.

use narrows_deploy::Experiment;
use narrows_deploy::experiment::{DrawnBy, End};
use narrows_deploy::trial::Trial;
use narrows_kernel::deployment::{ACCEPTED, Deployment, OPENED, Policy, Share, name_bytes};
use narrows_units::Random;
use narrows_workbench::Failure;

/// Returns the policy of an experiment whose first period begins at `start_ns` (CLOCK_MONOTONIC).
pub fn policy(experiment: &Experiment, trial: &Trial, start_ns: u64) -> Result<Policy, Failure> {
    let name = |own: &str| {
        name_bytes(own).ok_or_else(|| {
            Failure::Other(format!("\"{own}\" is longer than the kernel's names of controllers"))
        })
    };
    let select = &experiment.select;
    let mut salt = Random::stream(experiment.design.seed, "salt of draws");
    Ok(Policy {
        start_ns,
        period_ns: trial.timing().0.as_nanos(),
        control: experiment.control.as_deref().map_or(Ok([0; 2]), name)?,
        treatment: name(&experiment.treatment)?,
        on: 1,
        salt: salt.bits() as u32,
        epoch: 1,
        periods: trial.slots().len() as u32,
        ends: match select.end {
            End::Accepted => ACCEPTED,
            End::Opened => OPENED,
            End::Both => ACCEPTED | OPENED,
        },
        respect: select.respect.into(),
        by_client: (select.unit == DrawnBy::Client).into(),
        have_ports: (!select.ports.is_empty()).into(),
        have_prefixes: (!select.prefixes.is_empty()).into(),
        have_interfaces: (!select.interfaces.is_empty()).into(),
        mptcp: select.mptcp.into(),
        loopback: select.loopback.into(),
        ..Policy::default()
    })
}

/// Returns what each period does.
pub fn shares(trial: &Trial) -> Vec<Share> {
    let share =
        |own: &narrows_deploy::order::Slot| Share { treated: own.share, is_beside: own.is_beside };
    trial.slots().iter().map(share).collect()
}

/// Fills the maps of ports, networks and interfaces.
pub fn select(
    deployment: &Deployment,
    experiment: &Experiment,
    interfaces: &[u32],
) -> Result<(), Failure> {
    let select = &experiment.select;
    let ports = select.ports.iter().flat_map(|own| own.first..=own.last);
    let prefixes: Vec<([u8; 16], u8, bool)> = select
        .prefixes
        .iter()
        .map(|(own, within)| (own.address.octets(), own.length, *within))
        .collect();
    Ok(deployment.select(ports, &prefixes, interfaces)?)
}

/// Returns the indices of interfaces by their names.
pub fn interfaces(names: &[String]) -> Result<Vec<u32>, Failure> {
    let index = |name: &String| {
        let path = format!("/sys/class/net/{name}/ifindex");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.trim().parse().map_err(|_| {
            let mut there: Vec<String> = std::fs::read_dir("/sys/class/net")
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            there.sort();
            Failure::Other(format!(
                "there is no interface \"{name}\"; this host has {}",
                there.join(", ")
            ))
        })
    };
    names.iter().map(index).collect()
}
