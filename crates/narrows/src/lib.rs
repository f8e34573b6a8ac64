//! The program as a library: [`main`] is `narrows` with additional controllers. `narrows-cli` has
//! the rest.

pub use narrows_cli::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// Tells results and `--version` the commit that this program is built from, if it is known.
pub fn identify() {
    if let Some(commit) = option_env!("NARROWS_COMMIT").filter(|commit| !commit.is_empty()) {
        workbench::is_of(commit);
    }
}

/// Runs the program `narrows` on the arguments of the process, with additional controllers: see
/// [`narrows_cli::main`].
pub fn main(entries: &[&'static control::Entry]) -> ExitCode {
    identify();
    narrows_cli::main(entries)
}

/// Runs the program on these words: see [`narrows_cli::program`].
pub fn program(words: impl IntoIterator<Item = OsString>) -> u8 {
    identify();
    narrows_cli::program(words)
}
