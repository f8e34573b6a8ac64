//! What programs in the kernel tell: `bpf/shared.h`.

use bytemuck::{Pod, Zeroable};
use narrows_control::cores::{Input, Output};

/// What a controller has seen so far, on all connections. `struct shared_stats`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Stats {
    /// Connections that took the controller.
    pub opened: u64,
    /// Of these, ended or with another controller now.
    pub closed: u64,
    /// Acknowledgements processed.
    pub acknowledgements: u64,
    /// Decisions that changed a window or a rate.
    pub decisions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Connections that the kernel had no memory for: they keep their window.
    pub without_memory: u64,
    /// Records lost, because nobody read those before.
    pub unrecorded: u64,
}

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
    /// What the socket showed.
    pub input: Input,
    /// What the core decided.
    pub output: Output,
    /// What it remembers since.
    pub state: Vec<u8>,
}

impl Record {
    /// From the bytes of a ring buffer, of a core that remembers `state` bytes; `None` if they are too few.
    pub fn from_bytes(bytes: &[u8], state: usize) -> Option<Record> {
        let (connection, rest) = bytes.split_first_chunk::<8>()?;
        let (sequence, rest) = rest.split_first_chunk::<8>()?;
        let (port, rest) = rest.split_first_chunk::<2>()?;
        let (peer, rest) = rest.split_first_chunk::<2>()?;
        let (_, rest) = rest.split_first_chunk::<4>()?;
        let (input, rest) = rest.split_at_checked(size_of::<Input>())?;
        let (output, rest) = rest.split_at_checked(size_of::<Output>())?;
        Some(Record {
            connection: u64::from_ne_bytes(*connection),
            sequence: u64::from_ne_bytes(*sequence),
            port: u16::from_ne_bytes(*port),
            peer: u16::from_ne_bytes(*peer),
            input: bytemuck::pod_read_unaligned(input),
            output: bytemuck::pod_read_unaligned(output),
            state: rest.get(..state)?.to_vec(),
        })
    }
}

/// What an acknowledgement finds of a connection. `struct shared_acknowledgement`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Acknowledgement {
    /// When, by `CLOCK_MONOTONIC`, in nanoseconds.
    pub at: u64,
    /// Bytes of payload per second.
    pub pacing_rate: u64,
    /// 0 if the connection is not paced.
    pub pacing_status: u32,
    /// The socket's own port.
    pub port: u16,
    /// The port of the other end.
    pub peer: u16,
    /// The window, in segments.
    pub cwnd: u32,
    /// The slow start threshold, in segments.
    pub ssthresh: u32,
    /// Segments in flight.
    pub in_flight: u32,
    /// The smoothed round trip in microseconds; 0 before the first sample.
    pub srtt: u32,
    /// The latest round trip in microseconds.
    pub rtt: u32,
    /// Payload of a segment.
    pub mss: u32,
    /// Segments of the latest sample of the delivery rate.
    pub rate_delivered: u32,
    /// Microseconds of it; 0 if there is none.
    pub rate_interval: u32,
}
