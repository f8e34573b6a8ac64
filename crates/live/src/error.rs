//! The errors of live runs.

use narrows_kernel::KernelError;
use narrows_units::Span;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::borrow::Cow;
use std::io;
use thiserror::Error;

/// Why a live run could not begin or go on.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The kernel refused something.
    #[error("{what}: {error}; {}", remedy_of(error, remedy))]
    System {
        /// The attempt.
        what: String,
        /// The kernel's answer.
        error: io::Error,
        /// The remedy.
        remedy: &'static str,
    },
    /// The scenario asks for what this world or this kernel cannot give.
    #[error("{}: {problem}; {remedy}", LiveError::named(place))]
    Refused {
        /// Where the scenario asks: keys from its top, a flow or link by its name, for example `flow`, `first`, `transport`, `tick`.
        place: Vec<String>,
        /// The problem.
        problem: String,
        /// The remedy.
        remedy: String,
    },
    /// No flow that is answered begins or ends at a host of this name.
    #[error(
        "there is no host \"{name}\" where a flow with a controller begins or ends; there are {known}"
    )]
    NoHost {
        /// As it was given.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A controller cannot be given to the kernel.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The calls of a controller from a file cannot be recorded: why, and the remedy.
    #[error("{0}")]
    NotRecorded(String),
    /// No flow has a controller whose calls can be recorded.
    #[error(
        "there is nothing to replay: no flow has a controller that narrows gives the kernel; leave out --replay, or take one that `narrows list controllers` says to load into Linux with narrows kernel load"
    )]
    NothingToReplay,
    /// A part of a node cannot go on. Its words say why, and the remedy.
    #[error("the node \"{node}\" failed {after} after the run began: {part}: {cause}")]
    Node {
        /// The node.
        node: String,
        /// When.
        after: Span,
        /// The part of the node: a consumer, a producer, a request process, the forwarder.
        part: String,
        /// Its words.
        cause: String,
    },
    /// The caller has no program for nodes.
    #[error(
        "nobody has said which program runs the nodes of an information-centric scenario; give one, or simulate the scenario"
    )]
    NoNodes,
    /// The caller asked to stop.
    #[error("stopped before the end")]
    Stopped,
}

/// The remedy for the kernel's answer: where files run out, whatever was attempted, the limit; else what the attempt has for `otherwise`.
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
    /// A place of a scenario, for people: `flow "first", transport.tick`, `icn.law`.
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

    /// Refuses what the scenario asks at `place`.
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

    /// Turns the kernel's answer to `what` into an error with a remedy.
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
