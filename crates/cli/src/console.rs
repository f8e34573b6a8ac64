//! Output and interruption of a command: by a terminal, or by a host program that embeds this one.

use crate::error::Failure;
use crate::interruption::interruption;
use crate::locale::localised;
use crate::quote::quote;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use narrows_scenario::visible;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A host program that runs commands of this program. Its methods are called from any thread.
pub trait Around: Send + Sync {
    /// Receives the text that a terminal would show on standard output.
    fn print(&self, text: &str);

    /// Receives the progress, in units of the command.
    fn progress(&self, done: u64, all: u64);

    /// Receives the directory of a complete result.
    fn made(&self, directory: &Path);

    /// Returns the flag that stops the command. Any thread may set it.
    fn stop(&self) -> &AtomicBool;

    /// Returns the words of the command line, for `run.json`.
    fn words(&self) -> Vec<String>;
}

/// Destination of a command's output.
#[derive(Clone, Default)]
pub enum Console {
    /// The process runs only this command: standard output, a progress bar and signals.
    #[default]
    Terminal,
    /// The process is a host program.
    Within(Arc<dyn Around>),
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Console::Terminal => "Terminal",
            Console::Within(_) => "Within",
        })
    }
}

impl Console {
    /// Prints text after it replaces control characters, because names from outside may contain
    /// them. A reader that closes the pipe early (`narrows run FILE | head`) does not change the
    /// behaviour of the command.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let text = visible(text);
        match self {
            Console::Within(around) => {
                around.print(&text);
                Ok(())
            }
            Console::Terminal => match io::stdout().write_all(localised(&text).as_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => Ok(other?),
            },
        }
    }

    /// Reports the directory of a complete result.
    pub fn made(&self, directory: &Path) {
        if let Console::Within(around) = self {
            around.made(directory);
        }
    }

    /// True if the command is to stop. In a terminal, the first call installs signal handlers that
    /// only set a flag.
    pub fn is_stopped(&self) -> bool {
        self.stop().load(Ordering::Relaxed)
    }

    /// Returns [`Failure::Interrupted`] if the command is to stop.
    pub fn go_on(&self) -> Result<(), Failure> {
        if self.is_stopped() { Err(Failure::Interrupted) } else { Ok(()) }
    }

    /// Returns the flag that stops the command.
    pub fn stop(&self) -> &AtomicBool {
        match self {
            Console::Terminal => interruption(),
            Console::Within(around) => around.stop(),
        }
    }

    /// Returns the command line, quoted for a shell.
    pub fn same_command(&self) -> String {
        let words = self.words().into_iter().skip(1).map(|word| quote(&word));
        std::iter::once("narrows".to_owned()).chain(words).collect::<Vec<String>>().join(" ")
    }

    /// Returns the words of the command line.
    pub fn words(&self) -> Vec<String> {
        match self {
            Console::Terminal => std::env::args().collect(),
            Console::Within(around) => around.words(),
        }
    }

    /// Creates a progress bar for an amount of work `all`.
    pub fn progress(&self, verb: &'static str, all: u64, quiet: bool) -> Progress {
        let target = match self {
            Console::Terminal if !quiet => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let style =
            ProgressStyle::with_template("{prefix} {bar:30} {percent:>3} % {eta} left {wide_msg}")
                .expect("a valid template");
        // Install the signal handlers before the work starts.
        self.stop();
        Progress {
            bar: ProgressBar::with_draw_target(Some(all), target)
                .with_style(style)
                .with_prefix(verb),
            all,
            console: self.clone(),
        }
    }
}

/// Progress of a command.
pub struct Progress {
    bar: ProgressBar,
    all: u64,
    console: Console,
}

impl Progress {
    /// Adds finished work.
    pub fn inc(&self, more: u64) {
        self.bar.inc(more);
        if let Console::Within(around) = &self.console {
            around.progress(self.bar.position().min(self.all), self.all);
        }
    }

    /// Shows a text next to the progress bar.
    pub fn tell(&self, text: String) {
        self.bar.set_message(text);
    }

    /// Removes the progress bar.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// True if the command is to stop.
    pub fn is_stopped(&self) -> bool {
        self.console.is_stopped()
    }

    /// Returns the flag that stops the command.
    pub fn stop(&self) -> &AtomicBool {
        self.console.stop()
    }

    /// Returns [`Failure::Interrupted`] if the command is to stop. Loops call it before each run,
    /// because a run may be too short to check the flag.
    pub fn go_on(&self) -> Result<(), Failure> {
        self.console.go_on()
    }
}
