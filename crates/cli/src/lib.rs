//! The command line: parses, chooses a world, prints. As a library it is a program with controllers of one's own: [`main`].
//!
//! A crate that adds controllers needs no other: [`control`] has the contract and the registry's entries, [`params`], [`units`] and [`wire`] the types in them.
//! They follow the program's version, which is below 1: they may change with each.

mod attack;
mod bench;
mod bpf_log;
mod bursts;
mod captures;
mod carried;
mod cells;
mod check;
mod cli;
mod commands;
mod compare;
mod conflicts;
mod console;
mod contenders;
mod controller_files;
mod diff;
mod doctor;
mod error;
mod export;
mod fidelity;
mod figure;
mod forward;
mod http;
mod icn;
mod inputs;
mod inspect;
mod interruption;
mod kernel;
mod list;
mod live;
mod locale;
mod matrix;
mod merge;
mod meter;
mod node;
mod offload;
mod outcome;
mod output;
mod overlays;
mod pairs;
pub mod policies;
mod program;
mod quote;
mod report;
mod reproduce;
mod routers;
mod run;
mod runner;
mod scorecard;
mod shard;
mod sweep;
mod tips;
mod unmarked;
mod unopened;
mod unverified;
mod watch;
pub mod within;
mod work;

use clap::Parser;
use cli::Cli;
use error::Failure;
use narrows_control::{Entry, register};
use narrows_scenario::visible;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

pub use narrows_control as control;
pub use narrows_params as params;
pub use narrows_units as units;
pub use narrows_wire as wire;

/// Tells why a command line is none, or the help that it asks for.
fn refused(error: &clap::Error) -> u8 {
    let rendered = error.render().to_string();
    // The words of Rust's parser of whole numbers.
    let text = rendered.replace("invalid digit found in string", "give a whole number");
    // A flag's value may come from elsewhere, and clap repeats it. Nobody is left to tell if printing fails.
    match visible(&text) {
        Cow::Borrowed(shown) if shown == rendered => _ = error.print(),
        shown => _ = std::io::stderr().write_all(shown.as_bytes()),
    }
    error.exit_code() as u8
}

/// The program `narrows`, which reads its own command line, with these controllers beside its own: each is chosen by its entry's name in scenarios and arguments,
/// and listed after those of Narrows.
///
/// Returns the exit status of the command. It is 2, after a message on standard error, if an entry is refused: another controller has its name, or it cannot be
/// written on a command line.
pub fn main(entries: &[&'static Entry]) -> ExitCode {
    controller_files::can_be_named();
    for entry in entries {
        if let Err(refused) = register(entry) {
            Failure::Other(refused.to_string()).print();
            return ExitCode::from(2);
        }
    }
    ExitCode::from(carried_out(std::env::args_os()))
}

/// The program on these words, the first of which is its name: `narrows`, `compare`, `cubic`. It prints and reads signals as a program does. Controllers from files
/// can be named, and those that were added to the registry before.
///
/// Returns the exit status.
pub fn program(words: impl IntoIterator<Item = OsString>) -> u8 {
    controller_files::can_be_named();
    carried_out(words)
}

/// Heeds signals from the beginning: reading the words may compile controllers.
fn heed_signals(words: &[OsString]) {
    let is = |word: &OsString, one_of: &[&str]| one_of.iter().any(|own| word == own);
    match words.get(1) {
        // It belongs to a live run, which ends it.
        Some(word) if is(word, &["node"]) => {}
        // These may make a user namespace, and start the thread after that.
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
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return refused(&tips::with_tip(error, &words)),
    };
    let carried_out = commands::command(cli);
    interruption::ended();
    match carried_out {
        // A reader that has seen enough (`narrows list | head`) is no failure.
        Err(Failure::Print(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(failure) => {
            failure.print();
            2
        }
        Ok(outcome) => outcome.status(),
    }
}
