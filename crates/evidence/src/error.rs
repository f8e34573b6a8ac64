//! Errors in gathering evidence.

use narrows_scenario::ScenarioError;
use thiserror::Error;

/// An error in gathering evidence.
#[derive(Debug, Error)]
pub enum EvidenceError {
    /// A file of a suite is invalid.
    #[error("{file}: {says}")]
    Suite {
        /// Name of the file.
        file: String,
        /// Description of the error.
        says: String,
    },
    /// A scenario of a suite is invalid, or the controller under test cannot run in it.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

impl EvidenceError {
    /// Returns the error in one line, without its position in the text.
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
