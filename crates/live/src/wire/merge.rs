//! Merges packets, as GRO does (net/ipv4/tcp_offload.c, `tcp_gro_receive`; net/ipv4/af_inet.c,
//! `inet_gro_receive`; net/ipv6/ip6_offload.c, `ipv6_gro_receive`).

use super::frame::Frame;
use super::head::Head;
use super::layout::Network;
use super::packet::WirePacket;
use super::view::{Tcp, TcpFlags};
use narrows_path::Packet;
use std::io::IoSlice;

/// Longest super-segment, from its IP header on.
const LONGEST: usize = 65_535;

/// Most pieces of a write: the headers, and the separate parts of the payload.
const PIECES: usize = 64;

/// A write to a TUN device: a packet, or several merged into a super-segment. It is reused, so that
/// it allocates nothing.
#[derive(Default)]
pub struct Write {
    packets: Vec<WirePacket>,
    /// Payload in bytes.
    payload: usize,
    /// Pieces of the payload.
    pieces: usize,
}

impl Write {
    /// Makes a write without packets.
    pub fn new() -> Write {
        Write::default()
    }

    /// Adds a packet if the write is empty, or if the packet continues it. A packet continues a
    /// write if it is the next of the same TCP connection; its headers are equal except for
    /// sequence number, identification and checksum; its ECN code point is equal; it is not bigger
    /// than the first packet; and no packet before it is shorter than the first or has PSH or FIN.
    /// Otherwise returns the packet: the caller must write, and call [`Write::clear`].
    pub fn push(&mut self, packet: WirePacket) -> Result<(), WirePacket> {
        let adjacent = self.packets.last().is_some_and(|last| adjacent(last, &packet));
        if !self.packets.is_empty()
            && !(self.continues(&packet) && (adjacent || self.pieces + 1 < PIECES))
        {
            return Err(packet);
        }
        self.payload += packet.payload().len();
        self.pieces += usize::from(!adjacent);
        self.packets.push(packet);
        Ok(())
    }

    /// Returns the packets, in order.
    pub fn packets(&self) -> &[WirePacket] {
        &self.packets
    }

    /// True if there are no packets.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Drops the packets.
    pub fn clear(&mut self) {
        self.packets.clear();
        (self.payload, self.pieces) = (0, 0);
    }

    /// Passes the pieces, headers first, to `write`, which writes them together. Does nothing if
    /// there are no packets.
    pub fn pieces<R>(&self, write: impl FnOnce(&[IoSlice<'_>]) -> R) -> Option<R> {
        let head = self.head()?;
        let mut pieces = [IoSlice::new(&[]); PIECES];
        pieces[0] = IoSlice::new(head.bytes());
        let mut count = 1;
        for run in self.packets.chunk_by(adjacent) {
            let (first, last) = (run.first()?, run.last()?);
            let range = first.payload_range().start..last.payload_range().end;
            pieces[count] = IoSlice::new(&first.frame().ip()[range]);
            count += 1;
        }
        Some(write(&pieces[..count]))
    }

    fn head(&self) -> Option<Head> {
        let (first, last) = (self.packets.first()?, self.packets.last()?);
        let mut head = first.head();
        if self.packets.len() > 1 {
            let flags = last.tcp()?.flags;
            head.merge(self.payload, first.payload().len(), flags);
        }
        Some(head)
    }

    fn continues(&self, next: &WirePacket) -> bool {
        let (Some(first), Some(last)) = (self.packets.first(), self.packets.last()) else {
            return false;
        };
        let (Some(before), Some(after)) = (joinable(last), joinable(next)) else { return false };
        let ends = TcpFlags::FIN | TcpFlags::PSH;
        let segment = first.payload().len();
        before.payload == segment
            && (1..=segment).contains(&after.payload)
            && first.frame().layout().head + self.payload + after.payload <= LONGEST
            && after.sequence == before.sequence.wrapping_add(before.payload as u32)
            && before.flags == after.flags.without(ends)
            && next.ecn() == last.ecn()
            && next.identification()
                == last
                    .identification()
                    .wrapping_add(u16::from(next.frame().layout().network == Network::V4))
            && same_headers(last.frame(), next.frame())
    }
}

/// True if the payload of `next` follows the payload of `packet` in the same frame.
fn adjacent(packet: &WirePacket, next: &WirePacket) -> bool {
    next.index() == packet.index() + 1 && packet.frame().is(next.frame())
}

/// Returns the TCP header, if the packet may become part of a super-segment. TCP must directly
/// follow an IP header without options, the device must complete the checksum, and no flag may be
/// set that keeps a packet separate. CWR is such a flag: classic ECN sets it on one packet only,
/// and kernels differ in how they signal it with accurate ECN.
fn joinable(packet: &WirePacket) -> Option<Tcp<'_>> {
    let (frame, layout) = (packet.frame(), packet.frame().layout());
    let bare = layout.plain && (layout.network == Network::V6 || layout.transport_at == 20);
    let offloaded = frame.segment() > 0 || frame.virtio().needs_csum;
    let alone = TcpFlags::SYN | TcpFlags::RST | TcpFlags::URG | TcpFlags::CWR;
    packet.tcp().filter(|tcp| bare && offloaded && !tcp.flags.any(alone))
}

/// True if the headers of both are equal except for lengths, numbers, checksums, flags and the ECN
/// code point.
fn same_headers(one: &Frame, other: &Frame) -> bool {
    if one.is(other) {
        return true;
    }
    let (layout, a, b) = (one.layout(), one.ip(), other.ip());
    if layout != other.layout() {
        return false;
    }
    let same = |from: usize, to: usize| a[from..to] == b[from..to];
    let network = match layout.network {
        Network::V4 => a[0] == b[0] && (a[1] ^ b[1]) & !3 == 0 && same(6, 10) && same(12, 20),
        Network::V6 => a[0] == b[0] && (a[1] ^ b[1]) & !0x30 == 0 && same(2, 4) && same(6, 40),
        Network::Opaque => false,
    };
    let tcp = layout.transport_at;
    network
        && same(tcp, tcp + 4)
        && same(tcp + 8, tcp + 12)
        && same(tcp + 14, tcp + 16)
        && same(tcp + 18, layout.head)
}
