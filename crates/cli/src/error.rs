//! Failures of a command.

use crate::locale::{is_utf8, localised};
use narrows_evidence::EvidenceError;
use narrows_scenario::{ErrorStyle, visible};
use std::io::{self, IsTerminal, Write};
use thiserror::Error;

/// Reason why a command failed. The exit status is 2.
#[derive(Debug, Error)]
pub enum Failure {
    #[error("{0}")]
    Scenario(#[from] narrows_scenario::ScenarioError),
    #[error("{0}")]
    Simulation(#[from] narrows_sim::SimError),
    #[error("{0}")]
    Live(#[from] narrows_live::LiveError),
    #[error("{0}")]
    Kernel(#[from] narrows_kernel::KernelError),
    #[error("{0}")]
    Report(#[from] narrows_report::ReportError),
    #[error("the program \"{name}\" {exit}; its measurements are in {}", kept.display())]
    Program { name: String, exit: narrows_live::Exit, kept: std::path::PathBuf },
    #[error(
        "the output cannot be printed: {0}; redirect it elsewhere; results are in their directory regardless"
    )]
    Print(#[from] io::Error),
    #[error("stopped; nothing was written")]
    Interrupted,
    #[error("stopped; {done} of {all} runs are kept in {file}: {resume} resumes")]
    Paused { done: u64, all: u64, file: String, resume: String },
    #[error("{0}")]
    Other(String),
}

impl From<EvidenceError> for Failure {
    fn from(error: EvidenceError) -> Failure {
        match error {
            EvidenceError::Scenario(error) => Failure::Scenario(error),
            other => Failure::Other(other.to_string()),
        }
    }
}

impl Failure {
    /// Converts the error of a capture or log that cannot start. An error about the scenario
    /// already has a complete text.
    pub fn from_capture(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::InvalidInput => Failure::Other(error.to_string()),
            _ => Failure::Other(format!(
                "a capture or log cannot be written: {error}; choose another place with --out"
            )),
        }
    }

    /// Prints the failure to standard error, with the line of the scenario if there is one.
    pub fn print(&self) {
        let mut stderr = io::stderr().lock();
        let colour = stderr.is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        // There is nowhere to report a failure of this write.
        let _ = stderr.write_all(self.text(colour).as_bytes());
    }

    /// Returns the text for the user.
    pub fn text(&self, colour: bool) -> String {
        match self {
            Failure::Scenario(error) => {
                let style = ErrorStyle { unicode: is_utf8(), colour };
                localised(&error.rendered(style)).into_owned()
            }
            other => localised(&format!("error: {}\n", visible(&other.to_string()))).into_owned(),
        }
    }
}
