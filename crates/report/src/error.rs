//! Errors of result directories.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An error with a result directory. Its message says what to do about it.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The directory already exists.
    #[error("{} already exists; choose another directory with --out, or remove this one", .0.display())]
    Exists(PathBuf),
    /// Another process is writing this directory.
    #[error("another narrows process is writing {}; wait for it, or choose another directory with --out", .0.display())]
    Busy(PathBuf),
    /// Two runs of one case have the same seed, or two cases the same label.
    #[error("two runs are called \"{0}\" with seed {1}; give the cases different labels")]
    Repeated(String, u64),
    /// A file or directory could not be written.
    #[error("cannot write {}: {source}; {remedy}", .path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
        /// Advice for the user.
        remedy: &'static str,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}; give the directory of a complete result", .path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A result directory contains a link, a pipe or a device.
    #[error("{} is no part of a result: {source}; remove it, or get an undamaged copy", .path.display())]
    Special {
        /// The path.
        path: PathBuf,
        /// The kind of the entry.
        source: io::Error,
    },
    /// The directory holds the result of a check, which lacks the requested file.
    #[error("{} is the result of a check; `narrows check --against` compares checks", .0.display())]
    OfCheck(PathBuf),
    /// The directory holds a result that keeps no runs.
    #[error("{} is {kind}; open its report.html", .path.display())]
    WithoutRuns {
        /// The path.
        path: PathBuf,
        /// Description of the result.
        kind: &'static str,
    },
    /// A directory holds only some of the runs of a sweep.
    #[error("{} is a shard of a sweep; narrows merge makes a result of all its shards", .0.display())]
    Shard(PathBuf),
    /// A directory is not a shard of a sweep.
    #[error("{} is no shard of a sweep; give directories that narrows sweep --shard has made", .0.display())]
    NoShard(PathBuf),
    /// The content of a file is invalid.
    #[error("{} is damaged or was not written by Narrows: {reason}; regenerate the result, or get an undamaged copy", .path.display())]
    Damaged {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// Returns the error for a file or directory that cannot be written, with advice that fits the
/// cause.
pub(crate) fn failed(path: &Path, source: io::Error) -> ReportError {
    let remedy = match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or choose another place with --out"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a writable place with --out"
        }
        _ => "choose another place with --out",
    };
    ReportError::Write { path: path.to_owned(), source, remedy }
}
