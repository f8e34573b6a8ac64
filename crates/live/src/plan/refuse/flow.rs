//! A flow for the kernel.

use super::super::kernel::Kernel;
use crate::error::LiveError;
use narrows_scenario::Flow;

/// A flow, with the kernel that is to run it.
pub struct Request<'a> {
    pub flow: &'a Flow,
    pub kernel: &'a Kernel,
}

impl Request<'_> {
    /// Refuses a key of the flow, such as `transport.tick`.
    pub fn refused(
        &self,
        key: &str,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LiveError {
        let keys = key.split('.').map(str::to_owned);
        LiveError::refused(
            ["flow".to_owned(), self.flow.name.clone()].into_iter().chain(keys),
            problem,
            remedy,
        )
    }
}
