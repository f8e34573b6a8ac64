//! How often a callback was called.

use std::time::Duration;

/// The calls of a callback that the kernel has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Its function, as the kernel names it: at most 15 bytes.
    pub function: String,
    /// How often it was called.
    pub count: u64,
    /// How long all calls took.
    pub time: Duration,
}
