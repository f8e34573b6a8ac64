//! Writes the states of experiments.

use super::state::FILE;
use crate::error::Failure;
use narrows_deploy::state::State;
use narrows_files::Folder;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

/// Writes a state into the directory of its experiment, which is made if it does not exist.
pub fn write(state: &State, states: &Path) -> Result<(), Failure> {
    let directory = states.join(&state.name);
    let text = serde_json::to_string_pretty(state).expect("its fields are texts and numbers");
    let written = fs::DirBuilder::new()
        .mode(0o700)
        .recursive(true)
        .create(&directory)
        .and_then(|()| Folder::open(&directory))
        .and_then(|folder| folder.write(FILE, (text + "\n").as_bytes()));
    written.map_err(|error| {
        Failure::Other(format!(
            "the state cannot be written into {}: {error}; choose another place with --state",
            directory.display()
        ))
    })
}

/// Writes states from a thread of its own, so that a slow disk holds up neither the lease nor the
/// reading of records. It writes the latest of several states that wait.
pub struct Writer {
    states: mpsc::Sender<State>,
    thread: JoinHandle<Result<(), Failure>>,
}

impl Writer {
    /// Starts the thread.
    pub fn start(directory: PathBuf) -> Writer {
        let (states, waiting) = mpsc::channel::<State>();
        let thread = thread::spawn(move || {
            while let Ok(state) = waiting.recv() {
                write(&waiting.try_iter().last().unwrap_or(state), &directory)?;
            }
            Ok(())
        });
        Writer { states, thread }
    }

    /// Has a state written soon. Returns false if an earlier one could not be written.
    pub fn put(&self, state: &State) -> bool {
        self.states.send(state.clone()).is_ok()
    }

    /// Waits until all states are written.
    pub fn end(self) -> Result<(), Failure> {
        drop(self.states);
        self.thread.join().expect("the thread does not panic")
    }
}
