//! A packet on its route, and who hears of it.

use crate::Network;
use narrows_path::{LinkChange, Packet};
use narrows_units::Time;

/// A packet that knows where on its route it is.
pub trait Routed: Packet {
    /// What tells who a packet was when a link has dropped it and it is gone: small.
    type Identity: Copy;

    /// Its place: that of its route, see [`Network::route`], and one more for each link crossed.
    fn place(&self) -> u32;

    /// It has crossed a link: its place is one further.
    fn advance(&mut self);

    /// What is told of it when it is dropped.
    fn identity(&self) -> Self::Identity;
}

/// A link that a packet comes to or has crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// Before its losses and its queue.
    Entering(usize),
    /// At its far end.
    Leaving(usize),
}

/// Hears of packets. `()` hears nothing, and costs nothing.
///
/// All times are ideal: they do not depend on when the network was told to go on.
pub trait Visitor<P: Routed>: Sized {
    /// A packet has crossed the last link of its route, `link`, at `at`. What it makes its receiver send may enter the network at once.
    fn delivered(&mut self, network: &mut Network<P>, at: Time, link: usize, packet: P) {
        let _ = (network, at, link, packet);
    }

    /// `link` has dropped a packet.
    fn dropped(&mut self, at: Time, link: usize, packet: P::Identity) {
        let _ = (at, link, packet);
    }

    /// A packet comes to a link or has crossed it.
    #[inline(always)]
    fn seen(&mut self, at: Time, crossing: Crossing, packet: &P) {
        let _ = (at, crossing, packet);
    }

    /// A link has changed.
    fn changed(&mut self, at: Time, link: usize, change: LinkChange) {
        let _ = (at, link, change);
    }

    /// False to stop in the middle of what happens at one time; the network is not to be used afterwards.
    #[inline(always)]
    fn goes_on(&mut self, at: Time) -> bool {
        let _ = at;
        true
    }
}

impl<P: Routed> Visitor<P> for () {}
