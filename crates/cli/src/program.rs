//! The file that holds this code.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

static FILE: OnceLock<PathBuf> = OnceLock::new();

/// Says which file holds this code, where that is not the program's own: a library. Who comes second changes nothing.
pub fn is_in(file: PathBuf) {
    let _ = FILE.set(file);
}

/// The file.
pub fn file() -> io::Result<PathBuf> {
    FILE.get().map_or_else(std::env::current_exe, |file| Ok(file.clone()))
}
