//! What one forwarding thread hands over to another, and the bounded queue for it.

use crate::departure::size;
use crate::name::PacketName;
use narrows_icn::{FaceId, Neighbour, Packet};
use narrows_ndn::management::FaceEventKind;

/// Most packets that wait for a thread: those of 4 ms at a million packets a second. The number is ours.
const MOST_WAITING: usize = 4096;
/// The most octets of these packets: 16 MB, as many as 2000 of the largest. The number is ours.
const MOST_OCTETS: u64 = 16_000_000;

/// Something that one forwarding thread hands over to another. The face in it is known by its number too, since its place may have gone to
/// another one.
#[derive(Clone, Debug)]
pub struct Handover {
    pub(crate) slot: FaceId,
    pub(crate) id: u64,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A packet has come on the face, and its name is the other thread's.
    Came(Packet<PacketName>),
    /// A copy of Data that has come on the face, for wide Interests.
    Copy(Packet<PacketName>),
    /// A packet leaves by the face, which is the other thread's. It came on the face with this number.
    Leaves(Packet<PacketName>, u64),
    /// The neighbour on the face understands this.
    Understands(Neighbour),
    /// The face has gone down or up.
    Announce(FaceEventKind),
}

impl Handover {
    /// Octets of the packet, if it is one.
    fn packet(&self) -> Option<u64> {
        match &self.what {
            What::Came(packet) | What::Copy(packet) | What::Leaves(packet, _) => Some(size(packet)),
            What::Understands(_) | What::Announce(_) => None,
        }
    }
}

/// What waits for a thread. Packets that find 4096 of them, or 16 MB, waiting are dropped.
#[derive(Debug, Default)]
pub struct Handovers {
    waiting: Vec<Handover>,
    packets: usize,
    octets: u64,
}

impl Handovers {
    /// Takes all of `more`, in their order, and returns the number of packets that were dropped.
    pub fn append(&mut self, more: &mut Vec<Handover>) -> u64 {
        let mut dropped = 0;
        for handover in more.drain(..) {
            if let Some(octets) = handover.packet() {
                if self.packets == MOST_WAITING || self.octets + octets > MOST_OCTETS {
                    dropped += 1;
                    continue;
                }
                self.packets += 1;
                self.octets += octets;
            }
            self.waiting.push(handover);
        }
        dropped
    }

    /// Moves all to `out`, which is empty.
    pub fn take(&mut self, out: &mut Vec<Handover>) {
        std::mem::swap(&mut self.waiting, out);
        (self.packets, self.octets) = (0, 0);
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
