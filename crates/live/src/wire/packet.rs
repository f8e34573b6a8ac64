//! A packet as a wire carries it.

use super::frame::Frame;
use super::layout::{Network, Transport};
use super::split;
use super::view::{Endpoints, Tcp, TcpFlags};
use narrows_path::Packet;
use narrows_units::Bytes;
use narrows_wire::{Ecn, Header};
use std::ops::Range;

/// One packet of wire size: which one of its frame, and what routers have written into it. Its headers are made when they are wanted
/// ([`WirePacket::head`]).
#[derive(Clone, Debug)]
pub struct WirePacket {
    frame: Frame,
    flow: u64,
    size: u32,
    index: u16,
    ecn: Ecn,
}

impl WirePacket {
    pub(super) fn new(frame: Frame, index: u16, flow: u64) -> WirePacket {
        let ecn = frame.ecn();
        let payload = split::payload(frame.layout(), frame.segment(), frame.ip().len(), index);
        let size = (frame.layout().head + payload.len()) as u32;
        WirePacket { frame, flow, size, index, ecn }
    }

    /// The frame that it is part of.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Who sends it to whom; none if it is not IP.
    pub fn endpoints(&self) -> Option<Endpoints> {
        self.frame.endpoints()
    }

    /// The fields of its TCP header; `None` if it has none that can be seen.
    pub fn tcp(&self) -> Option<Tcp<'_>> {
        let layout = self.frame.layout();
        let header = self
            .frame
            .ip()
            .get(layout.transport_at..)
            .filter(|_| layout.transport == Transport::Tcp)?;
        let word = |at: usize| {
            u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let length = usize::from(header[12] >> 4) * 4;
        Some(Tcp {
            sequence: word(4).wrapping_add(u32::from(self.index) * self.frame.segment() as u32),
            acknowledgement: word(8),
            flags: split::flags(
                TcpFlags::from_bytes([header[12], header[13]]),
                self.frame.virtio(),
                self.index,
                self.frame.count(),
            ),
            window: u16::from_be_bytes([header[14], header[15]]),
            payload: if layout.plain { self.payload().len() } else { header.len() - length },
            options: &header[20..length],
        })
    }

    /// All that follows the headers of [`WirePacket::head`]: the payload of TCP or UDP; where they are not seen or do not follow the IP
    /// header at once, all that follows the IP header.
    pub fn payload(&self) -> &[u8] {
        &self.frame.ip()[self.payload_range()]
    }

    pub(super) fn index(&self) -> u16 {
        self.index
    }

    pub(super) fn payload_range(&self) -> Range<usize> {
        split::payload(self.frame.layout(), self.frame.segment(), self.frame.ip().len(), self.index)
    }

    /// The identification of IPv4, which counts the packets of a super-segment; 0 with others.
    pub(super) fn identification(&self) -> u16 {
        match (self.frame.layout().network, self.frame.ip()) {
            (Network::V4, ip) => u16::from_be_bytes([ip[4], ip[5]]).wrapping_add(self.index),
            _ => 0,
        }
    }
}

impl Packet for WirePacket {
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    /// Without effect on what is not IP.
    fn set_ecn(&mut self, ecn: Ecn) {
        if self.frame.layout().network != Network::Opaque {
            self.ecn = ecn;
        }
    }
    fn sent_ecn(&self) -> Ecn {
        self.frame.ecn()
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

impl Frame {
    /// The ECN field of its IP header, as its sender wrote it.
    fn ecn(&self) -> Ecn {
        match self.layout().network {
            Network::V4 => ecn_of(self.ip()[1]),
            Network::V6 => ecn_of(self.ip()[1] >> 4),
            Network::Opaque => Ecn::NotEct,
        }
    }

    /// The packets that a wire would carry of it, in order: as `tcp_gso_segment` and `__udp_gso_segment` of Linux (net/ipv4/tcp_offload.c,
    /// udp_offload.c) make them of a super-segment; otherwise one, or none if there are no bytes. `flow` is the number that they give to
    /// disciplines.
    pub fn packets(&self, flow: u64) -> impl ExactSizeIterator<Item = WirePacket> + use<'_> {
        (0..self.count()).map(move |index| WirePacket::new(self.clone(), index, flow))
    }
}

fn ecn_of(bits: u8) -> Ecn {
    match bits & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}
