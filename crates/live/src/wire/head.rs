//! The headers of a packet, in their own bytes.

use super::checksum;
use super::layout::{Layout, Network, Transport};
use super::packet::WirePacket;
use super::view::TcpFlags;
use super::virtio::{Gso, VirtioHeader};
use narrows_path::Packet;
use narrows_wire::Ecn;

const ROOM: usize = VirtioHeader::LEN + Layout::MAX_HEAD;

/// The first part of a write to a TUN device: the virtio header, the IP header and, if it follows
/// directly, the TCP or UDP header of a packet. The payload is the second part.
#[derive(Clone)]
pub struct Head {
    bytes: [u8; ROOM],
    length: usize,
    layout: Layout,
}

impl WirePacket {
    /// Returns the headers, preceded by the virtio header with the device's tasks.
    pub fn head(&self) -> Head {
        Head::of(self)
    }
}

impl Head {
    /// Makes the headers of a packet.
    pub(super) fn of(packet: &WirePacket) -> Head {
        let (frame, layout) = (packet.frame(), *packet.frame().layout());
        let mut head = Head { bytes: [0; ROOM], length: VirtioHeader::LEN + layout.head, layout };
        head.ip_mut().copy_from_slice(&frame.ip()[..layout.head]);
        if frame.segment() == 0 {
            head.set_virtio(*frame.virtio());
            head.rewrite_ecn(packet.ecn());
        } else {
            head.write_ecn(packet.ecn());
            head.number(packet);
            head.lengthen(packet.payload().len());
            head.set_virtio(head.offloaded());
        }
        head
    }

    /// Changes them to the headers of a super-segment that begins with this packet: `payload` bytes
    /// in packets of `segment` bytes; `last` has the flags of the last packet.
    pub(super) fn merge(&mut self, payload: usize, segment: usize, last: TcpFlags) {
        let flags = self.layout.transport_at + 13;
        self.ip_mut()[flags] |= last.low();
        self.lengthen(payload);
        let gso = if self.layout.network == Network::V4 { Gso::TcpV4 } else { Gso::TcpV6 };
        self.set_virtio(VirtioHeader {
            gso,
            gso_size: segment as u16,
            hdr_len: self.layout.head as u16,
            ..self.offloaded()
        });
    }

    /// Returns the bytes, from the virtio header on.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns the virtio header.
    pub fn virtio(&self) -> VirtioHeader {
        VirtioHeader::from_bytes(self.bytes.first_chunk().expect("room for a virtio header"))
    }

    /// Returns the bytes from the IP header on.
    pub fn ip(&self) -> &[u8] {
        &self.bytes[VirtioHeader::LEN..self.length]
    }

    fn ip_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[VirtioHeader::LEN..self.length]
    }

    fn set_virtio(&mut self, header: VirtioHeader) {
        self.bytes[..VirtioHeader::LEN].copy_from_slice(&header.to_bytes());
    }

    fn put(&mut self, at: usize, word: u16) {
        self.ip_mut()[at..at + 2].copy_from_slice(&word.to_be_bytes());
    }

    /// Returns the offset of the checksum in the transport header.
    fn csum_offset(&self) -> usize {
        if self.layout.transport == Transport::Udp { 6 } else { 16 }
    }

    /// Makes the virtio header of a packet whose checksum the device completes.
    fn offloaded(&self) -> VirtioHeader {
        let (csum_start, csum_offset) =
            (self.layout.transport_at as u16, self.csum_offset() as u16);
        VirtioHeader { needs_csum: true, csum_start, csum_offset, ..VirtioHeader::default() }
    }

    fn write_ecn(&mut self, ecn: Ecn) {
        let shift = match self.layout.network {
            Network::V4 => 0,
            Network::V6 => 4,
            Network::Opaque => return,
        };
        let byte = &mut self.ip_mut()[1];
        *byte = *byte & !(3 << shift) | (ecn as u8) << shift;
    }

    /// Writes the code point, and updates the checksum of IPv4; a wrong checksum stays wrong.
    fn rewrite_ecn(&mut self, ecn: Ecn) {
        if self.layout.network != Network::V4 {
            return self.write_ecn(ecn);
        }
        let word = |head: &Head, at: usize| u16::from_be_bytes([head.ip()[at], head.ip()[at + 1]]);
        let old = word(self, 0);
        self.write_ecn(ecn);
        if word(self, 0) != old {
            let checksum = checksum::replaced(word(self, 10), old, word(self, 0));
            self.put(10, checksum);
        }
    }

    /// Writes the fields that differ between packets of a super-segment: identification, sequence
    /// number and flags.
    fn number(&mut self, packet: &WirePacket) {
        if self.layout.network == Network::V4 {
            self.put(4, packet.identification());
        }
        if let Some(tcp) = packet.tcp() {
            let at = self.layout.transport_at;
            self.ip_mut()[at + 4..at + 8].copy_from_slice(&tcp.sequence.to_be_bytes());
            self.ip_mut()[at + 13] = tcp.flags.low();
        }
    }

    /// Writes the lengths for `payload` bytes, and the fields that depend on them: the checksum of
    /// IPv4, and the sum of the pseudo-header in the transport checksum.
    fn lengthen(&mut self, payload: usize) {
        let Layout { network, transport, transport_at, head, .. } = self.layout;
        let (from_transport, field) =
            (head - transport_at + payload, transport_at + self.csum_offset());
        let addresses = if network == Network::V4 {
            self.put(2, (head + payload) as u16);
            self.put(10, 0);
            let checksum = checksum::of_ipv4_header(&self.ip()[..transport_at]);
            self.put(10, checksum);
            12..20
        } else {
            self.put(4, (head + payload - 40) as u16);
            8..40
        };
        let protocol = if transport == Transport::Udp { 17 } else { 6 };
        if transport == Transport::Udp {
            self.put(transport_at + 4, from_transport as u16);
        }
        let sum = checksum::of_pseudo_header(&self.ip()[addresses], protocol, from_transport);
        self.put(field, sum);
    }
}
