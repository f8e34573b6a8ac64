//! Files that are read whole: scenarios, and what they name.

use narrows_files::{Limit, read_text};
use std::io;
use std::path::Path;

/// How the files that a scenario names are read.
pub type ReadFile<'a> = dyn Fn(&Path) -> io::Result<String> + 'a;

/// The text of a scenario file.
pub(crate) fn scenario_text(path: &Path) -> io::Result<String> {
    read_text(path, Limit::TEXT)
}

/// The text of a file that a scenario or a command names: a trace or a measurement.
///
/// # Errors
/// It cannot be read, is not UTF-8, is longer than 256 MiB, as a device without an end is, or is a pipe from which nothing comes.
pub fn read_named(path: &Path) -> io::Result<String> {
    read_text(path, Limit::TRACE)
}
