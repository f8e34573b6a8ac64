//! Splits super-segments into packets (net/ipv4/tcp_offload.c, `tcp_gso_segment`;
//! net/ipv4/udp_offload.c, `__udp_gso_segment`; net/ipv4/af_inet.c, `inet_gso_segment`;
//! net/ipv6/ip6_offload.c, `ipv6_gso_segment`).

use super::layout::{Layout, Network, Transport};
use super::view::TcpFlags;
use super::virtio::{Gso, VirtioHeader};
use std::ops::Range;

/// Returns the payload of each packet, except the last, of a super-segment of `length` bytes; 0 for
/// a single packet. That is an ordinary packet, one that needs no split, or one that differs from
/// its virtio header.
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

/// Returns the range of the payload of packet `index` of a super-segment, as offsets from the IP
/// header.
pub(super) fn payload(layout: &Layout, segment: usize, length: usize, index: u16) -> Range<usize> {
    if segment == 0 {
        return layout.head..length;
    }
    let start = layout.head + usize::from(index) * segment;
    start..(start + segment).min(length)
}

/// Returns the flags of packet `index` of `count`. FIN and PSH belong to the last packet, CWR of
/// classic ECN to the first, CWR of accurate ECN to all.
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
