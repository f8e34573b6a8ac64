//! Simulations some of whose connections are steered from outside, step by step: environments for
//! learning.

mod recorded;
mod remote;
mod steered;
mod table;

use narrows_control::register;
use narrows_scenario::{ReadFile, Scenario, ScenarioError};
use narrows_sim::SimError;
use std::io;
use std::sync::Once;
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

/// Reads a scenario with steered flows, and the files that it names by `read`.
///
/// # Errors
///
/// It is no scenario: place, value and remedy.
pub fn scenario(text: &str, read: &ReadFile<'_>) -> Result<Scenario, AgentsError> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| register(&remote::ENTRY).expect("a name of our own"));
    Ok(narrows_scenario::parse(text, "the environment", read)?)
}
