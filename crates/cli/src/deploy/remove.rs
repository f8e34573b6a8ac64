//! `narrows deploy remove`.

use crate::cli::DeployRemoveArgs;
use crate::terminal;
use narrows_kernel::deployment::Deployment;
use narrows_workbench::experiments::{has_agent, names};
use narrows_workbench::{Failure, Outcome};
use std::fs;

/// Removes what an experiment that has ended has left: its pins and its state.
pub fn remove(args: &DeployRemoveArgs) -> Result<Outcome, Failure> {
    let name = &args.name;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let path = args.state.join(name);
    let is_named = !name.is_empty() && name.chars().all(plain);
    let is_pinned = is_named && Deployment::names().contains(name);
    if !is_named || !(is_pinned || path.is_dir()) {
        let others = names(&args.state);
        return Err(Failure::Other(format!(
            "there is no experiment \"{name}\" in {}; there are: {}",
            args.state.display(),
            if others.is_empty() { "none".to_owned() } else { others.join(", ") }
        )));
    }
    if has_agent(&args.state, name) {
        return Err(Failure::Other(format!(
            "the experiment \"{name}\" goes on; `narrows deploy stop {name}` ends it"
        )));
    }
    if is_pinned {
        // A killed agent may have left a part of the pins, with which nobody can be treated.
        match Deployment::adopt(name) {
            Ok(Some(pinned)) => {
                pinned.roll_back()?;
                pinned.put_back()?;
                std::thread::sleep(super::stop::DRAIN);
                pinned.remove()?;
            }
            _ => drop(Deployment::discard(name)?),
        }
    }
    if path.is_dir() {
        fs::remove_dir_all(&path).map_err(|error| {
            Failure::Other(format!("{} cannot be removed: {error}", path.display()))
        })?;
    }
    terminal::print(&format!("{name} is removed.\n"))?;
    Ok(Outcome::Ok)
}
