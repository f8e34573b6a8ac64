//! The control groups of an experiment.

use std::time::Instant;

/// A control group of the experiment.
pub struct Group {
    /// Its directory.
    pub path: std::path::PathBuf,
    /// Its inode when the program was attached.
    pub inode: Option<u64>,
    /// Since when it is not there.
    pub gone: Option<Instant>,
}
