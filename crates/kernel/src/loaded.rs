//! A controller in the kernel, for as long as this process wants it.

use crate::accurate;
use crate::error::KernelError;
use crate::fitness::fit;
use crate::fitness::has_links;
use crate::given;
use crate::log::listening;
use crate::maps::Maps;
use crate::names::available;
use crate::shared::{Record, Stats};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, MapType, Object, ObjectBuilder, OpenObject};
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
    let mut values = open.maps_mut().find(|map| map.name() == ".rodata.constants").expect("every object has constants");
    values.set_initial_value(constants)?;
    Ok(open)
}

/// The holder of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// A link, since Linux 6.4: ends with its last holder, also if that is killed.
    Link,
    /// The map of callbacks itself, on older kernels: ends when its element is deleted, and outlives a process that is killed.
    Map,
}

impl Registration {
    /// The one that this kernel has.
    pub(crate) fn probed() -> Registration {
        if has_links() { Registration::Link } else { Registration::Map }
    }
}

/// A registered controller; dropped, it is unregistered: connections that have it keep it, no new one gets it.
pub struct Loaded {
    // Before the object, whose descriptor a registration held by the map needs to end.
    link: Link,
    /// The program called for sockets, if it has one.
    sockets: Option<Link>,
    object: Object,
    registration: Registration,
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
    pub fn held_by(registration: Registration, twin: &'static Twin, constants: &[u8], name: &str) -> Result<Loaded, KernelError> {
        Loaded::of_object(object_of(twin), twin.state, constants, name, registration)
    }

    /// Registers what an object has, for tests of objects that are refused.
    #[doc(hidden)]
    pub fn of_object(object: &[u8], state: usize, constants: &[u8], name: &str, registration: Registration) -> Result<Loaded, KernelError> {
        given::check(name)?;
        if available().iter().any(|one| one == name) {
            return Err(taken(name));
        }
        let attached = listening(name, || {
            let mut open = open(object, constants)?;
            prepare(&mut open, name, registration)?;
            accurate::tell(&mut open)?;
            let mut object = open.load()?;
            let sockets = accurate::attach(&mut object)?;
            let maps = Maps::of(&object, state)?;
            let link = object.maps_mut().find(|map| map.name() == TABLE).expect("every object has it").attach_struct_ops()?;
            Ok((object, link, sockets, maps))
        });
        // Somebody may have been faster.
        let (object, link, sockets, maps) = match attached {
            Err(KernelError::Refused { .. }) if available().iter().any(|one| one == name) => return Err(taken(name)),
            other => other?,
        };
        Ok(Loaded { link, sockets, object, registration, maps, name: name.to_owned() })
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
        match self.registration {
            Registration::Link => self.link.pin(directory.join(LINK)),
            Registration::Map => {
                self.object.maps_mut().find(|map| map.name() == TABLE).expect("every object has it").pin(directory.join(MAP))?;
                self.link.disconnect();
                Ok(())
            }
        }
    }
}

/// The map of callbacks in every object.
const TABLE: &str = "controller";
/// The pin of the program that is called for sockets.
const SOCKETS: &str = "sockets";
/// The pins of a registration.
pub(crate) const LINK: &str = "link";
pub(crate) const MAP: &str = "map";

/// Gives the table of callbacks its name.
fn prepare(open: &mut OpenObject, name: &str, registration: Registration) -> libbpf_rs::Result<()> {
    let mut map = open.maps_mut().find(|map| map.name() == TABLE).expect("every object has it");
    let table = map.initial_value_mut().expect("a table of callbacks");
    table[..16].fill(0);
    table[..name.len()].copy_from_slice(name.as_bytes());
    if registration == Registration::Map {
        map.set_map_flags(0)?;
    }
    Ok(())
}

fn taken(name: &str) -> KernelError {
    let whose = match of_bpf(name) {
        true => "of a BPF program that narrows has not pinned (a live run, perhaps)",
        false => "built into it or a module of it",
    };
    KernelError::NameTaken { name: name.to_owned(), whose, proposal: given::proposal(name) }
}

/// True if some BPF program registered this name.
pub fn of_bpf(name: &str) -> bool {
    let text = [b"\0", name.as_bytes(), b"\0"].concat();
    let named = |id: u32| {
        let map = MapHandle::from_map_id(id).ok()?;
        let value = map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok()??;
        Some(value.windows(text.len()).any(|window| window == text))
    };
    libbpf_rs::query::MapInfoIter::default().any(|map| map.ty == MapType::StructOps && named(map.id) == Some(true))
}
