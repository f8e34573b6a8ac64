//! A request and what has become of it.

use narrows_units::{Bytes, Span, Time};

/// The request of a flow that is under way or answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// How many were made before it, and it.
    pub(crate) number: u64,
    /// Slot of the connection that carries it.
    pub(crate) slot: usize,
    /// When the server answered the SYN of this connection, as long as the server does not know
    /// that the connection is open. `None` for a connection that opens without a handshake.
    pub(crate) answered: Option<Time>,
    pub(crate) size: Bytes,
    /// The segment with which the response begins.
    pub(crate) first: u64,
    /// How many packets it has, and which of them have arrived.
    pub(crate) packets: u32,
    pub(crate) arrived: u32,
    /// How long to wait for the response before it is repeated, and when that has passed.
    pub(crate) patience: Span,
    pub(crate) repeat_at: Time,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            number: 0,
            slot: 0,
            answered: None,
            size: Bytes::ZERO,
            first: 0,
            packets: 0,
            arrived: 0,
            patience: Span::ZERO,
            repeat_at: Time::NEVER,
        }
    }
}

impl Request {
    /// One bit for each packet. Scenarios bound a request to ten.
    pub(crate) fn all(&self) -> u32 {
        debug_assert!(self.packets < u32::BITS, "a request of {} packets", self.packets);
        (1 << self.packets) - 1
    }
}
