//! A request with many runs, which are stored until its result is complete: it can be stopped and
//! resumed.

use crate::error::Failure;
use crate::interruption::keeps;
use crate::program;
use crate::run_store::{self, Origin, RunStore};
use crate::stored_controllers;
use narrows_report::Input;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The stored runs of a request, whose results are `T`.
pub struct Campaign<T> {
    store: RunStore<T>,
    file: PathBuf,
    resume: String,
}

impl Origin {
    /// Describes the runs of a request of this program with the controller files that are loaded.
    /// `sweep` is the text on which the runs depend.
    pub fn of(remake: String, sweep: String, inputs: Vec<Input>) -> Origin {
        Origin {
            program: program::build(),
            remake,
            sweep,
            inputs,
            controllers: stored_controllers::loaded(),
            scorecard: None,
            pairs: Vec::new(),
            shard: None,
        }
    }
}

impl<T: Serialize + DeserializeOwned> Campaign<T> {
    /// Opens the stored runs beside the result directory, or begins to store runs there. `resume`
    /// is the command that resumes the request.
    pub fn begin(
        directory: &Path,
        origin: &Origin,
        resume: String,
    ) -> Result<Campaign<T>, Failure> {
        let file = run_store::partial(directory);
        let store = RunStore::open(file.clone(), origin)?;
        keeps(&file);
        Ok(Campaign { store, file, resume })
    }

    /// Converts an interruption to the failure that reports the stored runs. `all` is the number of
    /// runs that the request needs.
    pub fn paused(&self, failure: Failure, all: u64) -> Failure {
        match failure {
            Failure::Interrupted => Failure::Paused {
                done: self.store.done(),
                all,
                file: self.file.display().to_string(),
                resume: self.resume.clone(),
            },
            other => other,
        }
    }

    /// Returns the result of the work on all runs. After a failure, an empty file of runs would be
    /// in the way of the next request, so it is removed.
    pub fn worked<R>(self, result: Result<R, Failure>, all: u64) -> Result<(Self, R), Failure> {
        match result {
            Ok(result) => Ok((self, result)),
            Err(failure @ Failure::Interrupted) => Err(self.paused(failure, all)),
            Err(failure) => {
                self.store.remove_if_empty();
                Err(failure)
            }
        }
    }

    /// Removes the stored runs, because the result directory has everything.
    pub fn complete(self) -> Result<(), Failure> {
        self.store.remove()
    }
}

impl<T> Deref for Campaign<T> {
    type Target = RunStore<T>;

    fn deref(&self) -> &RunStore<T> {
        &self.store
    }
}
