//! A packet on its route.

use narrows_path::Packet;

/// A packet that knows where on its route it is.
pub trait Routed: Packet {
    /// A small value that tells who a packet was when a link has dropped it and it is gone.
    type Identity: Copy;

    /// Its place: the route's, see [`Network::route`](crate::Network::route), and one more
    /// for each link crossed.
    fn place(&self) -> u32;

    /// It has crossed a link: its place is one further.
    fn advance(&mut self);

    /// The identity that is told when it is dropped.
    fn identity(&self) -> Self::Identity;
}

/// A link that a packet comes to or has crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEvent {
    /// Before its losses and its queue.
    Entering(usize),
    /// At its far end.
    Leaving(usize),
}
