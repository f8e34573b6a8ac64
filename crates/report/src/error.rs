//! What goes wrong with result directories.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What went wrong with a result directory, and what to do about it.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The directory is there already.
    #[error("{} already exists; choose another directory with --out, or remove this one", .0.display())]
    Exists(PathBuf),
    /// Another process makes this directory.
    #[error("another narrows process is writing {}; wait for it, or choose another directory with --out", .0.display())]
    Busy(PathBuf),
    /// Two runs of one case have the same seed, or two cases the same label.
    #[error("two runs are called \"{0}\" with seed {1}; give the cases different labels")]
    Repeated(String, u64),
    /// A file or directory could not be written.
    #[error("cannot write {}: {source}; {remedy}", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// What helps.
        remedy: &'static str,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}; give the directory of a complete result", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A result directory has something that no result has.
    #[error("{} is no part of a result: {source}; remove it, or get an undamaged copy", .path.display())]
    Special {
        /// Which.
        path: PathBuf,
        /// What it is instead.
        source: io::Error,
    },
    /// What is asked of a result that a check does not have.
    #[error("{} is the result of a check, whose figures are in its report.html; `narrows check --against` compares checks", .0.display())]
    OfCheck(PathBuf),
    /// A directory has some of the runs of a sweep.
    #[error("{} is a shard of a sweep; narrows merge makes a result of all its shards", .0.display())]
    Shard(PathBuf),
    /// A directory is a result, but not of some of the runs of a sweep.
    #[error("{} is no shard of a sweep; give directories that narrows sweep --shard has made", .0.display())]
    NoShard(PathBuf),
    /// A file does not say what it should.
    #[error("{} is damaged or was not written by Narrows: {reason}; regenerate the result, or get an undamaged copy", .path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A file or directory that cannot be written, with the remedy for the reason.
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
