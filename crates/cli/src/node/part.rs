//! The parts of a node: its forwarder, consumers and producers. The run hears of one that fails at once.

use super::clock::RunClock;
use narrows_live::icn::{NodeAnswer, NodeFailure};
use std::fmt::Display;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// A forwarder that fails closes the connections of all other parts. These leave it so much time to say why. Ours.
const AFTER_THE_FORWARDER: Duration = Duration::from_millis(200);

/// A part, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The forwarder.
    Forwarder,
    /// A producer, by its prefix.
    Producer(String),
    /// A consumer, by its name.
    Consumer(String),
    /// A request process, by its name.
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
    /// Does the work of a part. If it fails, this process tells the run why, and ends. `began` is when the run began, in nanoseconds of the monotonic
    /// clock, once it has.
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
        // Whoever else fails meanwhile waits for this lock until the process has ended.
        let mut out = io::stdout().lock();
        if let Ok(text) = serde_json::to_string(&failure) {
            // Nobody listens any more if this fails.
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        }
        std::process::exit(1)
    }
}
