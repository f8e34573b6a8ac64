//! `narrows deploy stop`.

use super::state::{Phase, State};
use super::writer::write;
use crate::cli::DeployStopArgs;
use crate::terminal;
use narrows_kernel::deployment::Deployment;
use narrows_workbench::{Failure, Outcome};
use rustix::process::{Pid, Signal, kill_process};
use std::thread;
use std::time::{Duration, Instant};

/// Time that an agent has to end.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time in which sending connections are put back, without an agent.
const DRAIN: Duration = Duration::from_secs(2);

/// Stops an experiment: its agent, or without one its program.
pub fn stop(args: &DeployStopArgs) -> Result<Outcome, Failure> {
    let state = State::read(&args.state, &args.name)?;
    if state.has_agent()
        && let Some(process) = Pid::from_raw(state.process as i32)
    {
        kill_process(process, Signal::TERM).map_err(|error| {
            Failure::Other(format!(
                "process {} cannot be stopped: {error}; run this as root",
                state.process
            ))
        })?;
        let began = Instant::now();
        while state.has_agent() && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(50));
        }
    }
    if let Some(left) = Deployment::adopt(&args.name)? {
        left.roll_back()?;
        thread::sleep(DRAIN);
        left.remove()?;
    }
    let mut state = State::read(&args.state, &args.name)?;
    if state.phase.goes_on() {
        state.phase = Phase::Stopped;
        state.reason = "its agent was gone".to_owned();
        write(&state, &args.state)?;
    }
    terminal::print(&format!("{} is {}.\n", args.name, state.phase.word()))?;
    Ok(Outcome::Ok)
}
