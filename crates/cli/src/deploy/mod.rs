//! `narrows deploy`: experiments on a host's real connections.

#[cfg(feature = "bpf")]
mod agent;
#[cfg(feature = "bpf")]
mod place;
#[cfg(feature = "bpf")]
mod start;
mod state;
mod status;
#[cfg(feature = "bpf")]
mod stop;
#[cfg(feature = "bpf")]
mod writer;

#[cfg(feature = "bpf")]
pub use start::start;
pub use state::STATES;
pub use status::status;
#[cfg(feature = "bpf")]
pub use stop::stop;

#[cfg(not(feature = "bpf"))]
use crate::cli::{DeployStartArgs, DeployStopArgs};
#[cfg(not(feature = "bpf"))]
use narrows_workbench::{Failure, Outcome};

/// Fails: this build has no programs for the kernel.
#[cfg(not(feature = "bpf"))]
pub fn start(_: &DeployStartArgs) -> Result<Outcome, Failure> {
    Err(narrows_kernel::KernelError::NotBuilt.into())
}

/// Fails: this build has no programs for the kernel.
#[cfg(not(feature = "bpf"))]
pub fn stop(_: &DeployStopArgs) -> Result<Outcome, Failure> {
    Err(narrows_kernel::KernelError::NotBuilt.into())
}
