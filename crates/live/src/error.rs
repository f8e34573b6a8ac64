//! Errors of live runs.

use narrows_kernel::KernelError;
use narrows_units::Span;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::borrow::Cow;
use std::io;
use thiserror::Error;

/// The reason why a live run could not begin or continue.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The kernel refused an operation.
    #[error("{what}: {error}; {}", remedy_of(error, remedy))]
    System {
        /// Failed operation.
        what: String,
        /// Error of the kernel.
        error: io::Error,
        /// Remedy.
        remedy: &'static str,
    },
    /// The scenario needs a feature that this world or this kernel lacks.
    #[error("{}: {problem}; {remedy}", LiveError::named(place))]
    Refused {
        /// Place in the scenario: keys from its top, with a flow or link by its name, for example
        /// `flow`, `first`, `transport`, `tick`.
        place: Vec<String>,
        /// Problem.
        problem: String,
        /// Remedy.
        remedy: String,
    },
    /// No flow with acknowledgements begins or ends at a host of this name.
    #[error(
        "there is no host \"{name}\" where a flow with a controller begins or ends; there are {known}"
    )]
    NoHost {
        /// Name as given.
        name: String,
        /// Names of the known hosts.
        known: String,
    },
    /// A controller cannot be loaded into the kernel.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The calls of a controller from a file cannot be recorded; the text has the reason and the
    /// remedy.
    #[error("{0}")]
    NotRecorded(String),
    /// No flow has a controller with recordable calls.
    #[error(
        "there is nothing to replay: no flow has a controller that narrows gives the kernel; leave out --replay, or take one that `narrows list controllers` says to load into Linux with narrows kernel load"
    )]
    NothingToReplay,
    /// A part of a node failed. Its message has the reason and the remedy.
    #[error("the node \"{node}\" failed {after} after the run began: {part}: {cause}")]
    Node {
        /// Name of the node.
        node: String,
        /// Time since the run began.
        after: Span,
        /// Part of the node: a consumer, a producer, a request process, the forwarder.
        part: String,
        /// Message of the part.
        cause: String,
    },
    /// The caller gave no program for nodes.
    #[error(
        "nobody has said which program runs the nodes of an information-centric scenario; give one, or simulate the scenario"
    )]
    NoNodes,
    /// The caller stopped the run.
    #[error("stopped before the end")]
    Stopped,
}

/// Returns the remedy for an error of the kernel: the limit of open files if that is the cause,
/// otherwise `otherwise`.
fn remedy_of<'a>(error: &io::Error, otherwise: &'a str) -> Cow<'a, str> {
    match Errno::from_io_error(error) {
        Some(Errno::MFILE) if !otherwise.contains("ulimit -n") => {
            let most = getrlimit(Resource::Nofile)
                .current
                .map_or_else(String::new, |most| format!(", which is {most} here"));
            Cow::Owned(format!("raise the limit of open files of a process (ulimit -n){most}"))
        }
        Some(Errno::NFILE) => {
            Cow::Borrowed("raise the limit of open files of the host (sysctl fs.file-max)")
        }
        _ => Cow::Borrowed(otherwise),
    }
}

impl LiveError {
    /// Formats a place of a scenario for people: `flow "first", transport.tick`, `icn.law`.
    pub fn named(place: &[String]) -> String {
        match place {
            [table, ..] if table == "icn" => place.join("."),
            [list, name] => format!("{list} \"{name}\""),
            [list, name, key @ ..] if !key.is_empty() => {
                format!("{list} \"{name}\", {}", key.join("."))
            }
            other => other.join("."),
        }
    }

    /// Refuses the key of the scenario at `place`.
    pub(crate) fn refused<W: Into<String>>(
        place: impl IntoIterator<Item = W>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LiveError {
        LiveError::Refused {
            place: place.into_iter().map(Into::into).collect(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// Converts an error of the kernel in the operation `what` to an error with a remedy.
    pub(crate) fn system(
        what: impl Into<String>,
        remedy: &'static str,
    ) -> impl FnOnce(io::Error) -> LiveError {
        let what = what.into();
        move |error| LiveError::System { what, error, remedy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_files_run_out_the_limit_is_named_whatever_was_attempted() {
        let said = |errno: Errno, remedy| {
            LiveError::system("a device cannot be made", remedy)(errno.into()).to_string()
        };
        let files = said(Errno::MFILE, "sudo modprobe tun");
        assert!(
            files.contains("raise the limit of open files of a process (ulimit -n), which is ")
                && !files.contains("modprobe"),
            "{files}"
        );
        assert!(
            said(Errno::NFILE, "sudo modprobe tun")
                .ends_with("; raise the limit of open files of the host (sysctl fs.file-max)")
        );
        assert!(said(Errno::NOENT, "sudo modprobe tun").ends_with("; sudo modprobe tun"));
        let own = "raise the limit of open files (ulimit -n), or let fewer transfers arrive";
        assert!(said(Errno::MFILE, own).ends_with(own));
    }
}
