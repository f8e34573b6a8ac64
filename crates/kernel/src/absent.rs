//! In the place of the loader where the feature `bpf` is off.

use crate::{KernelError, Record, Stats};
use narrows_control::cores::Twin;
use std::time::Duration;

/// A registered controller. There is none: this narrows was built without them.
pub enum Loaded {}

impl Loaded {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn new(_twin: &'static Twin, _constants: &[u8], _name: &str) -> Result<Loaded, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// What it has seen.
    pub fn stats(&self) -> Stats {
        match *self {}
    }

    /// Records each call from now on, or no more.
    pub fn record(&self, _on: bool) {
        match *self {}
    }

    /// Reads records until `wait` brings no more.
    pub fn records(&self, _wait: Duration, _each: impl FnMut(Record)) {
        match *self {}
    }
}
