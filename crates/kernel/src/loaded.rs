//! A controller of narrows in the kernel, for as long as this process holds it.

use crate::accurate;
use crate::error::KernelError;
use crate::fitness::fit;
use crate::maps::Maps;
use crate::registered::{Registered, Registration};
use crate::shared::{Record, Stats};
use libbpf_rs::{Link, ObjectBuilder, OpenObject};
use narrows_bpf::Ops;
use narrows_control::cores::Twin;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

/// Objects of the controllers, by their names in the kernel.
const OBJECTS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// Returns the object of a twin.
pub(crate) fn object_of(twin: &Twin) -> &'static [u8] {
    OBJECTS.iter().find(|(known, _)| *known == twin.kernel).expect("every twin has a folder").1
}

/// Opens an object with these constants, without loading it.
pub(crate) fn open(object: &[u8], constants: &[u8]) -> libbpf_rs::Result<OpenObject> {
    let mut open = ObjectBuilder::default().name("narrows")?.open_memory(object)?;
    let mut values = open
        .maps_mut()
        .find(|map| map.name() == ".rodata.constants")
        .expect("every object has constants");
    values.set_initial_value(constants)?;
    Ok(open)
}

/// A registered controller. Dropping it ends the registration: connections that have the controller
/// keep it, but new connections cannot get it.
pub struct Loaded {
    registered: Registered,
    /// Attached program for sockets, if the controller has one.
    sockets: Option<Link>,
    maps: Maps,
    name: String,
}

impl Loaded {
    /// Registers a controller under `name`, with these constants.
    ///
    /// # Errors
    ///
    /// The host is unfit, the name is taken or invalid, or the kernel refuses; nothing is left in
    /// the kernel.
    pub fn new(twin: &'static Twin, constants: &[u8], name: &str) -> Result<Loaded, KernelError> {
        fit()?;
        accurate::fit(twin)?;
        Loaded::held_by(Registration::probed(), twin, constants, name)
    }

    /// Registers a controller with a given kind of registration, so that tests can use the kind of
    /// older kernels.
    #[doc(hidden)]
    pub fn held_by(
        registration: Registration,
        twin: &'static Twin,
        constants: &[u8],
        name: &str,
    ) -> Result<Loaded, KernelError> {
        Loaded::of_object(object_of(twin), twin.state, constants, name, registration)
    }

    /// Registers an object, so that tests can use objects that are refused.
    #[doc(hidden)]
    pub fn of_object(
        object: &[u8],
        state: usize,
        constants: &[u8],
        name: &str,
        registration: Registration,
    ) -> Result<Loaded, KernelError> {
        let opened = || {
            let mut open = open(object, constants)?;
            accurate::tell(&mut open)?;
            Ok(open)
        };
        let (registered, (sockets, maps)) =
            Registered::new(name, registration, ops(), opened, |object| {
                let sockets = accurate::attach(object)?;
                Ok((sockets, Maps::of(object, state)?))
            })?;
        Ok(Loaded { registered, sockets, maps, name: name.to_owned() })
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the kernel's id of the map of counters, so that tests can check that it is gone.
    #[doc(hidden)]
    pub fn counters(&self) -> u32 {
        libbpf_rs::MapInfo::new(self.maps.stats.as_fd()).expect("a map").info.id
    }

    /// Returns the counters.
    pub fn stats(&self) -> Stats {
        self.maps.stats()
    }

    /// Records each call from now on, or stops.
    pub fn record(&self, on: bool) {
        self.maps.record_until(if on { u64::MAX } else { 0 });
    }

    /// Reads records until no more arrive within `wait`.
    pub fn records(&self, wait: Duration, each: impl FnMut(Record)) {
        self.maps.records(wait, each);
    }

    /// Pins the registration and the maps in a directory. The registration comes last, so that a
    /// directory with a registration is complete.
    pub(crate) fn pin(mut self, directory: &Path) -> libbpf_rs::Result<()> {
        self.maps.pin(directory)?;
        if let Some(sockets) = &mut self.sockets {
            sockets.pin(directory.join(SOCKETS))?;
        }
        self.registered.pin(directory)
    }
}

/// Returns the table of callbacks in every object; it begins with the name.
fn ops() -> Ops {
    Ops { variable: "controller".to_owned(), name_at: 0 }
}

/// Pin of the program for sockets.
const SOCKETS: &str = "sockets";
