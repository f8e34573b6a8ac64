//! Packets as links see them.

use narrows_icn::{Interned, Packet};
use narrows_units::Bytes;
use narrows_wire::{Ecn, Header};

/// A packet on a link: where it is kept, and what links must know of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    /// Where the packet is kept.
    kept: u32,
    /// Its place on its route, a single link.
    place: u32,
    size: u32,
    flow: u32,
    ecn: Ecn,
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
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

impl narrows_network::Routed for Parcel {
    type Identity = Parcel;

    fn place(&self) -> u32 {
        self.place
    }
    fn advance(&mut self) {
        self.place += 1;
    }
    fn identity(&self) -> Parcel {
        *self
    }
}

/// The packets on all links.
#[derive(Debug, Default)]
pub(crate) struct Parcels {
    kept: Vec<Option<Packet<Interned>>>,
    free: Vec<u32>,
}

impl Parcels {
    /// Keeps a packet of `flow` that enters at `place` of the routes. Data can be marked.
    pub(crate) fn post(&mut self, packet: Packet<Interned>, flow: u32, place: u32) -> Parcel {
        let ecn = if matches!(packet, Packet::Data(_)) { Ecn::Ect0 } else { Ecn::NotEct };
        let size = packet.size().get() as u32;
        let kept = match self.free.pop() {
            Some(kept) => {
                self.kept[kept as usize] = Some(packet);
                kept
            }
            None => {
                self.kept.push(Some(packet));
                self.kept.len() as u32 - 1
            }
        };
        Parcel { kept, place, size, flow, ecn }
    }

    /// The packet of a parcel that has arrived, with the mark that it got on the way.
    pub(crate) fn open(&mut self, parcel: Parcel) -> Option<Packet<Interned>> {
        let mut packet = self.kept[parcel.kept as usize].take()?;
        self.free.push(parcel.kept);
        if let Packet::Data(data) = &mut packet {
            data.marked |= parcel.ecn == Ecn::Ce;
        }
        Some(packet)
    }
}
