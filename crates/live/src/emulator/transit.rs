//! A packet in the emulated network.

use narrows_network::{Network, Routed};
use narrows_path::Packet;
use narrows_units::{Bytes, Time};
use narrows_wire::{Ecn, Header};

/// The transport's part of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// Bytes of transport payload.
    pub payload: u32,
    /// Its number, of a datagram that has one.
    pub number: Option<u64>,
    /// It goes before others where a queue knows priorities.
    pub urgent: bool,
}

/// Who a packet is, of those that a link has dropped.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Its flow, in the scenario's order.
    pub flow: u32,
    /// True if it goes from the flow's receiver to its sender.
    pub back: bool,
    /// What it carries.
    pub load: Load,
}

/// A packet on its way.
#[derive(Debug)]
pub struct Transit<P> {
    /// The packet itself.
    pub packet: P,
    /// Who it is.
    pub identity: Identity,
    /// When it entered the network.
    pub entered: Time,
    place: u32,
}

impl<P: Packet> Transit<P> {
    /// A packet that enters at `now`.
    pub fn new(
        network: &Network<Transit<P>>,
        now: Time,
        packet: P,
        identity: Identity,
    ) -> Transit<P> {
        Transit {
            packet,
            identity,
            entered: now,
            place: network.route(identity.flow as usize, identity.back),
        }
    }
}

impl<P: Packet> Packet for Transit<P> {
    fn size(&self) -> Bytes {
        self.packet.size()
    }
    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.packet.set_ecn(ecn);
    }
    fn sent_ecn(&self) -> Ecn {
        self.packet.sent_ecn()
    }
    fn flow(&self) -> u64 {
        u64::from(self.identity.flow) << 1 | u64::from(self.identity.back)
    }
    fn is_urgent(&self) -> bool {
        self.identity.load.urgent
    }
    fn header(&mut self) -> Option<&mut Header> {
        self.packet.header()
    }
}

impl<P: Packet> Routed for Transit<P> {
    type Identity = Identity;

    fn place(&self) -> u32 {
        self.place
    }
    fn advance(&mut self) {
        self.place += 1;
    }
    fn identity(&self) -> Identity {
        self.identity
    }
}
