//! Counts of callback calls.

use std::time::Duration;

/// Calls of a callback, counted by the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Name of the function in the kernel: at most 15 bytes.
    pub function: String,
    /// Number of calls.
    pub count: u64,
    /// Total time of the calls.
    pub time: Duration,
}
