//! The files of states, which agents write, and that `status` and `stop` read.

pub use narrows_deploy::state::{STATES, State};

use narrows_deploy::state::FORMAT;
use narrows_files::{Limit, read_unlinked};
use narrows_workbench::Failure;
use serde_json::Value;
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
    let damaged = |error: serde_json::Error| {
        Failure::Other(format!("{} is damaged: {error}; remove it", path.display()))
    };
    let value: Value = serde_json::from_str(text).map_err(damaged)?;
    if value["format"] != FORMAT {
        return Err(Failure::Other(format!(
            "{} is of another version of narrows, {}; take that version, or remove the experiment",
            path.display(),
            value["narrows"].as_str().unwrap_or("an older one")
        )));
    }
    serde_json::from_value(value).map_err(damaged)
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
