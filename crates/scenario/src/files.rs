//! Reading of scenario files and of the files that they name.

use narrows_files::{Limit, read_text};
use std::io;
use std::path::Path;

/// Reads the files that a scenario names.
pub type ReadFile<'a> = dyn Fn(&Path) -> io::Result<String> + 'a;

/// Reads a scenario file.
pub(crate) fn scenario_text(path: &Path) -> io::Result<String> {
    read_text(path, Limit::TEXT)
}

/// Reads a file that a scenario or a command names: a trace or a measurement.
///
/// # Errors
/// The file cannot be read, is not UTF-8, is longer than 256 MiB (as an endless device is), or is a
/// pipe without a writer.
pub fn read_named(path: &Path) -> io::Result<String> {
    read_text(path, Limit::TRACE)
}
