//! Commands for a program around this one, such as an interpreter: they print nothing, stop when they are told to, and tell where their results are.

use crate::cli::{Cli, Command, OutputArgs};
use crate::commands::command;
use crate::console::Console;
use crate::controller_files;
use crate::error::Failure;
use crate::figure;
use clap::Parser;
use narrows_control::{Entry, register_passing};
use narrows_scenario::visible;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

pub use crate::console::Around;
pub use crate::program::is_in;
pub use narrows_report::{Figure, ReportError, ResultDir};

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It was stopped.
    Stopped {
        /// What is kept, and how to go on.
        text: String,
    },
    /// It cannot be carried out.
    Failed {
        /// What the program would print on standard error: the place, the reason and a remedy.
        text: String,
    },
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Refused {
        let text = failure.text(false);
        match failure {
            Failure::Interrupted | Failure::Paused { .. } => Refused::Stopped { text },
            _ => Refused::Failed { text },
        }
    }
}

impl From<ReportError> for Refused {
    fn from(error: ReportError) -> Refused {
        Failure::Report(error).into()
    }
}

/// Carries out a command that makes a result: `compare`, `run`, `live`, `fidelity`, `sweep`, `matrix` or `reproduce`. The first word is the program's name. It can
/// choose `entries` beside the controllers of Narrows.
///
/// Commands of one process take turns, and each loads controllers from files as they are when it begins.
///
/// Returns the exit status: 0, or 1 if an expectation was missed, or 3 if the host distorted a live run.
///
/// # Errors
///
/// The words are no such command, an entry has a name that cannot be, it fails, or `around` stopped it.
pub fn carry_out(words: impl IntoIterator<Item = OsString>, entries: &[&'static Entry], around: Arc<dyn Around>) -> Result<u8, Refused> {
    let _turn = turn(&*around)?;
    controller_files::can_be_named();
    controller_files::forget();
    for entry in entries {
        register_passing(entry).map_err(|refused| Failure::Other(refused.to_string()))?;
    }
    let mut cli = Cli::try_parse_from(words).map_err(|error| Refused::Failed { text: refusal(&error) })?;
    let Some(output) = cli.command.as_mut().and_then(results_of) else {
        return Err(Refused::Failed { text: "error: this command makes no result\n".to_owned() });
    };
    output.console = Console::Within(around);
    Ok(command(cli)?.status())
}

/// What is wrong with the words, without the way to a help that is not there.
fn refusal(error: &clap::Error) -> String {
    let text = error.render().to_string();
    visible(text.split("\n\nFor more information").next().unwrap_or(&text)).into_owned()
}

static TURN: Mutex<()> = Mutex::new(());
/// How often a command that waits for its turn looks whether it is to stop.
const PATIENCE: Duration = Duration::from_millis(20);

fn turn(around: &dyn Around) -> Result<MutexGuard<'static, ()>, Refused> {
    loop {
        match TURN.try_lock() {
            Ok(turn) => return Ok(turn),
            // The command that had it failed in itself; this one is another.
            Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
            Err(TryLockError::WouldBlock) if around.stop().load(Ordering::Relaxed) => return Err(Failure::Interrupted.into()),
            Err(TryLockError::WouldBlock) => thread::sleep(PATIENCE),
        }
    }
}

fn results_of(command: &mut Command) -> Option<&mut OutputArgs> {
    Some(match command {
        Command::Compare(args) => &mut args.output,
        Command::Run(args) => &mut args.output,
        Command::Live(args) => &mut args.output,
        Command::Fidelity(args) => &mut args.output,
        Command::Sweep(args) => &mut args.output,
        Command::Matrix(args) => &mut args.output,
        Command::Reproduce(args) => &mut args.output,
        _ => return None,
    })
}

/// Opens a result directory.
///
/// # Errors
///
/// It is none, or one of its files is not as it was written.
pub fn open(directory: &Path) -> Result<ResultDir, Refused> {
    Ok(narrows_report::open(directory)?)
}

/// The table that the command printed.
///
/// # Errors
///
/// The result is of a reproduction or of fidelity, or its files are not what they should be.
pub fn text(result: &ResultDir) -> Result<String, Refused> {
    Ok(match narrows_report::read_grid(result)? {
        Some(grid) => narrows_report::grid_table(&grid, &[]),
        None => narrows_report::table(&narrows_report::read(result)?),
    })
}

/// The figures of the report.
///
/// # Errors
///
/// The files are not what they should be.
pub fn figures(result: &ResultDir) -> Result<Vec<Figure>, Refused> {
    Ok(figure::figures(result)?)
}
