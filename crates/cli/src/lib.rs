//! The command line of narrows: parses arguments, runs commands in the simulator or on the kernel,
//! and prints results. With this library, [`main`] is a program with additional controllers.
//!
//! A crate that adds controllers needs only this one: [`control`] has the contract and the entries
//! of the registry, and [`params`], [`units`] and [`wire`] have the types in them. Their version is
//! the program's version, which is below 1, so each release may change them.

mod bench;
mod cli;
mod commands;
mod counters;
mod deploy;
mod diff;
mod doctor;
mod export;
mod figure;
mod forward;
mod inspect;
mod kernel;
mod list;
mod manual;
mod report;
mod terminal;
mod tips;

use clap::FromArgMatches;
use cli::Cli;
use narrows_control::Entry;
use narrows_scenario::visible;
use narrows_workbench::{Failure, interruption, session};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

pub use narrows_control as control;
pub use narrows_params as params;
pub use narrows_units as units;
pub use narrows_wire as wire;
pub use narrows_workbench as workbench;

/// Prints the reason why a command line is invalid, or the requested help. Returns the exit status.
fn refused(error: &clap::Error) -> u8 {
    let rendered = error.render().to_string();
    // Replaces the message of Rust's integer parser.
    let text = rendered.replace("invalid digit found in string", "give a whole number");
    // Values of flags may be from outside, and clap repeats them, so control characters are
    // removed. There is nowhere to report a failure to print.
    match visible(&text) {
        Cow::Borrowed(shown) if shown == rendered => _ = error.print(),
        shown => _ = std::io::stderr().write_all(shown.as_bytes()),
    }
    error.exit_code() as u8
}

/// Runs the program `narrows` on the arguments of the process, with additional controllers.
/// Scenarios and arguments choose a controller by the name of its entry. Lists have these
/// controllers after the built-in ones.
///
/// Returns the exit status of the command. It is 2, after a message on standard error, if an entry
/// is refused because its name is taken or cannot be written on a command line.
pub fn main(entries: &[&'static Entry]) -> ExitCode {
    ExitCode::from(with_entries(entries, std::env::args_os()))
}

/// Runs the program on these words, beginning with the program name: `narrows`, `compare`, `cubic`.
/// It prints and handles signals like a separate process. The words can name controllers from
/// files.
///
/// Returns the exit status.
pub fn program(words: impl IntoIterator<Item = OsString>) -> u8 {
    with_entries(&[], words)
}

/// Carries out a command in a session with these controllers.
fn with_entries(entries: &[&'static Entry], words: impl IntoIterator<Item = OsString>) -> u8 {
    let session = match session(entries) {
        Ok(session) => session,
        Err(refused) => {
            Failure::Other(refused.to_string()).print();
            return 2;
        }
    };
    let _session = session.enter();
    carried_out(words)
}

/// Installs the signal handlers first, because parsing the words may compile controllers.
fn heed_signals(words: &[OsString]) {
    let is = |word: &OsString, one_of: &[&str]| one_of.iter().any(|own| word == own);
    let command = match words.get(1) {
        Some(word) if is(word, &["lab"]) => words.get(2),
        first => first,
    };
    match command {
        // A node belongs to a live run, which ends it.
        Some(word) if is(word, &["node"]) => {}
        // These commands may enter a user namespace, and start the thread after that.
        Some(word)
            if is(word, &["live", "fidelity"])
                || words.iter().any(|word| is(word, &["--live"])) =>
        {
            interruption::heed()
        }
        _ => interruption::insist(),
    }
}

fn carried_out(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    heed_signals(&words);
    let parsed = cli::command()
        .try_get_matches_from(&words)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return refused(&tips::with_tip(error, &words)),
    };
    let carried_out = commands::command(cli);
    interruption::ended();
    match carried_out {
        // A reader that closes the pipe early (`narrows list | head`) is not a failure.
        Err(Failure::Print(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(failure) => {
            failure.print();
            2
        }
        Ok(outcome) => outcome.status(),
    }
}
