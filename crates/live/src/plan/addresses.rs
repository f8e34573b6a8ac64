//! Addresses of hosts. Each class of route metrics is a network in which every host has an address,
//! because the kernel stores these settings per route.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most classes of route metrics.
pub const MAX_CLASSES: usize = 100;
/// Most hosts.
pub const MAX_HOSTS: usize = 65_000;

/// A network, with the address of a host in it.
pub struct Subnet {
    /// Address of the host.
    pub address: IpAddr,
    /// Address of the network.
    pub network: IpAddr,
    /// Length of the prefix in bits.
    pub prefix: u8,
}

/// Returns the IPv4 network of a class, with the address of a host.
pub fn subnet_v4(class: usize, host: u16) -> Subnet {
    let address = |number: u16| {
        let [high, low] = number.to_be_bytes();
        Ipv4Addr::new(10, 77 + class as u8, high, low).into()
    };
    Subnet { address: address(host + 1), network: address(0), prefix: 16 }
}

/// Returns the IPv6 network of a class, with the address of a host.
pub fn subnet_v6(class: usize, host: u16) -> Subnet {
    let address = |number: u16| Ipv6Addr::new(0xfd77, class as u16, 0, 0, 0, 0, 0, number).into();
    Subnet { address: address(host + 1), network: address(0), prefix: 64 }
}

/// Returns the number of the host with this address.
pub fn host_of(address: IpAddr) -> Option<u16> {
    let host = match address {
        IpAddr::V4(v4) => u16::from_be_bytes([v4.octets()[2], v4.octets()[3]]),
        IpAddr::V6(v6) => v6.segments()[7],
    };
    host.checked_sub(1)
}
