//! Processes of nodes.

use super::messages::{NodeAnswer, NodeFailure, NodePlan, NodeReport};
use crate::clock::Clock;
use crate::error::LiveError;
use crate::host::Host;
use narrows_units::Span;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Duration;

/// Longest time until a node is ready, and until it reports.
const PATIENCE: Span = Span::from_secs(20);

/// The program of a node. It reads a [`NodePlan`] from its standard input, and writes `ready` to
/// its standard output when it can begin. It reads the beginning of the run, in nanoseconds of the
/// monotonic clock, and writes a [`NodeAnswer`] when the run is over or when it fails. It ends when
/// its standard input does.
#[derive(Clone, Debug)]
pub struct NodeProgram {
    /// File of the program.
    pub file: OsString,
    /// Arguments.
    pub arguments: Vec<OsString>,
}

/// The process of a node in its namespace, which ends when this is dropped.
pub struct NodeProcess {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    /// Lines that the process writes.
    lines: Receiver<io::Result<String>>,
    /// Report of the node, if it has arrived already.
    report: Option<NodeReport>,
}

impl NodeProcess {
    /// Starts the process, and sends it the plan.
    pub fn start(
        host: &Host,
        program: &NodeProgram,
        plan: &NodePlan,
    ) -> Result<NodeProcess, LiveError> {
        let failed = |error| failed(&host.name, "cannot be started", error);
        let spawn = || {
            let mut command = Command::new(&program.file);
            // Signals of the terminal go to this process only, which ends its nodes.
            command
                .args(&program.arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .process_group(0);
            command.spawn()
        };
        let mut child = host.namespace.enter(spawn).map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (sender, lines) = channel();
        let mut process =
            NodeProcess { name: host.name.clone(), child, input, lines, report: None };
        let output = output.ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        thread::Builder::new()
            .spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let mut line = String::new();
                    let read = output.read_line(&mut line);
                    let over = !matches!(read, Ok(length) if length > 0);
                    // The receiver is gone if the process is dropped.
                    if sender.send(read.map(|_| line)).is_err() || over {
                        return;
                    }
                }
            })
            .map_err(failed)?;
        let plan = serde_json::to_string(plan).map_err(|error| failed(error.into()))?;
        process.tell(&plan).map_err(failed)?;
        Ok(process)
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{line}")?;
        input.flush()
    }

    /// Returns the next line that the process writes.
    fn line(&mut self) -> Result<String, LiveError> {
        let patience = Duration::from_nanos(PATIENCE.as_nanos());
        let line = match self.lines.recv_timeout(patience) {
            Ok(Ok(line)) if !line.is_empty() => Ok(line),
            Ok(Ok(_)) => Err(io::Error::other("its process has ended")),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("it says nothing for {PATIENCE}"),
            )),
        };
        line.map_err(|error| failed(&self.name, "failed", error))
    }

    /// Waits until the node is ready.
    pub fn wait_until_ready(&mut self) -> Result<(), LiveError> {
        let line = self.line()?;
        if line.trim() == "ready" {
            return Ok(());
        }
        self.read(&line)?;
        Err(failed(&self.name, "failed", io::Error::other("it was done before the run began")))
    }

    /// Begins the run.
    pub fn begin(&mut self, clock: Clock) -> Result<(), LiveError> {
        self.tell(&clock.zero().to_string()).map_err(|error| failed(&self.name, "failed", error))
    }

    /// Fails if the node has reported a failure, or if its process has ended without a report.
    pub fn check(&mut self) -> Result<(), LiveError> {
        if self.report.is_some() {
            return Ok(());
        }
        let line = match self.lines.try_recv() {
            Err(TryRecvError::Empty) => return Ok(()),
            Ok(Ok(line)) if !line.is_empty() => line,
            Ok(Err(error)) => return Err(failed(&self.name, "failed", error)),
            Ok(Ok(_)) | Err(TryRecvError::Disconnected) => {
                let ended = self
                    .child
                    .wait()
                    .map_or_else(|error| error.to_string(), |status| status.to_string());
                return Err(failed(
                    &self.name,
                    "failed",
                    io::Error::other(format!("its process ended with {ended}")),
                ));
            }
        };
        self.report = Some(self.read(&line)?);
        Ok(())
    }

    /// Returns the report of the node, after the run.
    pub fn report(&mut self) -> Result<NodeReport, LiveError> {
        match self.report.take() {
            Some(report) => Ok(report),
            None => {
                let line = self.line()?;
                self.read(&line)
            }
        }
    }

    /// Parses the report in a line.
    fn read(&self, line: &str) -> Result<NodeReport, LiveError> {
        match serde_json::from_str(line) {
            Ok(NodeAnswer::Done(report)) => Ok(*report),
            Ok(NodeAnswer::Failed(NodeFailure { part, after, cause })) => Err(LiveError::Node {
                node: self.name.clone(),
                after: Span::from_nanos(after),
                part,
                cause,
            }),
            Err(error) => Err(failed(&self.name, "failed", error.into())),
        }
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        drop(self.input.take());
        // A process that has ended needs no kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Its last messages went to standard error.
        let _ = self.lines.try_iter().count();
    }
}

fn failed(name: &str, what: &str, error: io::Error) -> LiveError {
    LiveError::System {
        what: format!("the node \"{name}\" {what}"),
        error,
        remedy: "its own words, if there are any, stand above",
    }
}
