//! Packets in the emulated network.

use narrows_network::{Network, Routed};
use narrows_path::Packet;
use narrows_units::{Bytes, Time};
use narrows_wire::{Ecn, Header};

/// The transport data of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// Transport payload in bytes.
    pub payload: u32,
    /// Number of the datagram, if it has one.
    pub number: Option<u64>,
    /// True if queues with priorities send it before others.
    pub urgent: bool,
}

/// The identity of a packet, also known after a link has dropped it.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Flow, in the scenario's order.
    pub flow: u32,
    /// True if the packet goes from the flow's receiver to its sender.
    pub back: bool,
    /// Transport data.
    pub load: Load,
}

/// A packet in the network.
#[derive(Debug)]
pub struct Transit<P> {
    /// The packet itself.
    pub packet: P,
    /// Identity of the packet.
    pub identity: Identity,
    /// Time at which it entered the network.
    pub entered: Time,
    place: u32,
}

impl<P: Packet> Transit<P> {
    /// Makes a packet that enters at `now`.
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
