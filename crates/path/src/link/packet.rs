//! The properties of a packet that a link asks for.

use narrows_units::Bytes;
use narrows_wire::{Ecn, Header};

/// A packet of any world.
pub trait Packet {
    /// Size on the wire, from the IP header on.
    fn size(&self) -> Bytes;
    /// Its ECN code point.
    fn ecn(&self) -> Ecn;
    /// Rewrites the ECN code point.
    fn set_ecn(&mut self, ecn: Ecn);
    /// The code point with which it was sent, for links that take marks off. One that does not know
    /// it says ECT(0).
    fn sent_ecn(&self) -> Ecn {
        Ecn::Ect0
    }
    /// The same for packets of one flow in one direction, different for others: stands for the
    /// five-tuple of addresses, ports and protocol.
    fn flow(&self) -> u64;
    /// It goes before others where a queue knows priorities: an Interest or a Nack, which books or
    /// frees capacity for the Data of the other direction.
    fn is_urgent(&self) -> bool {
        false
    }
    /// The header that routers write into, if it carries one.
    fn header(&mut self) -> Option<&mut Header>;
}
