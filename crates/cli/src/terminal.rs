//! The terminal: prints, shows progress, and handles signals.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use narrows_scenario::visible;
use narrows_workbench::interruption::{insist, interruption};
use narrows_workbench::locale::localised;
use narrows_workbench::{Console, Failure, Host, Progressed};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

pub use narrows_workbench::tell;

/// The terminal of a process that carries out one command.
#[derive(Default)]
struct Terminal {
    /// Progress bar of the current work.
    bar: Mutex<Option<ProgressBar>>,
}

/// Returns the terminal of this process. The first call installs handlers of signals, which only
/// set a flag.
pub fn console() -> Console {
    interruption();
    Console::of(Arc::new(Terminal::default()))
}

/// Prints to standard output after it replaces control characters, because names from outside may
/// contain them. A reader that closes the pipe early (`narrows list | head`) is not a failure.
pub fn print(text: &str) -> Result<(), Failure> {
    Ok(printed(&visible(text))?)
}

fn printed(text: &str) -> io::Result<()> {
    match io::stdout().write_all(localised(text).as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

impl Host for Terminal {
    fn print(&self, text: &str) -> io::Result<()> {
        printed(text)
    }

    fn progress(&self, progress: &Progressed<'_>) {
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.is_over {
            if let Some(bar) = bar.take() {
                bar.finish_and_clear();
            }
            return;
        }
        let bar = bar.get_or_insert_with(|| begun(progress));
        bar.set_position(progress.done);
        if bar.message() != progress.note {
            bar.set_message(progress.note.to_owned());
        }
    }

    fn made(&self, _: &Path) {}

    fn open(&self, report: &Path) -> io::Result<()> {
        open::that_detached(report)
    }

    fn stop(&self) -> &AtomicBool {
        interruption()
    }

    fn words(&self) -> Vec<String> {
        std::env::args().collect()
    }

    fn acquired(&self) {
        insist();
    }

    fn is_watched(&self) -> bool {
        true
    }
}

fn begun(progress: &Progressed<'_>) -> ProgressBar {
    let target = match progress.quiet {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    };
    let style =
        ProgressStyle::with_template("{prefix} {bar:30} {percent:>3} % {eta} left {wide_msg}")
            .expect("a valid template");
    ProgressBar::with_draw_target(Some(progress.all), target)
        .with_style(style)
        .with_prefix(progress.verb)
}
