//! How much crosses the path to a neighbour in one piece.

use rustix::net::sockopt;
use std::io;
use std::net::{SocketAddr, UdpSocket};

/// Octets of the headers of IP and UDP.
const V4: usize = 20 + 8;
const V6: usize = 40 + 8;

/// The most octets of a datagram to `peer` that fit one packet of IP, as far as the kernel knows
/// (`IP_MTU`, `IPV6_MTU`): by the MTU of the route or its device, or less if a router has told so.
///
/// # Errors
/// No route leads to `peer`. Linux has no IPv6 on devices whose MTU is below 1280 octets (RFC 8200,
/// section 5).
pub(crate) fn largest_datagram(peer: SocketAddr) -> io::Result<usize> {
    // The routing table is asked by a socket of its own: one that listens has no path.
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
        // No packet of IPv4 is longer than its length field says.
        let mtu: usize = told.trim().parse::<usize>().expect("a number").min(65_535);
        assert_eq!(largest_datagram(([127, 0, 0, 1], 9).into()).expect("a route"), mtu - 28);
    }
}
