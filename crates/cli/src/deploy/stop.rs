//! `narrows deploy stop`.

use super::reset::reset;
use crate::cli::{DeployStopArgs, OpenArg};
use crate::terminal;
use narrows_deploy::state::Phase;
use narrows_kernel::deployment::Deployment;
use narrows_workbench::experiments::{has_agent, read, want, write};
use narrows_workbench::{Failure, Outcome};
use rustix::process::{Pid, Signal, kill_process};
use std::thread;
use std::time::{Duration, Instant};

/// Time that an agent has to end.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time in which sending connections are put back, without an agent.
pub const DRAIN: Duration = Duration::from_secs(2);

/// Stops an experiment: its agent, or without one its program.
pub fn stop(args: &DeployStopArgs) -> Result<Outcome, Failure> {
    let state = read(&args.state, &args.name)?;
    let agent = || has_agent(&args.state, &args.name);
    if agent()
        && let Some(process) = Pid::from_raw(state.process as i32)
    {
        if let Some(open) = args.open {
            want(&args.state, &args.name, open.word())?;
        }
        kill_process(process, Signal::TERM).map_err(|error| {
            Failure::Other(format!(
                "process {} cannot be stopped: {error}; run this as root",
                state.process
            ))
        })?;
        let began = Instant::now();
        while agent() && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(50));
        }
    }
    if let Some(left) = Deployment::adopt(&args.name)? {
        match args.open {
            Some(OpenArg::Keep) => left.switch_off()?,
            Some(OpenArg::Reset) => {
                reset(&left)?;
                thread::sleep(DRAIN);
            }
            Some(OpenArg::Change) | None => {
                left.roll_back()?;
                left.put_back()?;
                thread::sleep(DRAIN);
            }
        }
        left.remove()?;
    }
    let mut state = read(&args.state, &args.name)?;
    if state.phase.goes_on() {
        state.phase = Phase::Stopped;
        state.reason = "its agent was gone".to_owned();
        write(&state, &args.state)?;
    }
    terminal::print(&format!("{} is {}.\n", args.name, state.phase.word()))?;
    Ok(Outcome::Ok)
}
