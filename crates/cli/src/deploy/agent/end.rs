//! The end of an experiment.

use super::super::notify::notify;
use super::super::reset::reset;
use super::reading::HEADS;
use super::{Agent, LOOK, realtime_ns};
use crate::terminal;
use narrows_deploy::experiment::OpenConnections;
use narrows_deploy::state::{Phase, State};
use narrows_units::Span;
use narrows_workbench::Failure;
use narrows_workbench::experiments::{write, write_result};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time in which open connections are put back at the end.
const DRAIN: Duration = Duration::from_secs(10);

impl Agent {
    /// Ends the experiment: nobody is treated any more, open connections are put back, the program
    /// is removed, and the result is written.
    pub(super) fn end(mut self, phase: Phase, reason: String) -> Result<State, Failure> {
        notify("STOPPING=1\n");
        let wanted = self.folder.wanted().and_then(|word| OpenConnections::named(&word));
        match wanted.unwrap_or(self.experiment.roll_back.open) {
            OpenConnections::Keep => self.deployment.switch_off()?,
            OpenConnections::Change => {
                self.deployment.roll_back()?;
                self.deployment.put_back()?;
                self.drain()?;
            }
            OpenConnections::Reset => {
                reset(&self.deployment)?;
                self.drain()?;
            }
        }
        self.read();
        self.state.phase = phase;
        self.state.reason = reason;
        self.state.ended = Some(realtime_ns());
        self.describe(self.state.periods[1], Span::ZERO)?;
        self.state.lease_s = 0.0;
        let lines = std::mem::take(&mut self.lines);
        // A full disk must not keep the program in the kernel.
        let kept = self.folder.add_connections(HEADS, &lines);
        self.deployment.remove()?;
        self.writer.end()?;
        write(&self.state, &self.states)?;
        kept?;
        let path = self.states.join(&self.state.name);
        if let Err(failure) = write_result(&path, &path.join("result"), None) {
            terminal::tell(&format!("the result cannot be written: {failure}"));
        }
        Ok(self.state)
    }

    /// Waits until open treated connections that send are put back: until no more are for a second.
    fn drain(&self) -> Result<(), Failure> {
        let (mut last, mut since) = (0, Instant::now());
        let began = Instant::now();
        while began.elapsed() < DRAIN && since.elapsed() < Duration::from_secs(1) {
            let treated = self.deployment.counts()?[1];
            let done = treated.restored + treated.not_restored + treated.closed;
            if done >= treated.assigned {
                break;
            }
            if done != last {
                (last, since) = (done, Instant::now());
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}
