//! `narrows deploy`: experiments on a host's real connections.

#[cfg(feature = "bpf")]
mod agent;
#[cfg(feature = "bpf")]
mod dry;
#[cfg(feature = "bpf")]
mod names;
#[cfg(feature = "bpf")]
mod notify;
#[cfg(feature = "bpf")]
mod place;
#[cfg(feature = "bpf")]
mod remove;
mod report;
#[cfg(feature = "bpf")]
mod reset;
#[cfg(feature = "bpf")]
mod start;
mod status;
#[cfg(feature = "bpf")]
mod stop;

#[cfg(feature = "bpf")]
pub use remove::remove;
pub use report::report;
#[cfg(feature = "bpf")]
pub use start::start;
pub use status::status;
#[cfg(feature = "bpf")]
pub use stop::stop;

#[cfg(not(feature = "bpf"))]
mod not_built {
    use crate::cli::{DeployRemoveArgs, DeployStartArgs, DeployStopArgs};
    use narrows_kernel::KernelError;
    use narrows_workbench::{Failure, Outcome};

    /// Fails: this build has no programs for the kernel.
    pub fn start(_: &DeployStartArgs) -> Result<Outcome, Failure> {
        Err(KernelError::NotBuilt.into())
    }

    /// Fails: this build has no programs for the kernel.
    pub fn stop(_: &DeployStopArgs) -> Result<Outcome, Failure> {
        Err(KernelError::NotBuilt.into())
    }

    /// Fails: this build has no programs for the kernel.
    pub fn remove(_: &DeployRemoveArgs) -> Result<Outcome, Failure> {
        Err(KernelError::NotBuilt.into())
    }
}

#[cfg(not(feature = "bpf"))]
pub use not_built::{remove, start, stop};

/// Returns the names of experiments that use a controller of the kernel.
#[cfg(feature = "bpf")]
pub fn using(controller: &str) -> Vec<String> {
    use narrows_kernel::deployment::{Deployment, name_text};
    let uses = |name: &String| {
        let policy = Deployment::adopt(name).ok().flatten().and_then(|own| own.policy().ok());
        policy.is_some_and(|own| {
            [own.control, own.treatment].iter().any(|name| name_text(*name) == controller)
        })
    };
    Deployment::names().into_iter().filter(uses).collect()
}

/// Returns no names: this build has no experiments.
#[cfg(not(feature = "bpf"))]
pub fn using(_: &str) -> Vec<String> {
    Vec::new()
}
