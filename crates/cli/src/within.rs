//! Commands for a host program that embeds this one, such as an interpreter. They do not print,
//! they stop on request, and they report the directories of their results.

use crate::cli::{Cli, Command, LabArgs, LabCommand, OutputArgs};
use crate::commands::command;
use crate::console::Console;
use crate::controller_files;
use crate::error::Failure;
use crate::figure;
use crate::program;
use crate::report::checked;
use crate::sweep;
use clap::Parser;
use narrows_control::{Entered, Entry, Session, register_passing};
use narrows_evidence::report::check_text;
use narrows_report::Selection;
use narrows_scenario::{ScenarioError, visible};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

pub use crate::console::Around;
pub use crate::program::is_in;
pub use narrows_report::{Figure, ReportError, ResultDir, Style};

/// Reason why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The command was stopped.
    Stopped {
        /// Message with the stored runs and how to resume.
        text: String,
    },
    /// The command failed.
    Failed {
        /// Message that the program would print on standard error: the place, the reason and a
        /// remedy.
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

/// A controller of the host program, for one command.
#[derive(Clone, Copy)]
pub struct Own {
    /// Entry of the registry.
    pub entry: &'static Entry,
    /// A hash that identifies this controller's behaviour. Stored runs are reused only if it is
    /// equal.
    pub identity: &'static str,
}

/// Runs a command that makes a result: `compare`, `run`, `live`, `fidelity`, `sweep`, `merge`,
/// `matrix`, `reproduce`, `check` or `attack`. The first word is the program name. The command can
/// choose the controllers in `own` in addition to the built-in ones.
///
/// Commands of one process run at the same time, each with its own controllers and with the content
/// that controller files have when it begins. Commands that use the kernel run one after another.
///
/// Returns the exit status: 0, or 1 if an expectation was missed, or 3 if the host was too slow for
/// a valid live run.
///
/// # Errors
///
/// If the words are not such a command, a controller has an invalid name, the command fails, or
/// `around` stops it.
pub fn carry_out(
    words: impl IntoIterator<Item = OsString>,
    own: &[Own],
    around: Arc<dyn Around>,
) -> Result<u8, Refused> {
    let (_session, mut cli) = begun(words, own)?;
    let _turn = cli.command.as_ref().filter(|own| uses_kernel(own)).map(|_| turn(&*around));
    let _turn = _turn.transpose()?;
    let Some(output) = cli.command.as_mut().and_then(results_of) else {
        return Err(Refused::Failed { text: "error: this command makes no result\n".to_owned() });
    };
    output.console = Console::Within(around);
    Ok(command(cli)?.status())
}

/// A checked sweep before its first run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Result directory of the sweep. It is still free.
    pub directory: PathBuf,
    /// Description of the runs as a line of JSON: the first line of the file that `narrows sweep
    /// --resume` reads. Its `program` is equal to [`build`]. With a key `shard` such as `"8..16"`,
    /// only these runs are done.
    pub origin: String,
    /// Cost of the run at each place, in the order of the deal to shards. The unit is specific to
    /// the plan.
    pub costs: Vec<u64>,
}

/// Checks all cells of a `narrows sweep` command without running it. The first word is the program
/// name.
///
/// # Errors
///
/// If the words are not a sweep, the sweep is invalid, or `around` stops it.
pub fn plan(
    words: impl IntoIterator<Item = OsString>,
    around: Arc<dyn Around>,
) -> Result<Plan, Refused> {
    let (_session, cli) = begun(words, &[])?;
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

/// Returns the version and build of this program. Runs of different builds cannot be mixed.
pub fn build() -> String {
    program::build()
}

/// Begins a session with the host program's controllers, and parses the arguments in it.
fn begun(
    words: impl IntoIterator<Item = OsString>,
    own: &[Own],
) -> Result<(Entered, Cli), Refused> {
    controller_files::can_be_named();
    let session = Session::default().enter();
    for Own { entry, identity } in own {
        register_passing(entry, identity).map_err(|refused| Failure::Other(refused.to_string()))?;
    }
    let cli =
        Cli::try_parse_from(words).map_err(|error| Refused::Failed { text: refusal(&error) })?;
    Ok((session, cli))
}

/// True if the command runs on this host's kernel, where runs of another command would distort its
/// measurements.
fn uses_kernel(command: &Command) -> bool {
    match command {
        Command::Live(_) | Command::Lab(LabArgs { command: LabCommand::Fidelity(_) }) => true,
        Command::Check(args) => args.live,
        Command::Attack(args) => args.live,
        Command::Reproduce(args) => args.live,
        _ => false,
    }
}

/// Returns the reason why the words are invalid, without the pointer to `--help`.
fn refusal(error: &clap::Error) -> String {
    let text = error.render().to_string();
    visible(text.split("\n\nFor more information").next().unwrap_or(&text)).into_owned()
}

static TURN: Mutex<()> = Mutex::new(());
/// Interval at which a waiting command checks if it is to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// Waits until no other command of this process uses the kernel.
fn turn(around: &dyn Around) -> Result<MutexGuard<'static, ()>, Refused> {
    loop {
        match TURN.try_lock() {
            Ok(turn) => return Ok(turn),
            // The previous command panicked, which does not affect this one.
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
        Command::Lab(LabArgs { command: LabCommand::Fidelity(args) }) => &mut args.output,
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
/// If the directory is not a result, or one of its files was changed.
pub fn open(directory: &Path) -> Result<ResultDir, Refused> {
    Ok(narrows_report::open(directory)?)
}

/// Returns the table that the command printed.
///
/// # Errors
///
/// If the result is of a reproduction or of fidelity, or its files are damaged.
pub fn text(result: &ResultDir) -> Result<String, Refused> {
    if result.names().any(|name| name == "check.json") {
        return Ok(check_text(&checked(result)?));
    }
    Ok(match narrows_report::read_grid(result)? {
        Some(grid) => narrows_report::grid_table(&grid, &[]),
        None => narrows_report::table(&narrows_report::read(result)?),
    })
}

/// Returns the figures of the report.
///
/// # Errors
///
/// If the files are damaged.
pub fn figures(result: &ResultDir) -> Result<Vec<Figure>, Refused> {
    Ok(figure::figures(result, &Selection::default())?)
}

/// The name of a scenario's text in errors.
const SCENARIO: &str = "scenario.toml";

/// Writes the keys and values of a scenario, in JSON, as a scenario file.
///
/// # Errors
///
/// If `data` is not an object in JSON, or has a value that TOML does not have.
pub fn scenario_toml(data: &str) -> Result<String, Refused> {
    let read = serde_json::from_str(data).map_err(|error| error.to_string());
    let written = read.and_then(|keys| narrows_scenario::to_toml(&keys));
    Ok(written.map_err(Failure::Other)?)
}

/// Reads the keys and values of a scenario file, as JSON.
///
/// # Errors
///
/// If the text is not TOML.
pub fn scenario_data(toml: &str) -> Result<String, Refused> {
    let data = narrows_scenario::from_toml(toml, SCENARIO)?;
    Ok(serde_json::Value::Object(data).to_string())
}

/// Returns the text of a scenario with the value at a path changed. The value is JSON.
///
/// # Errors
///
/// If there is no such place, or the value is not one of scenarios.
pub fn scenario_set(toml: &str, path: &str, value: &str) -> Result<String, Refused> {
    let value = serde_json::from_str(value).map_err(|error| Failure::Other(error.to_string()))?;
    Ok(narrows_scenario::with_value(toml, SCENARIO, path, &value)?)
}

/// Checks the text of a scenario. Files that it names are read.
///
/// # Errors
///
/// The reason why it is refused.
pub fn scenario_check(toml: &str) -> Result<(), Refused> {
    controller_files::can_be_named();
    // The files of controllers are loaded for this check alone.
    let _session = Session::default().enter();
    narrows_scenario::parse(toml, SCENARIO, &narrows_scenario::read_named)?;
    Ok(())
}
