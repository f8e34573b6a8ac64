//! What endpoints tell each other.

use narrows_units::{Bytes, Time};

/// A range of segments received above the cumulative acknowledgement, or received twice (RFC 2018, RFC 2883): first and one past the last. Under
/// [`AckFormat::Numbered`](crate::AckFormat) a range of transmissions received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// First segment.
    pub start: u64,
    /// One past the last segment.
    pub end: u64,
}

/// Most SACK blocks that fit beside the timestamp option.
pub const MAX_BLOCKS: usize = 3;

/// A data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its number, from 0.
    pub number: u64,
    /// Payload.
    pub bytes: Bytes,
    /// When it left: the timestamp option's value (RFC 7323), in nanoseconds.
    pub stamp: Time,
    /// The lowest bits of the transmission's own number, from 0 (RFC 9000 section 17.1); receivers look at it under [`AckFormat::Numbered`](crate::AckFormat).
    pub packet: u32,
    /// True for a retransmission; receivers do not look at it.
    pub retransmission: bool,
    /// The sender has reduced its window after an echoed mark (CWR, RFC 3168).
    pub cwr: bool,
}

/// An acknowledgement. Its SACK blocks travel beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// All segments below this have arrived.
    pub next: u64,
    /// The stamp of the segment that advanced the window last (TSecr, RFC 7323 section 4.3).
    pub echo: Time,
    /// Segments from `next` on that the receiver can hold.
    pub window: u32,
    /// Packets received with ECT(0), ECT(1) and CE since the connection began.
    pub ect0: u32,
    /// See `ect0`.
    pub ect1: u32,
    /// See `ect0`.
    pub ce: u32,
    /// A mark is being echoed (ECE, RFC 3168).
    pub ece: bool,
    /// The first block reports a duplicate (RFC 2883).
    pub duplicate: bool,
}
