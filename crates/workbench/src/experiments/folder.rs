//! The folder of an experiment: its file, its state, and its periods.

use super::state::{FILE, parsed};
use crate::error::Failure;
use narrows_deploy::state::State;
use narrows_deploy::trial::KeptPeriod;
use narrows_deploy::trial::PERIODS;
use narrows_files::{Limit, read_unlinked};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::Path;

/// The file of the experiment, as it was when it began.
pub const EXPERIMENT: &str = "experiment.toml";
/// Limit of the file of periods: a period takes some kilobytes, and there are at most 1024.
pub const LONGEST: Limit = Limit::MEASUREMENT;

/// True if the agent of an experiment is there: it has locked the folder.
pub fn has_agent(states: &Path, name: &str) -> bool {
    let Ok(file) = File::open(states.join(name)) else { return false };
    flock(&file, FlockOperation::NonBlockingLockShared).is_err()
}

/// An experiment that is kept in a folder.
pub struct Stored {
    /// The text of its file.
    pub text: String,
    /// Its state.
    pub state: State,
    /// Its periods that are over.
    pub periods: Vec<KeptPeriod>,
}

/// Reads the folder of an experiment.
pub fn stored(path: &Path) -> Result<Stored, Failure> {
    let text = |name: &str| {
        let path = path.join(name);
        read_unlinked(&path, LONGEST)
            .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
            .map_err(|error| {
                Failure::Other(format!(
                    "{} cannot be read: {error}; name an experiment, or the folder of its state",
                    path.display()
                ))
            })
    };
    let state = parsed(&text(FILE)?, &path.join(FILE))?;
    let file = path.join(PERIODS).display().to_string();
    let periods = KeptPeriod::read(&text(PERIODS)?, &file)
        .map_err(|error| Failure::Other(error.to_string()))?;
    Ok(Stored { text: text(EXPERIMENT)?, state, periods })
}
