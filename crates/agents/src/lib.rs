//! Simulations some of whose connections are steered from outside, step by step: environments for
//! learning.

mod recorded;
mod remote;
mod steered;
mod table;

use narrows_control::Session;
use narrows_scenario::{ReadFile, Scenario, ScenarioError};
use narrows_sim::SimError;
use std::io;
use thiserror::Error;

pub use recorded::Recorded;
pub use remote::AGENT;
pub use steered::{Agents, Steered};
pub use table::Step;

/// Why an environment cannot begin or go on.
#[derive(Debug, Error)]
pub enum AgentsError {
    /// Its network is no scenario: place, value and remedy.
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
    /// The simulation has no thread.
    #[error("a thread cannot be started: {0}; take fewer environments")]
    Thread(io::Error),
    /// The simulation has no thread in this process.
    #[error(
        "the simulation began before this process was forked, and its thread stayed in the other process; \
         begin an episode in this process, or start processes by spawn or forkserver"
    )]
    Forked,
    /// The simulation cannot go on.
    #[error("the environment: {0}")]
    Simulation(SimError),
}

/// Adds the controller of steered flows to a session.
///
/// # Panics
///
/// If it is there already.
pub fn join(session: &Session) {
    session.register(&remote::ENTRY).expect("a session is joined once");
}

/// Reads a scenario with steered flows, and the files that it names by `read`. The controllers are
/// those of a session that was [joined](join).
///
/// # Errors
///
/// It is no scenario: place, value and remedy.
pub fn scenario(
    session: &Session,
    text: &str,
    read: &ReadFile<'_>,
) -> Result<Scenario, AgentsError> {
    let _session = session.enter();
    Ok(narrows_scenario::parse(text, "the environment", read)?)
}
