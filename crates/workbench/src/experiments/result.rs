//! The result of an experiment, from its folder.

use super::folder::{Stored, stored};
use super::state::FILE;
use crate::error::Failure;
use crate::meter;
use crate::program::version;
use narrows_deploy::Experiment;
use narrows_deploy::result::{Ended, Summary, page, table};
use narrows_deploy::state::State;
use narrows_deploy::trial::Trial;
use narrows_files::{Limit, read_text};
use narrows_report::{Bundle, Reserved, RunInfo, write_bundle};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Returns the folder of an experiment by its name or its path.
pub fn place(name: &Path, states: &Path) -> PathBuf {
    let is_path = name.components().count() > 1 || name.join(FILE).is_file();
    if is_path { name.to_owned() } else { states.join(name) }
}

/// Reads the summary of a plan from its result.
pub fn plan(directory: &Path) -> Result<Value, Failure> {
    let path = directory.join("summary.json");
    let refuse = |error: String| {
        Failure::Other(format!(
            "{} is no result of a plan: {error}; give the directory that `narrows deploy plan` has written",
            directory.display()
        ))
    };
    let text = read_text(&path, Limit::MEASUREMENT).map_err(|error| refuse(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    if value["candidates"].is_array() {
        Ok(value)
    } else {
        Err(refuse("its summary has no candidates".to_owned()))
    }
}

/// Writes the result of an experiment into a new directory; a result that is there is replaced only
/// if it is the experiment's own.
pub fn write_result(
    folder: &Path,
    out: &Path,
    plan: Option<&Value>,
) -> Result<(Summary, State), Failure> {
    let (began, at) = (Instant::now(), SystemTime::now());
    let Stored { text, state, periods } = stored(folder)?;
    let mut experiment = Experiment::read(&text, "experiment.toml", &|_| Ok(()))?;
    experiment.treatment.clone_from(&state.arms[1]);
    let mut trial = Trial::new(&experiment).map_err(Failure::Other)?;
    trial.restore(periods).map_err(|error| Failure::Other(error.to_string()))?;
    let ended = Ended { experiment: &experiment, trial: &trial, state: &state, plan };
    let summary = Summary::of(&ended);
    let reserved = Reserved::new(out)?;
    let documents = vec![
        ("report.html".to_owned(), page(&ended).into_bytes()),
        ("summary.json".to_owned(), summary.json().into_bytes()),
        ("experiment.toml".to_owned(), text.into_bytes()),
    ];
    let info = RunInfo {
        build: version().to_owned(),
        command: std::env::args().collect(),
        host: state.host.clone(),
        started_unix_s: at.duration_since(UNIX_EPOCH).ok().map(|own| own.as_secs()),
        wall: began.elapsed(),
        peak_memory_mib: meter::peak_memory_mib(),
        ..RunInfo::default()
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let table = Some(("periods".to_owned(), table(&ended)));
    write_bundle(reserved, Bundle { documents, table, version }, &info)?;
    Ok((summary, state))
}

/// Removes an earlier result of the same experiment.
pub fn remove_old(out: &Path) -> Result<(), Failure> {
    let is_result = out.join("SHA256SUMS").is_file() && out.join("summary.json").is_file();
    if !out.exists() {
        return Ok(());
    }
    let removed = if is_result {
        fs::remove_dir_all(out)
    } else {
        Err(std::io::Error::other("it is no result"))
    };
    removed.map_err(|error| {
        Failure::Other(format!(
            "{} cannot be replaced: {error}; give another place with --out",
            out.display()
        ))
    })
}
