//! Commands for Python: each runs on its own thread without the interpreter's lock. The calling
//! thread handles signals and shows progress.

use crate::controller::{Class, is_calling};
use crate::{Error, raised};
use narrows::workbench::{self, Host, HostController, Progressed, Refused};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Time between two checks for signals and calls of `progress`.
const LOOK: Duration = Duration::from_millis(100);
/// Stack size of the thread, as large as a main thread's on most systems.
const STACK: usize = 8 << 20;

/// The output of a request so far.
#[derive(Default)]
struct Heard {
    text: Mutex<String>,
    directory: Mutex<Option<PathBuf>>,
    done: AtomicU64,
    all: AtomicU64,
    stop: AtomicBool,
}

impl Host for Heard {
    fn print(&self, text: &str) -> io::Result<()> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    }

    fn progress(&self, progress: &Progressed<'_>) {
        self.done.store(progress.done, Ordering::Relaxed);
        self.all.store(progress.all, Ordering::Relaxed);
    }

    fn made(&self, directory: &Path) {
        *self.directory.lock().unwrap_or_else(PoisonError::into_inner) = Some(directory.to_owned());
    }

    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn words(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Carries out the request that `command` makes of `values`, an object in JSON. The request can
/// choose the controllers `classes` by name. Calls `progress` ten times per second with two
/// numbers: the finished and all work.
///
/// Returns the exit status, the printed text, and the directory of the result.
#[pyfunction]
#[pyo3(signature = (command, values, classes=Vec::new(), progress=None))]
pub fn carry_out(
    py: Python<'_>,
    command: String,
    values: &str,
    classes: Vec<Class>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u8, String, Option<PathBuf>)> {
    let values = object(values)?;
    let own: Vec<HostController> = classes.into_iter().map(Class::own).collect();
    let heard = Arc::new(Heard::default());
    let host = Arc::clone(&heard);
    let status = attended(py, &heard, progress.as_ref(), move || {
        workbench::carry_out(&command, &values, &own, host)
    })?;
    let text = heard.text.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let directory = heard.directory.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok((status, text, directory))
}

/// Reads an object in JSON.
fn object(text: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Runs `work` on its own thread, while this thread handles signals and calls `progress`.
fn attended<T: Send + 'static>(
    py: Python<'_>,
    heard: &Heard,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> PyResult<T> {
    if is_calling() {
        return Err(Error::new_err(
            "a controller cannot make a command, since the one that it belongs to waits for it; make it before, and give the controller what it needs",
        ));
    }
    let (ended, mut end) = channel();
    let work = move || {
        let done = work();
        // The receiver is gone if the caller has failed.
        let _ = ended.send(done);
    };
    let thread = thread::Builder::new().name("narrows".to_owned()).stack_size(STACK).spawn(work)?;
    let (mut failed, mut shown) = (None, (0, 0));
    let done: Option<Result<T, Refused>> = loop {
        let waiting = &mut end;
        match py.detach(move || waiting.recv_timeout(LOOK)) {
            Ok(done) => break Some(done),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if failed.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                let now = (heard.done.load(Ordering::Relaxed), heard.all.load(Ordering::Relaxed));
                let told = py.check_signals().and_then(|()| match progress {
                    Some(progress) if now != shown => progress.call1(py, now).map(|_| ()),
                    _ => Ok(()),
                });
                shown = now;
                failed = told.err();
                heard.stop.store(failed.is_some(), Ordering::Relaxed);
            }
        }
    };
    let panicked = py.detach(|| thread.join().is_err());
    if let Some(failed) = failed {
        return Err(failed);
    }
    match done {
        Some(done) if !panicked => done.map_err(raised),
        _ => Err(PyOSError::new_err(
            "the command has failed in itself, which is a defect of narrows; its words are above",
        )),
    }
}

/// Checks the sweep of these values, an object in JSON, without running it. Returns the directory
/// of its result, the text that identifies its runs, and the cost of each run in the order in which
/// runs are dealt to shards.
#[pyfunction]
pub fn plan(py: Python<'_>, values: &str) -> PyResult<(PathBuf, String, Vec<u64>)> {
    let values = object(values)?;
    let heard = Arc::new(Heard::default());
    let host = Arc::clone(&heard);
    let plan = attended(py, &heard, None, move || workbench::plan(&values, host))?;
    Ok((plan.directory, plan.origin, plan.costs))
}

/// Returns the version and the build of this module.
#[pyfunction]
pub fn build(py: Python<'_>) -> String {
    py.detach(workbench::build)
}

/// Returns the version of this module.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Runs the program with these words, as a shell does: it prints, and handles signals until it
/// ends. Returns the exit status.
#[pyfunction]
pub fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| narrows::program(words))
}

/// Records the file of this module.
#[pyfunction]
pub fn is_in(file: PathBuf) {
    narrows::identify();
    workbench::is_in(file);
}
