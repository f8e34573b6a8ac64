//! A controller from a file in the kernel, for as long as this process holds it.

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

/// A path at which nothing can be pinned, so that an object with maps to be pinned is refused
/// instead of leaving them behind.
pub(crate) const NOWHERE: &str = "/proc/self";

/// Pin of the table of callbacks, in addition to the pin of its registration.
pub(crate) const TABLE: &str = "table";
/// Prefix of the pins of callbacks.
pub(crate) const CALLBACK: &str = "callback-";

/// A registered controller. Dropping it ends the registration: connections that have the controller
/// keep it, but new connections cannot get it.
pub struct LoadedFile {
    registered: Registered,
    left: Vec<String>,
    name: String,
}

impl LoadedFile {
    /// Registers a controller under `name`. Programs of the object that are not callbacks are not
    /// loaded.
    ///
    /// # Errors
    ///
    /// The host is unfit, the name is taken or invalid, or the kernel refuses; nothing is left in
    /// the kernel.
    pub fn new(program: &ForKernel, name: &str) -> Result<LoadedFile, KernelError> {
        fit()?;
        LoadedFile::held_by(Registration::probed(), program, name)
    }

    /// Registers a controller with a given kind of registration, so that tests can use the kind of
    /// older kernels.
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

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the programs of the object that are not loaded, because they are not callbacks.
    pub fn left(&self) -> &[String] {
        &self.left
    }

    /// Reads the data that the program wrote into its ring of this name, until no more arrives
    /// within `wait`.
    ///
    /// # Panics
    ///
    /// The program has no ring of this name.
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

    /// Returns the data of a section: the first element of its map.
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

    /// Pins the registration in a directory. The registration comes last, so that a directory with
    /// a registration is complete.
    pub(crate) fn pin(mut self, directory: &Path) -> libbpf_rs::Result<()> {
        for mut program in self.registered.object.progs_mut().filter(|program| program.autoload()) {
            // The file system of pins allows no dots.
            let name = program.name().to_string_lossy().replace('.', "-");
            program.pin(directory.join(format!("{CALLBACK}{name}")))?;
        }
        // Use another handle, because libbpf pins a map only once, and that is the pin of the
        // registration.
        MapHandle::try_from(&self.registered.table())?.pin(directory.join(TABLE))?;
        self.registered.pin(directory)
    }
}

/// True if a map holds this section; libbpf prefixes the names of usual sections with the
/// object's name.
fn is_section(map: &str, section: &str) -> bool {
    map == section || map.strip_prefix(OBJECT) == Some(section)
}

/// Name of objects in libbpf.
const OBJECT: &str = "narrows";

/// Opens an object with the values of variables, so that only the callbacks of the table will be
/// loaded. Adds the names of programs of other types to `left`.
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
        // Callbacks of other tables are expected.
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
