//! A controller in the kernel, for as long as this process wants it.

use crate::{KernelError, Record, Stats};
use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder, OpenObject, RingBufferBuilder};
use narrows_control::cores::Twin;
use std::ffi::OsStr;
use std::time::Duration;

/// Each controller's name in the kernel, and its object.
const OBJECTS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// The object of a twin.
pub(crate) fn object_of(twin: &Twin) -> &'static [u8] {
    OBJECTS.iter().find(|(known, _)| *known == twin.kernel).expect("every twin has a folder").1
}

/// The object of a twin with these constants, not yet in the kernel.
pub(crate) fn open(twin: &Twin, constants: &[u8]) -> libbpf_rs::Result<OpenObject> {
    let mut open = ObjectBuilder::default().name(twin.kernel)?.open_memory(object_of(twin))?;
    let mut values = open.maps_mut().find(|map| map.name() == ".rodata.constants").expect("every object has constants");
    values.set_initial_value(constants)?;
    Ok(open)
}

/// What the kernel said to a controller of this name.
pub(crate) fn refused(name: &str, error: libbpf_rs::Error) -> KernelError {
    KernelError::Refused { name: name.to_owned(), reason: format!("{error:#}") }
}

/// A registered controller; dropped, it is unregistered: connections that have it keep it, no new one gets it.
pub struct Loaded {
    object: Object,
    _link: Link,
    name: String,
    state: usize,
}

impl Loaded {
    /// Registers a controller under `name`, with these constants.
    pub fn new(twin: &'static Twin, constants: &[u8], name: &str) -> Result<Loaded, KernelError> {
        let refused = |error| refused(name, error);
        let mut open = open(twin, constants).map_err(refused)?;
        let mut controller = open.maps_mut().find(|map| map.name() == "controller").expect("every object has a table of callbacks");
        let table = controller.initial_value_mut().expect("a table of callbacks");
        table[..16].fill(0);
        table[..name.len()].copy_from_slice(name.as_bytes());
        let mut object = open.load().map_err(refused)?;
        let link = object
            .maps_mut()
            .find(|map| map.name() == "controller")
            .expect("every object has a table of callbacks")
            .attach_struct_ops()
            .map_err(refused)?;
        Ok(Loaded { object, _link: link, name: name.to_owned(), state: twin.state })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn value(&self, map: &str) -> Vec<u8> {
        let map = self.object.maps().find(|one| one.name() == OsStr::new(map)).expect("every object has it");
        map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok().flatten().unwrap_or_default()
    }

    /// What it has seen.
    pub fn stats(&self) -> Stats {
        bytemuck::pod_read_unaligned(&self.value(".data.stats"))
    }

    /// Records each call from now on, or no more.
    pub fn record(&self, on: bool) {
        let map = self.object.maps().find(|one| one.name() == OsStr::new(".data.control")).expect("every object has it");
        map.update(&0_u32.to_ne_bytes(), &(on as u64).to_ne_bytes(), MapFlags::ANY).expect("a map of one element");
    }

    /// Reads records until `wait` brings no more.
    pub fn records(&self, wait: Duration, mut each: impl FnMut(Record)) {
        let map = self.object.maps().find(|one| one.name() == OsStr::new("records")).expect("every object has it");
        let mut builder = RingBufferBuilder::new();
        builder
            .add(&map, |bytes| {
                if let Some(record) = Record::from_bytes(bytes, self.state) {
                    each(record);
                }
                0
            })
            .expect("a ring buffer");
        let ring = builder.build().expect("a ring buffer");
        while ring.poll_raw(wait) > 0 {}
    }
}
