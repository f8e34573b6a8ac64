//! Commands for a program around this one, such as an interpreter: they print nothing, stop when they are told to, and tell where their results are.

use crate::cells;
use crate::cli::{Cli, Command, OutputArgs};
use crate::commands::command;
use crate::console::Console;
use crate::controller_files;
use crate::error::Failure;
use crate::figure;
use crate::report::checked;
use crate::sweep;
use clap::Parser;
use narrows_control::{Entry, register_passing};
use narrows_evidence::report::check_text;
use narrows_scenario::{ScenarioError, visible};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
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

impl From<ScenarioError> for Refused {
    fn from(error: ScenarioError) -> Refused {
        Failure::Scenario(error).into()
    }
}

impl From<ReportError> for Refused {
    fn from(error: ReportError) -> Refused {
        Failure::Report(error).into()
    }
}

/// A controller of the program around this one, for one command.
#[derive(Clone, Copy)]
pub struct Own {
    /// Its entry.
    pub entry: &'static Entry,
    /// A word that no other controller has that decides otherwise: runs that were kept are only taken up again with the same.
    pub identity: &'static str,
}

/// Carries out a command that makes a result: `compare`, `run`, `live`, `fidelity`, `sweep`, `merge`, `matrix` or `reproduce`. The first word is the program's name. It can
/// choose `own` controllers beside those of Narrows.
///
/// Commands of one process take turns, and each loads controllers from files as they are when it begins.
///
/// Returns the exit status: 0, or 1 if an expectation was missed, or 3 if the host distorted a live run.
///
/// # Errors
///
/// The words are no such command, a controller has a name that cannot be, it fails, or `around` stopped it.
pub fn carry_out(
    words: impl IntoIterator<Item = OsString>,
    own: &[Own],
    around: Arc<dyn Around>,
) -> Result<u8, Refused> {
    let (_turn, mut cli) = begun(words, own, &*around)?;
    let Some(output) = cli.command.as_mut().and_then(results_of) else {
        return Err(Refused::Failed { text: "error: this command makes no result\n".to_owned() });
    };
    output.console = Console::Within(around);
    Ok(command(cli)?.status())
}

/// A sweep that was checked, and of which nothing has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The directory of its result, which is still free.
    pub directory: PathBuf,
    /// What determines its runs, as a line of JSON: the first line of the file from which `narrows sweep --resume` goes on. Its `program` is that of [`build`], and
    /// with a `shard` in it, such as `"8..16"`, only these runs are made.
    pub origin: String,
    /// How much the run at each place costs, in the order in which runs are dealt to shards, in units of the plan's own.
    pub costs: Vec<u64>,
}

/// Checks all cells of `narrows sweep` with these words, the first of which is the program's name, and runs none.
///
/// # Errors
///
/// The words are no sweep, it is not as it must be, or `around` stopped it.
pub fn plan(
    words: impl IntoIterator<Item = OsString>,
    around: Arc<dyn Around>,
) -> Result<Plan, Refused> {
    let (_turn, cli) = begun(words, &[], &*around)?;
    let Some(Command::Sweep(mut args)) = cli.command else {
        return Err(Refused::Failed { text: "error: this command is no sweep\n".to_owned() });
    };
    args.output.console = Console::Within(around);
    let job = sweep::asked(&args, &args.output.console)?;
    job.refuse_unknown(&args.shown.metric)?;
    let reserved = job.reserve(&args.output, None)?;
    Ok(Plan {
        directory: reserved.directory().to_owned(),
        origin: job.origin().line(),
        costs: job.deal().costs(),
    })
}

/// Version and build of this program: runs of different ones are not mixed.
pub fn build() -> String {
    cells::program()
}

/// The arguments, when it is this command's turn.
fn begun(
    words: impl IntoIterator<Item = OsString>,
    own: &[Own],
    around: &dyn Around,
) -> Result<(MutexGuard<'static, ()>, Cli), Refused> {
    let turn = turn(around)?;
    controller_files::can_be_named();
    controller_files::forget();
    for Own { entry, identity } in own {
        register_passing(entry, identity).map_err(|refused| Failure::Other(refused.to_string()))?;
    }
    let cli =
        Cli::try_parse_from(words).map_err(|error| Refused::Failed { text: refusal(&error) })?;
    Ok((turn, cli))
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
            Err(TryLockError::WouldBlock) if around.stop().load(Ordering::Relaxed) => {
                return Err(Failure::Interrupted.into());
            }
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
        Command::Merge(args) => &mut args.output,
        Command::Matrix(args) => &mut args.output,
        Command::Reproduce(args) => &mut args.output,
        Command::Check(args) => &mut args.output,
        Command::Attack(args) => &mut args.output,
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
    if result.names().any(|name| name == "check.json") {
        return Ok(check_text(&checked(result)?));
    }
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
