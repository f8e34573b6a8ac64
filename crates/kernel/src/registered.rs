//! An object whose table of callbacks the kernel has registered: the part that is the same whoever wrote the object.

use crate::error::KernelError;
use crate::fitness::has_links;
use crate::given;
use crate::log::listening;
use crate::names::available;
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, MapType, Object, OpenObject};
use narrows_bpf::Ops;
use std::ffi::OsStr;
use std::path::Path;

/// `BPF_F_LINK` of include/uapi/linux/bpf.h: a link holds the registration. libbpf sets it for tables in `.struct_ops.link` only.
const BY_LINK: u32 = 1 << 13;

/// The pins of a registration.
pub(crate) const LINK: &str = "link";
pub(crate) const MAP: &str = "map";

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

/// A registration; dropped, it ends: connections that have the controller keep it, no new one gets it.
pub(crate) struct Registered {
    // Before the object, whose descriptor a registration held by the map needs to end.
    link: Link,
    pub object: Object,
    registration: Registration,
    ops: Ops,
}

impl Registered {
    /// Registers the table `ops` of an object under `name`. `open` gives the object, `before` does what comes between loading it and registering its table.
    ///
    /// # Errors
    ///
    /// The name is taken or none, or the kernel refuses; nothing is left of it then.
    pub fn new<T>(
        name: &str,
        registration: Registration,
        ops: Ops,
        open: impl FnOnce() -> libbpf_rs::Result<OpenObject>,
        before: impl FnOnce(&mut Object) -> libbpf_rs::Result<T>,
    ) -> Result<(Registered, T), KernelError> {
        given::check(name)?;
        if available().iter().any(|one| one == name) {
            return Err(taken(name));
        }
        let attached = listening(name, || {
            let mut open = open()?;
            prepare(&mut open, name, registration, &ops)?;
            let mut object = open.load()?;
            let more = before(&mut object)?;
            let link = table(&mut object, &ops).attach_struct_ops()?;
            Ok((object, link, more))
        });
        // Somebody may have been faster.
        let (object, link, more) = match attached {
            Err(KernelError::Refused { .. }) if available().iter().any(|one| one == name) => {
                return Err(taken(name));
            }
            other => other?,
        };
        Ok((Registered { link, object, registration, ops }, more))
    }

    /// Leaves the registration to a pin of a directory.
    pub fn pin(mut self, directory: &Path) -> libbpf_rs::Result<()> {
        match self.registration {
            Registration::Link => self.link.pin(directory.join(LINK)),
            Registration::Map => {
                table(&mut self.object, &self.ops).pin(directory.join(MAP))?;
                self.link.disconnect();
                Ok(())
            }
        }
    }

    /// The map of callbacks.
    pub fn table(&mut self) -> libbpf_rs::MapMut<'_> {
        table(&mut self.object, &self.ops)
    }
}

fn table<'a>(object: &'a mut Object, ops: &Ops) -> libbpf_rs::MapMut<'a> {
    object
        .maps_mut()
        .find(|map| map.map_type() == MapType::StructOps && map.name() == OsStr::new(&ops.variable))
        .expect("the table is in the object")
}

/// Leaves the tables beside `ops` out of the kernel.
pub(crate) fn leave_out_others(open: &mut OpenObject, ops: &Ops) -> libbpf_rs::Result<()> {
    let other = |map: &libbpf_rs::OpenMapMut<'_>| {
        map.map_type() == MapType::StructOps && map.name() != OsStr::new(&ops.variable)
    };
    open.maps_mut().filter(other).try_for_each(|mut map| map.set_autocreate(false))
}

/// Gives the table of callbacks its name and the holder of its registration; tables beside it stay out of the kernel.
fn prepare(
    open: &mut OpenObject,
    name: &str,
    registration: Registration,
    ops: &Ops,
) -> libbpf_rs::Result<()> {
    leave_out_others(open, ops)?;
    for mut map in open.maps_mut().filter(|map| {
        map.map_type() == MapType::StructOps && map.name() == OsStr::new(&ops.variable)
    }) {
        let table = map.initial_value_mut().expect("a table of callbacks");
        let place = &mut table[ops.name_at..ops.name_at + 16];
        place.fill(0);
        place[..name.len()].copy_from_slice(name.as_bytes());
        map.set_map_flags(if registration == Registration::Link { BY_LINK } else { 0 })?;
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
    libbpf_rs::query::MapInfoIter::default()
        .any(|map| map.ty == MapType::StructOps && named(map.id) == Some(true))
}
