//! The structures that programs in the kernel and the loader share: `bpf/shared.h`.

use bytemuck::Pod;
use narrows_cores::{Input, Output};

// Rust's side of the header, which build.rs writes: `Stats`, `Control`, `RecordHead` and `Acknowledgement`.
include!(concat!(env!("OUT_DIR"), "/shared.rs"));

impl Stats {
    /// Connections that have the controller now.
    pub fn open(&self) -> u64 {
        self.opened.saturating_sub(self.closed)
    }
}

/// One call of a core in the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The connection: they are numbered in the order in which they took the controller.
    pub connection: u64,
    /// Place among the calls on this connection, from 0.
    pub sequence: u64,
    /// The socket's own port.
    pub port: u16,
    /// The port of the other end.
    pub peer: u16,
    /// The core's input.
    pub input: Input,
    /// The core's output.
    pub output: Output,
    /// Its state after the call.
    pub state: Vec<u8>,
}

impl Record {
    /// From the bytes of a ring buffer, of a core that remembers `state` bytes; `None` if they are too few.
    pub fn from_bytes(bytes: &[u8], state: usize) -> Option<Record> {
        let (head, rest) = split::<RecordHead>(bytes)?;
        let (input, rest) = split(rest)?;
        let (output, rest) = split(rest)?;
        let RecordHead { connection, sequence, port, peer, .. } = head;
        Some(Record {
            connection,
            sequence,
            port,
            peer,
            input,
            output,
            state: rest.get(..state)?.to_vec(),
        })
    }
}

/// The structure at the beginning of some bytes, and the bytes after it.
fn split<T: Pod>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (first, rest) = bytes.split_at_checked(size_of::<T>())?;
    Some((bytemuck::pod_read_unaligned(first), rest))
}
