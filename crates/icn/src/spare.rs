//! Places of packets that have been taken.

use crate::name::Name;
use crate::packet::{Data, Interest, Nack, Packet};

/// Places of packets that somebody has taken, for later ones: a packet costs no allocation while
/// they come back. Nodes, consumers and producers of one process may share them.
#[derive(Clone, Debug)]
pub struct Spare<N: Name> {
    interests: Vec<Packet<N>>,
    data: Vec<Packet<N>>,
    nacks: Vec<Packet<N>>,
}

/// Most places kept of each kind: where several receivers get the same Data, more come back than
/// are needed.
const MOST: usize = 1024;

impl<N: Name> Default for Spare<N> {
    fn default() -> Spare<N> {
        Spare { interests: Vec::new(), data: Vec::new(), nacks: Vec::new() }
    }
}

impl<N: Name> Spare<N> {
    /// Puts an Interest in a place.
    pub fn interest(&mut self, interest: Interest<N>) -> Packet<N> {
        if let Some(Packet::Interest(mut place)) = self.interests.pop() {
            *place = interest;
            return Packet::Interest(place);
        }
        Packet::from(interest)
    }

    /// Puts Data in a place.
    pub fn data(&mut self, data: Data<N>) -> Packet<N> {
        if let Some(Packet::Data(mut place)) = self.data.pop() {
            *place = data;
            return Packet::Data(place);
        }
        Packet::from(data)
    }

    /// Puts a Nack in a place.
    pub fn nack(&mut self, nack: Nack<N>) -> Packet<N> {
        if let Some(Packet::Nack(mut place)) = self.nacks.pop() {
            *place = nack;
            return Packet::Nack(place);
        }
        Packet::from(nack)
    }

    /// Takes back the place of a packet that is no longer needed.
    pub fn give(&mut self, packet: Packet<N>) {
        let places = match packet {
            Packet::Interest(_) => &mut self.interests,
            Packet::Data(_) => &mut self.data,
            Packet::Nack(_) => &mut self.nacks,
        };
        if places.len() < MOST {
            places.push(packet);
        }
    }
}
