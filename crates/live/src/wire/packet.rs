//! Packets on a wire.

use super::frame::Frame;
use super::layout::{Network, Transport};
use super::split;
use super::view::{Endpoints, Tcp, TcpFlags};
use narrows_path::Packet;
use narrows_units::Bytes;
use narrows_wire::{Ecn, Header};
use std::ops::Range;

/// A packet of wire size: its index in a frame, and the fields that routers have written.
/// [`WirePacket::head`] makes its headers on demand.
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

    /// Returns the frame of the packet.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Returns the endpoints; `None` if the packet is not IP.
    pub fn endpoints(&self) -> Option<Endpoints> {
        self.frame.endpoints()
    }

    /// Returns the fields of the TCP header; `None` if it has none or a fragment hides it.
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

    /// Returns the bytes after the headers of [`WirePacket::head`]: the payload of TCP or UDP, or
    /// the bytes after the IP header if their header does not directly follow it.
    pub fn payload(&self) -> &[u8] {
        &self.frame.ip()[self.payload_range()]
    }

    pub(super) fn index(&self) -> u16 {
        self.index
    }

    pub(super) fn payload_range(&self) -> Range<usize> {
        split::payload(self.frame.layout(), self.frame.segment(), self.frame.ip().len(), self.index)
    }

    /// Returns the identification of IPv4, which counts the packets of a super-segment; 0 for IPv6.
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
    /// Has no effect on packets that are not IP.
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
    /// Returns the ECN field of the IP header, as the sender wrote it.
    fn ecn(&self) -> Ecn {
        match self.layout().network {
            Network::V4 => ecn_of(self.ip()[1]),
            Network::V6 => ecn_of(self.ip()[1] >> 4),
            Network::Opaque => Ecn::NotEct,
        }
    }

    /// Yields the packets on a wire, in order. A super-segment is split like by `tcp_gso_segment`
    /// and `__udp_gso_segment` of Linux (net/ipv4/tcp_offload.c, udp_offload.c); other frames are
    /// one packet, or none if they are empty. `flow` is the packets' flow number for disciplines.
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
