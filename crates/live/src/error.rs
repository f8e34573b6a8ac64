//! What keeps a scenario from running live.

use std::io;
use thiserror::Error;

/// Why a live run could not begin or go on.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The kernel refused something.
    #[error("{what}: {error}; {remedy}")]
    System {
        /// What was attempted.
        what: String,
        /// The kernel's answer.
        error: io::Error,
        /// What may help.
        remedy: &'static str,
    },
    /// The scenario asks for what this world or this kernel cannot give.
    #[error("{place}: {problem}; {remedy}")]
    Refused {
        /// The flow, link or key.
        place: String,
        /// What cannot be had.
        problem: String,
        /// What would be possible.
        remedy: String,
    },
    /// The caller asked to stop.
    #[error("stopped before the end")]
    Stopped,
}

impl LiveError {
    /// Turns the kernel's answer to `what` into an error with a remedy.
    pub(crate) fn system(what: impl Into<String>, remedy: &'static str) -> impl FnOnce(io::Error) -> LiveError {
        let what = what.into();
        move |error| LiveError::System { what, error, remedy }
    }
}
