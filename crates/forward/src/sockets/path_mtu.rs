//! Path MTU: the largest datagram that crosses the path to a neighbour without fragmentation.

use rustix::net::sockopt;
use std::io;
use std::net::{SocketAddr, UdpSocket};

/// Octets of the IP and UDP headers, for IPv4 and for IPv6.
const V4: usize = 20 + 8;
const V6: usize = 40 + 8;

/// Largest datagram to `peer`, in octets, that fits one IP packet, as far as the kernel knows
/// (`IP_MTU`, `IPV6_MTU`). The kernel uses the MTU of the route or its device, or a lower MTU that
/// a router has reported.
///
/// # Errors
/// No route leads to `peer`. Linux has no IPv6 on devices with an MTU below 1280 octets (RFC 8200,
/// section 5).
pub(crate) fn largest_datagram(peer: SocketAddr) -> io::Result<usize> {
    // A separate connected socket is needed to query the path: a listening socket has no path.
    let any: SocketAddr = if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
    let socket = UdpSocket::bind(any)?;
    socket.connect(peer)?;
    let (mtu, headers) = if peer.is_ipv4() {
        (sockopt::ip_mtu(&socket)?, V4)
    } else {
        (sockopt::ipv6_mtu(&socket)?, V6)
    };
    Ok((mtu as usize).saturating_sub(headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_takes_its_mtu_less_the_headers() {
        let told = std::fs::read_to_string("/sys/class/net/lo/mtu").expect("loopback");
        // The length field limits every IPv4 packet.
        let mtu: usize = told.trim().parse::<usize>().expect("a number").min(65_535);
        assert_eq!(largest_datagram(([127, 0, 0, 1], 9).into()).expect("a route"), mtu - 28);
    }
}
