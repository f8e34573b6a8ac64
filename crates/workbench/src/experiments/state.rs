//! The files of states, which agents write, and that `status` and `stop` read.

use crate::error::Failure;
use narrows_deploy::state::{State, StateError};
use narrows_files::{Limit, read_unlinked};
use std::fs;
use std::path::Path;

/// Name of the file in the folder of an experiment.
pub const FILE: &str = "state.json";

/// Reads the state of an experiment.
pub fn read(states: &Path, name: &str) -> Result<State, Failure> {
    let path = states.join(name).join(FILE);
    let text = read_unlinked(&path, Limit::TEXT).map_err(|error| {
        let others = names(states);
        Failure::Other(format!(
            "there is no experiment \"{name}\" in {} ({error}); there are: {}",
            states.display(),
            if others.is_empty() { "none".to_owned() } else { others.join(", ") }
        ))
    })?;
    parsed(&String::from_utf8_lossy(&text), &path)
}

/// Parses the text of a state. `path` is its file, for errors.
pub fn parsed(text: &str, path: &Path) -> Result<State, Failure> {
    let file = path.display();
    State::read(text).map_err(|error| {
        Failure::Other(match error {
            StateError::Damaged(reason) => format!("{file} is damaged: {reason}; remove it"),
            StateError::Other(version) => format!(
                "{file} is of another version of narrows, {version}; take that version, or remove the experiment"
            ),
        })
    })
}

/// Returns the names of the experiments that have a state.
pub fn names(states: &Path) -> Vec<String> {
    let entries = fs::read_dir(states).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join(FILE).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
