//! A controller from a file in the kernel, for as long as this process wants it.

use crate::error::KernelError;
use crate::fitness::fit;
use crate::registered::{Registered, Registration, leave_out_others};
use libbpf_rs::{
    MapCore, MapHandle, ObjectBuilder, OpenObject, OpenProgramMut, ProgramType, RingBufferBuilder,
};
use narrows_bpf::ForKernel;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// Where nothing can be pinned: an object whose maps shall be is refused, rather than leaving them behind.
pub(crate) const NOWHERE: &str = "/proc/self";

/// The pin of the map of callbacks, beside that of its registration.
pub(crate) const TABLE: &str = "table";
/// What the pins of callbacks begin with.
pub(crate) const CALLBACK: &str = "callback-";

/// A registered controller; dropped, it is unregistered: connections that have it keep it, no new one gets it.
pub struct LoadedFile {
    registered: Registered,
    left: Vec<String>,
    name: String,
}

impl LoadedFile {
    /// Registers a controller under `name`. Programs of the object that are no callbacks are not loaded.
    ///
    /// # Errors
    ///
    /// The host is unfit, the name taken or none, or the kernel refuses; nothing is left of it then.
    pub fn new(program: &ForKernel, name: &str) -> Result<LoadedFile, KernelError> {
        fit()?;
        LoadedFile::held_by(Registration::probed(), program, name)
    }

    /// The same with what holds the registration chosen, for tests of older kernels' way.
    #[doc(hidden)]
    pub fn held_by(
        registration: Registration,
        program: &ForKernel,
        name: &str,
    ) -> Result<LoadedFile, KernelError> {
        let mut left = Vec::new();
        let registered = Registered::new(
            name,
            registration,
            program.ops.clone(),
            || open(program, &mut left),
            |_| Ok(()),
        );
        let (registered, ()) = registered.map_err(|error| error.with_faults(program))?;
        Ok(LoadedFile { registered, left, name: name.to_owned() })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Programs of the object that are not loaded, since they are no callbacks.
    pub fn left(&self) -> &[String] {
        &self.left
    }

    /// Reads what the program wrote into its ring of this name, until `wait` brings no more.
    ///
    /// # Panics
    ///
    /// If it has no such ring.
    pub fn read(&self, ring: &str, wait: Duration, mut each: impl FnMut(&[u8])) {
        let map = self
            .registered
            .object
            .maps()
            .find(|map| map.name() == ring)
            .expect("the program has the ring");
        let mut builder = RingBufferBuilder::new();
        let take = |bytes: &[u8]| {
            each(bytes);
            0
        };
        builder.add(&map, take).expect("a ring buffer");
        let ring = builder.build().expect("a ring buffer");
        while ring.poll_raw(wait) > 0 {}
    }

    /// The first element of one of its maps: the data of a section, by the section's name.
    pub fn data(&self, section: &str) -> Vec<u8> {
        let map = self
            .registered
            .object
            .maps()
            .find(|map| is_section(&map.name().to_string_lossy(), section));
        let value = map.and_then(|map| {
            map.lookup(&0_u32.to_ne_bytes(), libbpf_rs::MapFlags::ANY).ok().flatten()
        });
        value.unwrap_or_default()
    }

    /// Leaves the registration to the pins of a directory. It comes last, so that a directory that has it has all.
    pub(crate) fn pin(mut self, directory: &Path) -> libbpf_rs::Result<()> {
        for mut program in self.registered.object.progs_mut().filter(|program| program.autoload()) {
            // The file system of pins takes no dots.
            let name = program.name().to_string_lossy().replace('.', "-");
            program.pin(directory.join(format!("{CALLBACK}{name}")))?;
        }
        // By a handle of its own: libbpf pins a map once, which is the registration's.
        MapHandle::try_from(&self.registered.table())?.pin(directory.join(TABLE))?;
        self.registered.pin(directory)
    }
}

/// libbpf calls the maps of the usual sections by the object's name and theirs.
fn is_section(map: &str, section: &str) -> bool {
    map == section || map.strip_prefix(OBJECT) == Some(section)
}

/// The name that objects get.
const OBJECT: &str = "narrows";

/// An object of which only the callbacks of the table will be loaded, with the values of variables;
/// `left` gets the names of its programs of other types.
pub(crate) fn open(program: &ForKernel, left: &mut Vec<String>) -> libbpf_rs::Result<OpenObject> {
    let mut open = ObjectBuilder::default()
        .name(OBJECT)?
        .pin_root_path(NOWHERE)?
        .open_memory(&program.object)?;
    leave_out_others(&mut open, &program.ops)?;
    let is_callback = |one: &OpenProgramMut<'_>| {
        program.functions.iter().any(|function| one.name() == OsStr::new(function))
    };
    for mut one in open.progs_mut().filter(|one| !is_callback(one)) {
        one.set_autoload(false);
        // Callbacks of other tables are no surprise.
        if one.prog_type() != ProgramType::StructOps {
            left.push(one.name().to_string_lossy().into_owned());
        }
    }
    for value in &program.initial {
        let map =
            open.maps_mut().find(|map| is_section(&map.name().to_string_lossy(), &value.section));
        let mut map = map.expect("the section of a variable is a map");
        let data = map.initial_value_mut().expect("a section has data");
        data[value.offset..value.offset + value.bytes.len()].copy_from_slice(&value.bytes);
    }
    Ok(open)
}
