//! Carries out requests for a program that embeds the workbench.

use crate::controller_files;
use crate::error::{Failure, Refused};
use crate::host::{Console, Host};
use crate::program;
use crate::request::Request;
use crate::sweep;
use narrows_control::{Entered, EntryRef};
use narrows_scenario::visible;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

/// A controller of the host program, for one request.
#[derive(Clone)]
pub struct HostController {
    /// Entry of the registry.
    pub entry: EntryRef,
    /// A hash that identifies this controller's behaviour. Stored runs are reused only if it is
    /// equal.
    pub identity: String,
}

/// Carries out the request that `command` makes of named values (see [`Request::read`]). It can
/// choose the controllers in `own` in addition to the built-in ones.
///
/// Requests of one process are carried out at the same time, each with its own controllers and with
/// the content that controller files have when it begins. Those that use the kernel run one after
/// another.
///
/// Returns the exit status of the command: 0, or 1 if an expectation was missed, or 3 if the host
/// was too slow for a valid live run.
///
/// # Errors
///
/// If the values are not such a request, a controller has an invalid name, the request fails, or
/// `host` stops it.
pub fn carry_out(
    command: &str,
    values: &Map<String, Value>,
    own: &[HostController],
    host: Arc<dyn Host>,
) -> Result<u8, Refused> {
    let (_session, mut request) = begun(command, values, own, &host)?;
    let _turn = request.uses_kernel().then(|| turn(&*host)).transpose()?;
    request.output().quiet = true;
    Ok(request.carry_out()?.status())
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

/// Checks all cells of a sweep without running it.
///
/// # Errors
///
/// If the values are not a sweep, the sweep is invalid, or `host` stops it.
pub fn plan(values: &Map<String, Value>, host: Arc<dyn Host>) -> Result<Plan, Refused> {
    let (_session, request) = begun("sweep", values, &[], &host)?;
    let Request::Sweep(args) = request else { unreachable!("a sweep is read as one") };
    let job = sweep::asked(&args, &args.output.console)?;
    job.refuse_unknown(&args.shown.metric)?;
    let reserved = job.reserve(&args.output, None)?;
    Ok(Plan {
        directory: reserved.directory().to_owned(),
        origin: job.origin().line(),
        costs: job.shard_order().costs(),
    })
}

/// Returns the version and build of this program. Runs of different builds cannot be mixed.
pub fn build() -> String {
    program::build()
}

/// Begins a session with the host program's controllers, and reads the request in it.
fn begun(
    command: &str,
    values: &Map<String, Value>,
    own: &[HostController],
    host: &Arc<dyn Host>,
) -> Result<(Entered, Request), Refused> {
    let refused = |refused: narrows_control::Refused| Failure::Other(refused.to_string());
    let session = controller_files::session(&[]).map_err(refused)?;
    for HostController { entry, identity } in own {
        session.register_passing(entry.clone(), identity.clone()).map_err(refused)?;
    }
    let session = session.enter();
    let mut request = Request::read(command, values)
        .map_err(|error| Refused::Failed { text: refusal(&error) })?;
    let words = Request::words(command, values)
        .map_err(|error| Refused::Failed { text: refusal(&error) })?;
    request.output().console = Console::of(Arc::new(Asked { host: Arc::clone(host), words }));
    Ok((session, request))
}

/// A host that knows the words of its request.
struct Asked {
    host: Arc<dyn Host>,
    words: Vec<String>,
}

impl Host for Asked {
    fn print(&self, text: &str) -> io::Result<()> {
        self.host.print(text)
    }

    fn progress(&self, progress: &crate::host::Progressed<'_>) {
        self.host.progress(progress);
    }

    fn made(&self, directory: &Path) {
        self.host.made(directory);
    }

    fn open(&self, report: &Path) -> io::Result<()> {
        self.host.open(report)
    }

    fn stop(&self) -> &AtomicBool {
        self.host.stop()
    }

    fn acquired(&self) {
        self.host.acquired();
    }

    fn is_watched(&self) -> bool {
        self.host.is_watched()
    }

    fn words(&self) -> Vec<String> {
        self.words.clone()
    }
}

/// Returns the reason why values are refused, without the pointer to `--help`.
fn refusal(error: &clap::Error) -> String {
    let text = error.render().to_string();
    visible(text.split("\n\nFor more information").next().unwrap_or(&text)).into_owned()
}

static TURN: Mutex<()> = Mutex::new(());
/// Interval at which a waiting request checks if it is to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// Waits until no other request of this process uses the kernel.
fn turn(host: &dyn Host) -> Result<MutexGuard<'static, ()>, Refused> {
    loop {
        match TURN.try_lock() {
            Ok(turn) => return Ok(turn),
            // The previous request panicked, which does not affect this one.
            Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
            Err(TryLockError::WouldBlock) if host.stop().load(Ordering::Relaxed) => {
                return Err(Failure::Interrupted.into());
            }
            Err(TryLockError::WouldBlock) => thread::sleep(PATIENCE),
        }
    }
}
