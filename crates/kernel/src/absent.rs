//! Stand-ins for the loader in a build without the feature `bpf`.

use crate::called::Calls;
use crate::error::KernelError;
use crate::measured::Measured;
use crate::names::Elsewhere;
use crate::shared::{Acknowledgement, Price, Record, Stats};
use narrows_bpf::ForKernel;
use narrows_control::Choice;
use narrows_control::cores::Twin;
use narrows_cores::vcp_router::Constants;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A registered controller; never constructed in this build.
pub enum Loaded {}

impl Loaded {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn new(
        _twin: &'static Twin,
        _constants: &[u8],
        _name: &str,
    ) -> Result<Loaded, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Returns the counters.
    pub fn stats(&self) -> Stats {
        match *self {}
    }

    /// Records each call from now on, or stops.
    pub fn record(&self, _on: bool) {
        match *self {}
    }

    /// Reads records until no more arrive within `wait`.
    pub fn records(&self, _wait: Duration, _each: impl FnMut(Record)) {
        match *self {}
    }
}

/// A registered controller from a file; never constructed in this build.
pub enum LoadedFile {}

impl LoadedFile {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn new(_program: &ForKernel, _name: &str) -> Result<LoadedFile, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Returns the programs of the object that are not loaded.
    pub fn left(&self) -> &[String] {
        match *self {}
    }

    /// Reads the data that the program wrote into its ring of this name.
    pub fn read(&self, _ring: &str, _wait: Duration, _each: impl FnMut(&[u8])) {
        match *self {}
    }

    /// Returns the data of a section.
    pub fn data(&self, _section: &str) -> Vec<u8> {
        match *self {}
    }
}

/// A tracer of acknowledgements; never constructed in this build.
pub enum Acknowledgements {}

impl Acknowledgements {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn of(_networks: &[u32], _ports: Range<u16>) -> Result<Acknowledgements, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Reads the new acknowledgements. Waits for them up to `wait`.
    pub fn read(&self, _wait: Duration, _each: impl FnMut(Acknowledgement)) {
        match *self {}
    }

    /// Returns the number of acknowledgements that were lost because the ring was full.
    pub fn lost(&self) -> u64 {
        match *self {}
    }
}

/// A pinned controller; never constructed in this build.
pub enum Pinned {}

/// A pinned controller with damaged pins; never constructed in this build.
pub enum Damaged {}

impl Damaged {
    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Returns the directory of the pins.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// Returns the fault.
    pub fn problem(&self) -> &str {
        match *self {}
    }

    /// Unregisters the controller.
    pub fn unload(self) -> Result<(), KernelError> {
        match self {}
    }
}

impl From<Damaged> for KernelError {
    fn from(damaged: Damaged) -> KernelError {
        match damaged {}
    }
}

/// The reader of a controller's records.
pub enum Watching {}

impl Pinned {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn load(
        _twin: &'static Twin,
        _choice: &Choice,
        _constants: &[u8],
        _name: &str,
    ) -> Result<(Pinned, bool), KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Fails with [`KernelError::NotBuilt`].
    pub fn load_file(
        _program: &ForKernel,
        _text: &str,
        _name: &str,
    ) -> Result<(Pinned, Vec<String>, bool), KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// True if the controller came from a file.
    pub fn is_file(&self) -> bool {
        match *self {}
    }

    /// Returns the number of connections with the controller.
    pub fn open(&self) -> u64 {
        match *self {}
    }

    /// Returns the callbacks of a controller from a file.
    pub fn callbacks(&self) -> Result<Vec<Calls>, KernelError> {
        match *self {}
    }

    /// Fails with [`KernelError::NotBuilt`].
    pub fn all() -> Result<Vec<Result<Pinned, Damaged>>, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Fails with [`KernelError::NotBuilt`].
    pub fn find(_name: &str) -> Result<Result<Pinned, Damaged>, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Fails with [`KernelError::NotBuilt`].
    pub fn named(_name: &str) -> Result<Pinned, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Returns the prices of connections.
    pub fn prices(&self) -> Result<Vec<(u32, Price)>, KernelError> {
        match *self {}
    }

    /// Sets the price of connections with a priority.
    pub fn set_price(&self, _priority: u32, _price: Price) -> Result<(), KernelError> {
        match *self {}
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Returns the controller with its parameters.
    pub fn text(&self) -> &str {
        match *self {}
    }

    /// Returns the twin and the choice, if this program knows the controller.
    pub fn known(&self) -> Option<(&'static Twin, &Choice)> {
        match *self {}
    }

    /// Returns the constants.
    pub fn constants(&self) -> Vec<u8> {
        match *self {}
    }

    /// Returns the directory of the pins.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// Returns the time at which the controller was loaded.
    pub fn since(&self) -> Option<SystemTime> {
        match *self {}
    }

    /// Returns the counters.
    pub fn stats(&self) -> Option<Stats> {
        match *self {}
    }

    /// Becomes the only process that reads the records.
    pub fn watch(&self) -> Result<Watching, KernelError> {
        match *self {}
    }

    /// Unregisters the controller.
    pub fn unload(self) -> Result<u64, KernelError> {
        match self {}
    }
}

impl Watching {
    /// Reads the records since the last call.
    pub fn records(&self, _wait: Duration, _each: impl FnMut(Record)) {
        match *self {}
    }

    /// True until the controller is unloaded.
    pub fn is_loaded(&self) -> bool {
        match *self {}
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        match *self {}
    }
}

/// Fails with [`KernelError::NotBuilt`].
pub fn judge(_program: &ForKernel) -> Result<Vec<String>, KernelError> {
    Err(KernelError::NotBuilt)
}

/// The kernel's counting of program calls; never constructed in this build.
pub enum Counting {}

impl Counting {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn begin() -> Result<Counting, KernelError> {
        Err(KernelError::NotBuilt)
    }
}

/// A pinned router; never constructed in this build.
pub enum Router {}

impl Router {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn route(
        _interface: &str,
        _text: &str,
        _constants: &Constants,
    ) -> Result<(Router, bool), KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Fails with [`KernelError::NotBuilt`].
    pub fn all() -> Result<Vec<Router>, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Fails with [`KernelError::NotBuilt`].
    pub fn at(_interface: &str) -> Result<Router, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Returns the name of the interface.
    pub fn interface(&self) -> &str {
        match *self {}
    }

    /// Returns the router with its parameters.
    pub fn text(&self) -> &str {
        match *self {}
    }

    /// Returns the directory of the pins.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// Returns the time at which the router was made.
    pub fn since(&self) -> Option<SystemTime> {
        match *self {}
    }

    /// True if the interface is in the network namespace of this process.
    pub fn is_here(&self) -> bool {
        match *self {}
    }

    /// True if packets pass through the router.
    pub fn is_attached(&self) -> bool {
        match *self {}
    }

    /// Returns the constants.
    pub fn constants(&self) -> Result<Constants, KernelError> {
        match *self {}
    }

    /// Returns measurements and counts.
    pub fn measured(&self) -> Result<Measured, KernelError> {
        match *self {}
    }

    /// Removes the router.
    pub fn remove(self) -> Result<(), KernelError> {
        match self {}
    }
}

/// Returns no network namespaces, because none of them can have a controller of this build.
pub fn elsewhere() -> Vec<Elsewhere> {
    Vec::new()
}

/// Returns false, because this build cannot tell whether a BPF program registered this name.
pub fn of_bpf(_name: &str) -> bool {
    false
}
