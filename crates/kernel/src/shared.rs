//! Structures shared by programs in the kernel and the loader: `bpf/shared.h`.

use bytemuck::Pod;
use narrows_cores::{Input, Output};

// Rust bindings of the header, which build.rs writes: `Stats`, `Control`, `RecordHead` and
// `Acknowledgement`.
include!(concat!(env!("OUT_DIR"), "/shared.rs"));

impl Stats {
    /// Returns the number of connections that have the controller now.
    pub fn open(&self) -> u64 {
        self.opened.saturating_sub(self.closed)
    }
}

/// A call of a core in the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the connection, in the order in which connections took the controller.
    pub connection: u64,
    /// Number of the call on this connection, from 0.
    pub sequence: u64,
    /// Local port of the socket.
    pub port: u16,
    /// Remote port.
    pub peer: u16,
    /// Input of the core.
    pub input: Input,
    /// Output of the core.
    pub output: Output,
    /// State of the core after the call.
    pub state: Vec<u8>,
}

impl Record {
    /// Reads the bytes of a ring buffer, for a core with `state` bytes of state; `None` if there
    /// are too few bytes.
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

/// Splits off the structure at the beginning of some bytes.
fn split<T: Pod>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (first, rest) = bytes.split_at_checked(size_of::<T>())?;
    Some((bytemuck::pod_read_unaligned(first), rest))
}
