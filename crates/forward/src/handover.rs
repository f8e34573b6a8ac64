//! Handovers between forwarding threads, and their bounded queue.

use crate::departure::size;
use crate::name::PacketName;
use narrows_icn::{FaceId, Neighbour, Packet};
use narrows_ndn::management::FaceEventKind;

/// Most packets that wait for a thread: 4 ms of packets at a million packets per second. Our
/// choice.
const MOST_WAITING: usize = 4096;
/// Most octets of these packets: 16 MB, about 2000 packets of the largest size. Our choice.
const MOST_OCTETS: u64 = 16_000_000;

/// A packet or a notice that one forwarding thread passes to another. It contains the number of its
/// face too, because the slot may have gone to another face.
#[derive(Clone, Debug)]
pub struct Handover {
    pub(crate) slot: FaceId,
    pub(crate) id: u64,
    pub(crate) what: HandoverKind,
}

#[derive(Clone, Debug)]
pub(crate) enum HandoverKind {
    /// A packet received on the face. Its name belongs to the other thread.
    Came(Packet<PacketName>),
    /// A copy of Data received on the face, for wide Interests.
    Copy(Packet<PacketName>),
    /// A packet to be sent on the face, which belongs to the other thread. The second field is the
    /// number of the face that received the packet.
    Leaves(Packet<PacketName>, u64),
    /// New capabilities of the neighbour on the face.
    MirccSupport(Neighbour),
    /// The face has gone down or up.
    Announce(FaceEventKind),
}

impl Handover {
    /// Octets of the packet. `None` if the handover is not a packet.
    fn packet(&self) -> Option<u64> {
        match &self.what {
            HandoverKind::Came(packet)
            | HandoverKind::Copy(packet)
            | HandoverKind::Leaves(packet, _) => Some(size(packet)),
            HandoverKind::MirccSupport(_) | HandoverKind::Announce(_) => None,
        }
    }
}

/// Handovers that wait for a thread. Packets are dropped while 4096 of them, or 16 MB, wait.
#[derive(Debug, Default)]
pub struct Handovers {
    waiting: Vec<Handover>,
    packets: usize,
    octets: u64,
}

impl Handovers {
    /// Takes all of `more` in order. Returns the number of dropped packets.
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

    /// Moves all handovers to `out`, which must be empty.
    pub fn take(&mut self, out: &mut Vec<Handover>) {
        std::mem::swap(&mut self.waiting, out);
        (self.packets, self.octets) = (0, 0);
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
