//! In the place of the loader where the feature `bpf` is off.

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

/// A registered controller. There is none: this narrows was built without them.
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

    /// The kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Its counters.
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

/// A registered controller from a file. There is none: this narrows was built without them.
pub enum LoadedFile {}

impl LoadedFile {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn new(_program: &ForKernel, _name: &str) -> Result<LoadedFile, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Programs of the object that are not loaded.
    pub fn left(&self) -> &[String] {
        match *self {}
    }

    /// Reads what the program wrote into its ring of this name.
    pub fn read(&self, _ring: &str, _wait: Duration, _each: impl FnMut(&[u8])) {
        match *self {}
    }

    /// The data of a section.
    pub fn data(&self, _section: &str) -> Vec<u8> {
        match *self {}
    }
}

/// A tracer of acknowledgements. There is none: this narrows was built without it.
pub enum Acknowledgements {}

impl Acknowledgements {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn of(_networks: &[u32], _ports: Range<u16>) -> Result<Acknowledgements, KernelError> {
        Err(KernelError::NotBuilt)
    }

    /// Reads what came since the last call, or waits for some until `wait` is over.
    pub fn read(&self, _wait: Duration, _each: impl FnMut(Acknowledgement)) {
        match *self {}
    }

    /// How many were lost, because nobody read those before.
    pub fn lost(&self) -> u64 {
        match *self {}
    }
}

/// A controller that is pinned. There is none: this narrows was built without them.
pub enum Pinned {}

/// One that is not whole. There is none: this narrows was built without them.
pub enum Damaged {}

impl Damaged {
    /// The kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// The directory of its pins.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// The fault.
    pub fn problem(&self) -> &str {
        match *self {}
    }

    /// Unregisters it.
    pub fn unload(self) -> Result<(), KernelError> {
        match self {}
    }
}

impl From<Damaged> for KernelError {
    fn from(damaged: Damaged) -> KernelError {
        match damaged {}
    }
}

/// The reader of its records.
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

    /// True if it came from a file.
    pub fn is_file(&self) -> bool {
        match *self {}
    }

    /// How many connections have it.
    pub fn open(&self) -> u64 {
        match *self {}
    }

    /// The callbacks of one from a file.
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

    /// The prices of connections.
    pub fn prices(&self) -> Result<Vec<(u32, Price)>, KernelError> {
        match *self {}
    }

    /// Gives connections of a priority prices of their own.
    pub fn set_price(&self, _priority: u32, _price: Price) -> Result<(), KernelError> {
        match *self {}
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        match *self {}
    }

    /// Which controller it is with its parameters.
    pub fn text(&self) -> &str {
        match *self {}
    }

    /// The same as this program knows it.
    pub fn known(&self) -> Option<(&'static Twin, &Choice)> {
        match *self {}
    }

    /// Its constants.
    pub fn constants(&self) -> Vec<u8> {
        match *self {}
    }

    /// The directory of its pins.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// When it was loaded.
    pub fn since(&self) -> Option<SystemTime> {
        match *self {}
    }

    /// Its counters.
    pub fn stats(&self) -> Option<Stats> {
        match *self {}
    }

    /// Becomes the one process that reads its records.
    pub fn watch(&self) -> Result<Watching, KernelError> {
        match *self {}
    }

    /// Unregisters it.
    pub fn unload(self) -> Result<u64, KernelError> {
        match self {}
    }
}

impl Watching {
    /// Reads what was recorded since the last call.
    pub fn records(&self, _wait: Duration, _each: impl FnMut(Record)) {
        match *self {}
    }

    /// False once the controller is unloaded.
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

/// The kernel's own counting of programs. There is none: this narrows was built without it.
pub enum Counting {}

impl Counting {
    /// Fails with [`KernelError::NotBuilt`].
    pub fn begin() -> Result<Counting, KernelError> {
        Err(KernelError::NotBuilt)
    }
}

/// A router that is pinned. There is none: this narrows was built without them.
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

    /// The name of the interface.
    pub fn interface(&self) -> &str {
        match *self {}
    }

    /// Which router it is.
    pub fn text(&self) -> &str {
        match *self {}
    }

    /// The directory of its pins.
    pub fn path(&self) -> &Path {
        match *self {}
    }

    /// When it began.
    pub fn since(&self) -> Option<SystemTime> {
        match *self {}
    }

    /// True if its interface is in the network namespace of this process.
    pub fn is_here(&self) -> bool {
        match *self {}
    }

    /// True if packets pass it.
    pub fn is_attached(&self) -> bool {
        match *self {}
    }

    /// Its constants.
    pub fn constants(&self) -> Result<Constants, KernelError> {
        match *self {}
    }

    /// What it has measured, and done.
    pub fn measured(&self) -> Result<Measured, KernelError> {
        match *self {}
    }

    /// Ends it.
    pub fn remove(self) -> Result<(), KernelError> {
        match self {}
    }
}

/// The other network namespaces of this host: none of them can have a controller of narrows.
pub fn elsewhere() -> Vec<Elsewhere> {
    Vec::new()
}

/// True if some BPF program registered this name; this narrows cannot tell.
pub fn of_bpf(_name: &str) -> bool {
    false
}
