//! The parts of a node: its forwarder, consumers and producers. A part that fails reports it to the
//! run at once.

use super::clock::RunClock;
use narrows_live::icn::{NodeAnswer, NodeFailure};
use std::fmt::Display;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Time that the other parts wait before they report a failure. A forwarder that fails closes their
/// connections, and it should report the cause first. The value is our choice.
const AFTER_THE_FORWARDER: Duration = Duration::from_millis(200);

/// Name of a part, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The forwarder.
    Forwarder,
    /// A producer, named by its prefix.
    Producer(String),
    /// A consumer with its name.
    Consumer(String),
    /// A request process with its name.
    Requests(String),
}

impl Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Forwarder => write!(f, "its forwarder"),
            Part::Producer(prefix) => write!(f, "the producer of {prefix}"),
            Part::Consumer(name) => write!(f, "the consumer \"{name}\""),
            Part::Requests(name) => write!(f, "the request process \"{name}\""),
        }
    }
}

impl Part {
    /// Runs the work of a part and returns its result. If the work fails, reports the failure to
    /// the run and exits the process. `began` is the start of the run in nanoseconds of the
    /// monotonic clock, once the run has started.
    pub fn work<T, E: Display>(
        &self,
        began: &OnceLock<u64>,
        work: impl FnOnce() -> Result<T, E>,
    ) -> T {
        let cause = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(done)) => return done,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it panicked; its words stand above".to_owned(),
        };
        let after = began.get().map_or(0, |zero| RunClock::beginning_at(*zero).now().as_nanos());
        if *self != Part::Forwarder {
            thread::sleep(AFTER_THE_FORWARDER);
        }
        let failure = NodeAnswer::Failed(NodeFailure { part: self.to_string(), after, cause });
        // Other parts that fail in the meantime wait for this lock until the process exits.
        let mut out = io::stdout().lock();
        if let Ok(text) = serde_json::to_string(&failure) {
            // If the write fails, the parent process no longer reads.
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        }
        std::process::exit(1)
    }
}
