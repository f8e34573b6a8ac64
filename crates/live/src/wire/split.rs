//! The packets of a super-segment that is split (net/ipv4/tcp_offload.c, `tcp_gso_segment`; net/ipv4/udp_offload.c, `__udp_gso_segment`;
//! net/ipv4/af_inet.c, `inet_gso_segment`; net/ipv6/ip6_offload.c, `ipv6_gso_segment`).

use super::layout::{Layout, Network, Transport};
use super::view::TcpFlags;
use super::virtio::{Gso, VirtioHeader};
use std::ops::Range;

/// Payload of each packet but the last of a super-segment of `length` bytes; 0 if it is one packet: an ordinary one, one that needs no
/// split, or one that is not what its virtio header says.
pub(super) fn segment(virtio: &VirtioHeader, layout: &Layout, length: usize) -> usize {
    let of_its_kind = match virtio.gso {
        Gso::TcpV4 => (layout.network, layout.transport) == (Network::V4, Transport::Tcp),
        Gso::TcpV6 => (layout.network, layout.transport) == (Network::V6, Transport::Tcp),
        Gso::UdpL4 => layout.transport == Transport::Udp && virtio.needs_csum,
        Gso::None | Gso::Udp | Gso::Unknown(_) => false,
    };
    let segment = usize::from(virtio.gso_size);
    if of_its_kind && layout.plain && length - layout.head > segment { segment } else { 0 }
}

/// Where the payload of packet `index` of a super-segment lies, as offsets from the IP header.
pub(super) fn payload(layout: &Layout, segment: usize, length: usize, index: u16) -> Range<usize> {
    if segment == 0 {
        return layout.head..length;
    }
    let start = layout.head + usize::from(index) * segment;
    start..(start + segment).min(length)
}

/// The flags of packet `index` of `count`: FIN and PSH belong to the last; classic ECN's CWR to the first, accurate ECN's to every one.
pub(super) fn flags(all: TcpFlags, virtio: &VirtioHeader, index: u16, count: u16) -> TcpFlags {
    let mut flags = all;
    if index + 1 < count {
        flags = flags.without(TcpFlags::FIN | TcpFlags::PSH);
    }
    if index > 0 && !virtio.accurate_ecn {
        flags = flags.without(TcpFlags::CWR);
    }
    flags
}
