//! The folder of an experiment as its agent has it: locked, and written.

use super::folder::{EXPERIMENT, LONGEST};
use super::state::FILE;
use crate::error::Failure;
use narrows_deploy::trial::{KeptPeriod, PERIODS};
use narrows_files::{Folder, read_unlinked};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How stop wants open connections to end.
const OPEN: &str = "open";

/// The folder of an experiment, locked by its agent.
pub struct Own {
    path: PathBuf,
    periods: File,
    /// Records of single connections, if the experiment keeps some.
    connections: Option<File>,
    /// True if there was no such experiment before.
    is_new: bool,
    /// Keeps the lock.
    _lock: File,
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> Failure + use<'_> {
    move |error| {
        Failure::Other(format!(
            "the state cannot be written into {}: {error}; choose another place with --state",
            path.display()
        ))
    }
}

impl Own {
    /// Locks the folder of an experiment, which is made if it does not exist.
    pub fn lock(states: &Path, name: &str) -> Result<Own, Failure> {
        let path = states.join(name);
        let made = fs::DirBuilder::new().mode(0o700).recursive(true).create(&path);
        made.map_err(failed(&path))?;
        let lock = File::open(&path).map_err(failed(&path))?;
        // A command that only asks whether there is an agent holds the lock for a moment.
        let is_locked = |_| {
            let locked = flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
            if !locked {
                thread::sleep(Duration::from_millis(20));
            }
            locked
        };
        if !(0..20).any(is_locked) {
            return Err(Failure::Other(format!(
                "an experiment \"{name}\" goes on; `narrows deploy status {name}` shows it, `narrows deploy stop {name}` ends it"
            )));
        }
        let periods = append(&path.join(PERIODS)).map_err(failed(&path))?;
        let is_new = !path.join(FILE).exists() && !path.join(EXPERIMENT).exists();
        Ok(Own { path, periods, connections: None, is_new, _lock: lock })
    }

    /// Writes the file of the experiment.
    pub fn keep_experiment(&self, text: &str) -> Result<(), Failure> {
        let _ = fs::remove_file(self.path.join(OPEN));
        let written =
            Folder::open(&self.path).and_then(|folder| folder.write(EXPERIMENT, text.as_bytes()));
        written.map_err(failed(&self.path))
    }

    /// Adds a period that is over, and syncs it to the disk.
    pub fn add(&mut self, period: &KeptPeriod) -> Result<(), Failure> {
        let written = self.periods.write_all(period.line().as_bytes());
        written.and_then(|()| self.periods.sync_data()).map_err(failed(&self.path))
    }

    /// Adds lines about connections.
    pub fn add_connections(&mut self, heads: &str, lines: &str) -> Result<(), Failure> {
        if lines.is_empty() {
            return Ok(());
        }
        let path = self.path.join("connections.csv");
        if self.connections.is_none() {
            let mut file = append(&path).map_err(failed(&self.path))?;
            if file.metadata().is_ok_and(|own| own.len() == 0) {
                file.write_all(heads.as_bytes()).map_err(failed(&self.path))?;
            }
            self.connections = Some(file);
        }
        let file = self.connections.as_mut().expect("it was just opened");
        file.write_all(lines.as_bytes()).map_err(failed(&self.path))
    }

    /// Removes a last line of the periods that is not whole.
    pub fn mend(&self) -> Result<(), Failure> {
        let text = read_unlinked(&self.path.join(PERIODS), LONGEST).map_err(failed(&self.path))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.periods.set_len(whole as u64).map_err(failed(&self.path))
    }

    /// Removes the folder of an experiment that did not begin. The files of an earlier agent stay.
    pub fn give_up(self) {
        if self.is_new {
            let names = [PERIODS, EXPERIMENT, FILE];
            names.iter().for_each(|name| drop(fs::remove_file(self.path.join(name))));
            let _ = fs::remove_dir(&self.path);
        }
    }

    /// Returns how stop wants open connections to end, if it has said so.
    pub fn wanted(&self) -> Option<String> {
        fs::read_to_string(self.path.join(OPEN)).ok()
    }
}

fn append(path: &Path) -> std::io::Result<File> {
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(no_link).open(path)
}

/// Tells the agent how open connections are to end.
pub fn want(states: &Path, name: &str, open: &str) -> Result<(), Failure> {
    let path = states.join(name);
    let written = Folder::open(&path).and_then(|folder| folder.write(OPEN, open.as_bytes()));
    written.map_err(failed(&path))
}
