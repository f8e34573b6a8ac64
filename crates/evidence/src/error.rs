//! Why evidence cannot be gathered.

use narrows_scenario::ScenarioError;
use thiserror::Error;

/// Why evidence cannot be gathered.
#[derive(Debug, Error)]
pub enum EvidenceError {
    /// A file of a suite is none.
    #[error("{file}: {says}")]
    Suite {
        /// Its name.
        file: String,
        /// What is wrong in it.
        says: String,
    },
    /// A scenario of a suite is none, or the controller under test cannot run in it.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

impl EvidenceError {
    /// It in one line, without the place in the text.
    pub(crate) fn short(&self) -> String {
        match self {
            EvidenceError::Scenario(error) => error.to_string(),
            other => other.to_string(),
        }
    }

    pub(crate) fn new(file: &str, says: &str) -> EvidenceError {
        EvidenceError::Suite { file: file.to_owned(), says: says.to_owned() }
    }
}
