//! A controller of ours in the kernel, for as long as this process wants it.

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

/// Each controller's name in the kernel, and its object.
const OBJECTS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// The object of a twin.
pub(crate) fn object_of(twin: &Twin) -> &'static [u8] {
    OBJECTS.iter().find(|(known, _)| *known == twin.kernel).expect("every twin has a folder").1
}

/// An object with these constants, not yet in the kernel.
pub(crate) fn open(object: &[u8], constants: &[u8]) -> libbpf_rs::Result<OpenObject> {
    let mut open = ObjectBuilder::default().name("narrows")?.open_memory(object)?;
    let mut values = open
        .maps_mut()
        .find(|map| map.name() == ".rodata.constants")
        .expect("every object has constants");
    values.set_initial_value(constants)?;
    Ok(open)
}

/// A registered controller; dropped, it is unregistered: connections that have it keep it, no new one gets it.
pub struct Loaded {
    registered: Registered,
    /// The program called for sockets, if it has one.
    sockets: Option<Link>,
    maps: Maps,
    name: String,
}

impl Loaded {
    /// Registers a controller under `name`, with these constants.
    ///
    /// # Errors
    ///
    /// The host is unfit, the name taken or none, or the kernel refuses; nothing is left of it then.
    pub fn new(twin: &'static Twin, constants: &[u8], name: &str) -> Result<Loaded, KernelError> {
        fit()?;
        accurate::fit(twin)?;
        Loaded::held_by(Registration::probed(), twin, constants, name)
    }

    /// The same with what holds the registration chosen, for tests of older kernels' way.
    #[doc(hidden)]
    pub fn held_by(
        registration: Registration,
        twin: &'static Twin,
        constants: &[u8],
        name: &str,
    ) -> Result<Loaded, KernelError> {
        Loaded::of_object(object_of(twin), twin.state, constants, name, registration)
    }

    /// Registers what an object has, for tests of objects that are refused.
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

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kernel's number for the map of its counters, for tests of what is left of it.
    #[doc(hidden)]
    pub fn counters(&self) -> u32 {
        libbpf_rs::MapInfo::new(self.maps.stats.as_fd()).expect("a map").info.id
    }

    /// Its counters.
    pub fn stats(&self) -> Stats {
        self.maps.stats()
    }

    /// Records each call from now on, or no more.
    pub fn record(&self, on: bool) {
        self.maps.record_until(if on { u64::MAX } else { 0 });
    }

    /// Reads records until `wait` brings no more.
    pub fn records(&self, wait: Duration, each: impl FnMut(Record)) {
        self.maps.records(wait, each);
    }

    /// Leaves the registration, and the maps, to the pins of a directory. The registration comes last, so that a directory that has it has
    /// all.
    pub(crate) fn pin(mut self, directory: &Path) -> libbpf_rs::Result<()> {
        self.maps.pin(directory)?;
        if let Some(sockets) = &mut self.sockets {
            sockets.pin(directory.join(SOCKETS))?;
        }
        self.registered.pin(directory)
    }
}

/// The map of callbacks in every object, which begins with the name.
fn ops() -> Ops {
    Ops { variable: "controller".to_owned(), name_at: 0 }
}

/// The pin of the program that is called for sockets.
const SOCKETS: &str = "sockets";
