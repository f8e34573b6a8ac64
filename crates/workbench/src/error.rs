//! Failures of a command.

use crate::locale::{is_utf8, localised};
use narrows_evidence::EvidenceError;
use narrows_report::ReportError;
use narrows_scenario::{ErrorStyle, ScenarioError, visible};
use std::io::{self, IsTerminal, Write};
use thiserror::Error;

/// Reason why a request failed. The exit status is 2.
#[derive(Debug, Error)]
pub enum Failure {
    /// The scenario is refused.
    #[error("{0}")]
    Scenario(#[from] narrows_scenario::ScenarioError),
    /// A run in the simulator failed.
    #[error("{0}")]
    Simulation(#[from] narrows_sim::SimError),
    /// A run on the kernel failed.
    #[error("{0}")]
    Live(#[from] narrows_live::LiveError),
    /// The kernel refused a controller.
    #[error("{0}")]
    Kernel(#[from] narrows_kernel::KernelError),
    /// A result cannot be read or written.
    #[error("{0}")]
    Report(#[from] narrows_report::ReportError),
    /// The user's program failed.
    #[error("the program \"{name}\" {exit}; its measurements are in {}", kept.display())]
    Program {
        /// First word of the program.
        name: String,
        /// End of the program.
        exit: narrows_live::Exit,
        /// Result directory.
        kept: std::path::PathBuf,
    },
    /// Standard output is closed or full.
    #[error(
        "the output cannot be printed: {0}; redirect it elsewhere; results are in their directory regardless"
    )]
    Print(#[from] io::Error),
    /// The host stopped the request.
    #[error("stopped; nothing was written")]
    Interrupted,
    /// The host stopped the request, and its finished runs are stored.
    #[error("stopped; {done} of {all} runs are kept in {file}: {resume} resumes")]
    Paused {
        /// Number of finished runs.
        done: u64,
        /// Number of all runs.
        all: u64,
        /// File of stored runs.
        file: String,
        /// Command that does the others.
        resume: String,
    },
    /// Any other reason, as a text with place and remedy.
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

/// Reason why a request was not carried out, as a text for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The request was stopped.
    Stopped {
        /// Message with the stored runs and how to resume.
        text: String,
    },
    /// The request failed.
    Failed {
        /// Message that the program would print on standard error: the place, the reason and a
        /// remedy.
        text: String,
    },
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        let text = failure.text(false);
        match failure {
            Failure::Interrupted | Failure::Paused { .. } => Refused::Stopped { text },
            _ => Refused::Failed { text },
        }
    }
}

impl From<ScenarioError> for Refused {
    fn from(error: ScenarioError) -> Refused {
        Failure::Scenario(error).into()
    }
}

impl From<ReportError> for Refused {
    fn from(error: ReportError) -> Refused {
        Failure::Report(error).into()
    }
}
