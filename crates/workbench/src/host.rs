//! The host of a request: a terminal, or a program that embeds the workbench.

use crate::error::Failure;
use crate::quote::quote;
use narrows_scenario::visible;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The host of a request. Its methods are called from any thread.
pub trait Host: Send + Sync {
    /// Receives text for standard output. Control characters are already replaced.
    ///
    /// # Errors
    ///
    /// If it cannot be printed. The result is stored nevertheless.
    fn print(&self, text: &str) -> io::Result<()>;

    /// Receives the progress of the request. Not all finished work is reported.
    fn progress(&self, progress: &Progressed<'_>);

    /// Receives the directory of a complete result.
    fn made(&self, directory: &Path);

    /// Opens the report of a complete result in a browser.
    ///
    /// # Errors
    ///
    /// If this host has no browser.
    fn open(&self, report: &Path) -> io::Result<()> {
        let _ = report;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the flag that stops the request. Any thread may set it.
    fn stop(&self) -> &AtomicBool;

    /// Returns the words of the request, for `run.json`.
    fn words(&self) -> Vec<String>;

    /// Called when the process has the privileges for a live run. Before that, the process may have
    /// only one thread.
    fn acquired(&self) {}

    /// True if somebody reads the progress while the request is carried out.
    fn is_watched(&self) -> bool {
        false
    }
}

/// The progress of a request.
pub struct Progressed<'a> {
    /// The kind of work, for example "simulating".
    pub verb: &'static str,
    /// Finished work, in units of the request.
    pub done: u64,
    /// All work in the same units.
    pub all: u64,
    /// Text next to the progress. May be empty.
    pub note: &'a str,
    /// True for the last call.
    pub is_over: bool,
    /// True if the request asks only for results.
    pub quiet: bool,
}

/// A handle to the host of a request. The default host ignores everything and never stops the
/// request.
#[derive(Clone)]
pub struct Console(Arc<dyn Host>);

impl Default for Console {
    fn default() -> Console {
        Console::of(Arc::new(Nobody(AtomicBool::new(false))))
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Console")
    }
}

/// A host that ignores everything.
struct Nobody(AtomicBool);

impl Host for Nobody {
    fn print(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn progress(&self, _: &Progressed<'_>) {}

    fn made(&self, _: &Path) {}

    fn stop(&self) -> &AtomicBool {
        &self.0
    }

    fn words(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Console {
    /// Returns a handle to this host.
    pub fn of(host: Arc<dyn Host>) -> Console {
        Console(host)
    }

    /// Prints text after it replaces control characters, because names from outside may contain
    /// them.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        Ok(self.0.print(&visible(text))?)
    }

    /// Reports the directory of a complete result.
    pub(crate) fn made(&self, directory: &Path) {
        self.0.made(directory);
    }

    /// Opens a report in a browser.
    pub(crate) fn open(&self, report: &Path) -> io::Result<()> {
        self.0.open(report)
    }

    /// Reports that the process has the privileges for a live run.
    pub(crate) fn acquired(&self) {
        self.0.acquired();
    }

    /// True if somebody reads the progress.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.is_watched()
    }

    /// True if the request is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop().load(Ordering::Relaxed)
    }

    /// Returns [`Failure::Interrupted`] if the request is to stop.
    pub(crate) fn go_on(&self) -> Result<(), Failure> {
        if self.is_stopped() { Err(Failure::Interrupted) } else { Ok(()) }
    }

    /// Returns the flag that stops the request.
    pub(crate) fn stop(&self) -> &AtomicBool {
        self.0.stop()
    }

    /// Returns the command line, quoted for a shell.
    pub(crate) fn same_command(&self) -> String {
        let words = self.words().into_iter().skip(1).map(|word| quote(&word));
        std::iter::once("narrows".to_owned()).chain(words).collect::<Vec<String>>().join(" ")
    }

    /// Returns the words of the request.
    pub(crate) fn words(&self) -> Vec<String> {
        self.0.words()
    }

    /// Begins to report an amount of work `all`.
    pub(crate) fn progress(&self, verb: &'static str, all: u64, quiet: bool) -> Progress {
        let progress = Progress {
            console: self.clone(),
            verb,
            all,
            quiet,
            done: AtomicU64::new(0),
            note: Mutex::default(),
        };
        progress.report(false);
        progress
    }
}

/// Progress of a request.
pub(crate) struct Progress {
    console: Console,
    verb: &'static str,
    all: u64,
    quiet: bool,
    done: AtomicU64,
    note: Mutex<String>,
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.report(true);
    }
}

impl Progress {
    /// Adds finished work.
    pub fn inc(&self, more: u64) {
        self.done.fetch_add(more, Ordering::Relaxed);
        self.report(false);
    }

    /// Shows a text next to the progress.
    pub fn tell(&self, text: String) {
        *self.note.lock().unwrap_or_else(PoisonError::into_inner) = text;
        self.report(false);
    }

    /// Ends the report.
    pub fn end(&self) {
        self.report(true);
    }

    fn report(&self, is_over: bool) {
        let note = self.note.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.done.load(Ordering::Relaxed).min(self.all);
        let (verb, all, quiet) = (self.verb, self.all, self.quiet);
        self.console.0.progress(&Progressed { verb, done, all, note: &note, is_over, quiet });
    }

    /// True if the request is to stop.
    pub fn is_stopped(&self) -> bool {
        self.console.is_stopped()
    }

    /// Returns the flag that stops the request.
    pub fn stop(&self) -> &AtomicBool {
        self.console.stop()
    }

    /// Returns [`Failure::Interrupted`] if the request is to stop. Loops call it before each run,
    /// because a run may be too short to check the flag.
    pub fn go_on(&self) -> Result<(), Failure> {
        self.console.go_on()
    }
}
