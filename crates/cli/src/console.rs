//! Where the words of a command go and who can stop it: a terminal, or a program around this one.

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

/// A program that runs commands of this one. It hears of them from any thread.
pub trait Around: Send + Sync {
    /// What a terminal would show on standard output.
    fn print(&self, text: &str);

    /// So much of all is done, in units of the command's own.
    fn progress(&self, done: u64, all: u64);

    /// A result is complete in this directory.
    fn made(&self, directory: &Path);

    /// Set, from any thread, as soon as the command is to stop.
    fn stop(&self) -> &AtomicBool;

    /// The command's words, as `run.json` tells them.
    fn words(&self) -> Vec<String>;
}

/// Where the words of a command go.
#[derive(Clone, Default)]
pub enum Console {
    /// This process is the command's own: standard output, a progress bar, signals.
    #[default]
    Terminal,
    /// It is another program's.
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
    /// Prints, without control characters that names from outside may hold. A reader that has seen enough (`narrows run FILE | head`) changes
    /// nothing of what the command does and finds.
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

    /// A result is complete.
    pub fn made(&self, directory: &Path) {
        if let Console::Within(around) = self {
            around.made(directory);
        }
    }

    /// From now on Ctrl-C and its like, in a process of the command's own, do no more than to set what this reads.
    pub fn is_stopped(&self) -> bool {
        self.stop().load(Ordering::Relaxed)
    }

    /// Refuses to go on once the command is to stop.
    pub fn go_on(&self) -> Result<(), Failure> {
        if self.is_stopped() { Err(Failure::Interrupted) } else { Ok(()) }
    }

    /// What is set as soon as the command is to stop.
    pub fn stop(&self) -> &AtomicBool {
        match self {
            Console::Terminal => interruption(),
            Console::Within(around) => around.stop(),
        }
    }

    /// The command as a shell reads it again.
    pub fn same_command(&self) -> String {
        let words = self.words().into_iter().skip(1).map(|word| quote(&word));
        std::iter::once("narrows".to_owned()).chain(words).collect::<Vec<String>>().join(" ")
    }

    /// The command's words.
    pub fn words(&self) -> Vec<String> {
        match self {
            Console::Terminal => std::env::args().collect(),
            Console::Within(around) => around.words(),
        }
    }

    /// Shows how far work is that is so much in all.
    pub fn progress(&self, verb: &'static str, all: u64, quiet: bool) -> Progress {
        let target = match self {
            Console::Terminal if !quiet => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let style =
            ProgressStyle::with_template("{prefix} {bar:30} {percent:>3} % {eta} left {wide_msg}")
                .expect("a valid template");
        // Whoever is asked from now on knows of Ctrl-C.
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

/// How far a command is.
pub struct Progress {
    bar: ProgressBar,
    all: u64,
    console: Console,
}

impl Progress {
    /// So much more is done.
    pub fn inc(&self, more: u64) {
        self.bar.inc(more);
        if let Console::Within(around) = &self.console {
            around.progress(self.bar.position().min(self.all), self.all);
        }
    }

    /// Says more than how much is done.
    pub fn tell(&self, text: String) {
        self.bar.set_message(text);
    }

    /// Nothing is shown any more.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// The command is to stop.
    pub fn is_stopped(&self) -> bool {
        self.console.is_stopped()
    }

    /// Set as soon as the command is to stop.
    pub fn stop(&self) -> &AtomicBool {
        self.console.stop()
    }

    /// Refuses to go on once the command is to stop. Loops over runs ask before each: a run may be too short to ask by itself.
    pub fn go_on(&self) -> Result<(), Failure> {
        self.console.go_on()
    }
}
