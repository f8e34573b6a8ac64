//! Visits the open connections of a deployment (`bpf/deploy_open.bpf.c`).

use super::{ARMS, Deployment, program};
use crate::error::KernelError;
use crate::log::listening;
use crate::namespaces::in_each;
use libbpf_rs::{Iter, Link};
use std::io::Read;
use std::os::fd::AsFd;

const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/deploy_open.o"));

impl Deployment {
    /// Returns the number of open connections of each arm: control, treated, and the rest, in all
    /// network namespaces.
    ///
    /// # Errors
    ///
    /// The kernel refuses the visit.
    pub fn open_connections(&self) -> Result<[u64; ARMS], KernelError> {
        let arms = listening("the count of open connections", || {
            let object = self.beside(OBJECT)?;
            let connections = self.map("connections");
            visit(&program(&object, "count").attach_iter(connections.as_fd())?)
        })?;
        let mut counts = [0; ARMS];
        for arm in arms {
            if let Some(count) = counts.get_mut(usize::from(arm)) {
                *count += 1;
            }
        }
        Ok(counts)
    }

    /// Resets the open connections that still have the treatment (`bpf_sock_destroy`, Linux 6.5 and
    /// later), in each network namespace that this process may enter. Returns how many there were.
    /// Connections in other namespaces, and those of older kernels, stay.
    ///
    /// # Errors
    ///
    /// The kernel refuses the visit.
    pub fn reset(&self) -> Result<u64, KernelError> {
        self.each("reset")
    }

    /// Gives open connections that still have the treatment what they had, idle ones too, in each
    /// network namespace that this process may enter. Returns how many there were. Others get it
    /// with their next acknowledgement ([`Deployment::roll_back`]).
    ///
    /// # Errors
    ///
    /// The kernel refuses the visit.
    pub fn put_back(&self) -> Result<u64, KernelError> {
        self.each("put_back")
    }

    /// Has a program visit the connections of each network namespace.
    fn each(&self, name: &str) -> Result<u64, KernelError> {
        let one = || {
            listening("the visit of open connections", || {
                let object = self.beside(OBJECT)?;
                visit(&program(&object, name).attach()?)
            })
        };
        in_each(one).into_iter().map(|own| own.map(|arms| arms.len() as u64)).sum()
    }
}

/// Visits all connections, and returns the bytes that the program wrote.
fn visit(link: &Link) -> libbpf_rs::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Iter::new(link)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
