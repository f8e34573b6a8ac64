//! Files that are read whole: scenarios, and what they name.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest scenario, in bytes.
const SCENARIO: u64 = 16 << 20;
/// The longest trace or measurement: an hour of 10 Gbit/s in mahimahi's format is a third longer.
const NAMED: u64 = 1 << 30;

/// How the files that a scenario names are read.
pub type ReadFile<'a> = dyn Fn(&Path) -> io::Result<String> + 'a;

/// The text of a scenario file.
pub(crate) fn scenario_text(path: &Path) -> io::Result<String> {
    limited(path, SCENARIO)
}

/// The text of a file that a scenario or a command names: a trace or a measurement.
///
/// # Errors
/// It cannot be read, is not UTF-8, or is longer than 1 GiB, as a device without an end is.
pub fn read_named(path: &Path) -> io::Result<String> {
    limited(path, NAMED)
}

fn limited(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {} MiB", most >> 20)));
    }
    Ok(text)
}
