//! Sockets bound to a local address.

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with, sockopt};
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;

/// Most connections that wait to be accepted, as in the standard library.
const BACKLOG: i32 = 128;

/// True if a socket on `local` must not accept IPv4 (`IPV6_V6ONLY`), because one of the addresses
/// in `all` has its port on IPv4. Otherwise a socket on `[::]` carries both.
pub(crate) fn leaves_v4(local: SocketAddr, all: &[SocketAddr]) -> bool {
    local.is_ipv6()
        && all
            .iter()
            .any(|other| other.is_ipv4() && other.port() == local.port() && local.port() != 0)
}

/// A UDP socket.
pub(crate) fn udp(local: SocketAddr, only_v6: bool) -> io::Result<UdpSocket> {
    let socket = bound(local, SocketType::DGRAM, only_v6)?;
    Ok(UdpSocket::from(socket))
}

/// A listening TCP socket that does not block.
pub(crate) fn tcp(local: SocketAddr, only_v6: bool) -> io::Result<TcpListener> {
    let socket = bound(local, SocketType::STREAM, only_v6)?;
    listen(&socket, BACKLOG)?;
    let listener = TcpListener::from(socket);
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn bound(local: SocketAddr, kind: SocketType, only_v6: bool) -> io::Result<OwnedFd> {
    let family = if local.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
    if kind == SocketType::STREAM {
        // Lingering connections of an earlier daemon must not block the address.
        sockopt::set_socket_reuseaddr(&socket, true)?;
    }
    if only_v6 {
        sockopt::set_ipv6_v6only(&socket, true)?;
    }
    bind(&socket, &local)?;
    Ok(socket)
}

/// Converts an IPv4-mapped address, such as `::ffff:192.0.2.1` on a socket for both IPv4 and IPv6,
/// to IPv4 (RFC 4291, section 2.5.5.2).
pub(crate) fn plain(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V6(v6) => v6.ip().to_ipv4_mapped().map_or(address, |v4| (v4, v6.port()).into()),
        SocketAddr::V4(_) => address,
    }
}

/// Converts an address for an IPv6 socket that carries IPv4 too: IPv4 becomes IPv4-mapped.
pub(crate) fn mapped(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) => (v4.ip().to_ipv6_mapped(), v4.port()).into(),
        SocketAddr::V6(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> SocketAddr {
        address.parse().expect("an address")
    }

    #[test]
    fn ipv6_leaves_ipv4_alone_only_where_another_socket_has_its_port_there() {
        let both = [at("0.0.0.0:6363"), at("[::]:6363")];
        assert!(leaves_v4(both[1], &both) && !leaves_v4(both[0], &both));
        assert!(
            !leaves_v4(both[1], &both[1..]) && !leaves_v4(both[1], &[at("0.0.0.0:6364"), both[1]])
        );
    }

    #[test]
    fn mapped_addresses_are_those_of_ipv4() {
        let (v4, v6) = (at("192.0.2.1:7"), at("[2001:db8::1]:7"));
        assert_eq!(
            (mapped(v4), plain(mapped(v4)), plain(v6), mapped(v6)),
            (at("[::ffff:192.0.2.1]:7"), v4, v6, v6)
        );
    }
}
