//! Packets as links see them.

use narrows_icn::{Interned, Packet};
use narrows_units::Bytes;
use narrows_wire::{Ecn, Header};

/// A packet on a link, and what links must know of it.
#[derive(Clone, Debug)]
pub(crate) struct Parcel {
    packet: Packet<Interned>,
    /// Its place on its route, a single link.
    place: u32,
    size: u32,
    flow: u32,
    ecn: Ecn,
}

impl Parcel {
    /// A packet of `flow` that enters at `place` of the routes. Data can be marked.
    #[inline]
    pub(crate) fn new(packet: Packet<Interned>, flow: u32, place: u32) -> Parcel {
        let ecn = if matches!(packet, Packet::Data(_)) { Ecn::Ect0 } else { Ecn::NotEct };
        Parcel { size: packet.size().get() as u32, packet, place, flow, ecn }
    }

    /// The packet of a parcel that has arrived, with the mark that it got on the way.
    #[inline]
    pub(crate) fn open(mut self) -> Packet<Interned> {
        if let Packet::Data(data) = &mut self.packet {
            data.marked |= self.ecn == Ecn::Ce;
        }
        self.packet
    }
}

impl narrows_path::Packet for Parcel {
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }
    fn flow(&self) -> u64 {
        u64::from(self.flow)
    }
    fn is_urgent(&self) -> bool {
        !matches!(self.packet, Packet::Data(_))
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

impl narrows_network::Routed for Parcel {
    /// Its flow.
    type Identity = u32;

    fn place(&self) -> u32 {
        self.place
    }
    fn advance(&mut self) {
        self.place += 1;
    }
    fn identity(&self) -> u32 {
        self.flow
    }
}
