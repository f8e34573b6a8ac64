//! An object with a registered table of callbacks: the part that objects of any origin share.

use crate::error::KernelError;
use crate::fitness::has_links;
use crate::given;
use crate::log::listening;
use crate::names::available;
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, MapType, Object, OpenObject};
use narrows_bpf::Ops;
use std::ffi::OsStr;
use std::path::Path;

/// `BPF_F_LINK` of include/uapi/linux/bpf.h: a link holds the registration. libbpf sets it only for
/// tables in `.struct_ops.link`.
const BY_LINK: u32 = 1 << 13;

/// Pins of a registration.
pub(crate) const LINK: &str = "link";
pub(crate) const MAP: &str = "map";

/// The holder of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// A link, since Linux 6.4: the registration ends with the last holder of the link, even if
    /// that process is killed.
    Link,
    /// The map of callbacks, on older kernels: the registration ends when the element is deleted,
    /// and outlives a killed process.
    Map,
}

impl Registration {
    /// Returns the kind that this kernel supports.
    pub(crate) fn probed() -> Registration {
        if has_links() { Registration::Link } else { Registration::Map }
    }
}

/// A registration, which ends when dropped: connections that have the controller keep it, but new
/// connections cannot get it.
pub(crate) struct Registered {
    // Dropped before the object, whose descriptor a registration held by the map needs to end.
    link: Link,
    pub object: Object,
    registration: Registration,
    ops: Ops,
}

impl Registered {
    /// Registers the table `ops` of an object under `name`. `open` opens the object; `before` runs
    /// after loading it and before registering its table.
    ///
    /// # Errors
    ///
    /// The name is taken or invalid, or the kernel refuses; nothing is left in the kernel.
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
        // Another process may have taken the name meanwhile.
        let (object, link, more) = match attached {
            Err(KernelError::Refused { .. }) if available().iter().any(|one| one == name) => {
                return Err(taken(name));
            }
            other => other?,
        };
        Ok((Registered { link, object, registration, ops }, more))
    }

    /// Pins the registration in a directory.
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

    /// Returns the map of callbacks.
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

/// Excludes tables other than `ops` from loading.
pub(crate) fn leave_out_others(open: &mut OpenObject, ops: &Ops) -> libbpf_rs::Result<()> {
    let other = |map: &libbpf_rs::OpenMapMut<'_>| {
        map.map_type() == MapType::StructOps && map.name() != OsStr::new(&ops.variable)
    };
    open.maps_mut().filter(other).try_for_each(|mut map| map.set_autocreate(false))
}

/// Sets the name of the table of callbacks, and the holder of its registration. Excludes other
/// tables from loading.
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

/// True if a BPF program registered this name.
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
