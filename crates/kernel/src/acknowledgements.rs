//! Traces the state of connections at each acknowledgement in the kernel.

use crate::error::KernelError;
use crate::fitness::fit;
use crate::log::listening;
use crate::shared::Acknowledgement;
use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder, RingBufferBuilder};
use std::ffi::OsStr;
use std::ops::Range;
use std::time::Duration;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/acknowledgements.o"));

/// A tracer of acknowledgements (tracepoint `tcp:tcp_probe`), which is detached when dropped.
pub struct Acknowledgements {
    _link: Link,
    object: Object,
}

impl Acknowledgements {
    /// Traces the connections of network namespaces, given by their inodes, to remote ports in the
    /// range `ports`.
    ///
    /// # Errors
    ///
    /// The host is unfit, or the kernel refuses the program.
    pub fn of(networks: &[u32], ports: Range<u16>) -> Result<Acknowledgements, KernelError> {
        fit()?;
        let (object, link) = listening("the tracer of acknowledgements", || {
            let mut open = ObjectBuilder::default().name("narrows")?.open_memory(OBJECT)?;
            let ends: Vec<u8> = [ports.start, ports.end]
                .iter()
                .flat_map(|port| u32::from(*port).to_ne_bytes())
                .collect();
            open.maps_mut()
                .find(|map| map.name() == ".rodata.ports")
                .expect("the object has it")
                .set_initial_value(&ends)?;
            let object = open.load()?;
            let watched =
                object.maps().find(|map| map.name() == "networks").expect("the object has it");
            for network in networks {
                watched.update(&network.to_ne_bytes(), &1_u32.to_ne_bytes(), MapFlags::ANY)?;
            }
            let link = object
                .progs_mut()
                .find(|program| program.name() == "acknowledged")
                .expect("the object has it")
                .attach()?;
            Ok((object, link))
        })?;
        Ok(Acknowledgements { _link: link, object })
    }

    /// Reads the new acknowledgements. Waits for them up to `wait`.
    pub fn read(&self, wait: Duration, mut each: impl FnMut(Acknowledgement)) {
        let map = self
            .object
            .maps()
            .find(|map| map.name() == OsStr::new("samples"))
            .expect("the object has it");
        let mut builder = RingBufferBuilder::new();
        let take = |bytes: &[u8]| {
            let whole = bytes.get(..size_of::<Acknowledgement>());
            whole.into_iter().for_each(|bytes| each(bytemuck::pod_read_unaligned(bytes)));
            0
        };
        builder.add(&map, take).expect("a ring buffer can be added");
        builder.build().expect("one ring buffer was added").poll_raw(wait);
    }

    /// Returns the number of acknowledgements that were lost because the ring was full.
    pub fn lost(&self) -> u64 {
        let map = self
            .object
            .maps()
            .find(|map| map.name() == OsStr::new(".data.lost"))
            .expect("the object has it");
        let value = map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok().flatten();
        value.and_then(|value| value.try_into().ok()).map_or(0, u64::from_ne_bytes)
    }
}
