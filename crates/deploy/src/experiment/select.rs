//! The connections that take part in an experiment.

use serde::Deserialize;
use std::net::{IpAddr, Ipv6Addr};

/// The connections that take part: all conditions must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// Control groups, as paths below the cgroup2 mount.
    pub cgroups: Vec<String>,
    /// Which connections, by who opened them.
    pub end: End,
    /// The own ports of accepted connections, the peer's ports of opened ones; empty for all.
    pub ports: Vec<Ports>,
    /// Networks of the peer, each with true if it takes part; the longest that holds the peer
    /// decides. Empty for all.
    pub prefixes: Vec<(Prefix, bool)>,
    /// Interfaces by their names; empty for all.
    pub interfaces: Vec<String>,
    /// True if a connection whose program chose its controller is left alone.
    pub respect: bool,
    /// True if subflows of Multipath TCP take part.
    pub mptcp: bool,
    /// True if connections over loopback take part.
    pub loopback: bool,
    /// The unit that is drawn for an arm.
    pub unit: Unit,
}

/// Connections by who opened them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// Those that this host accepted.
    Accepted,
    /// Those that this host opened.
    Opened,
    /// All.
    Both,
}

/// The unit that is drawn for an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Each connection.
    Connection,
    /// Each client: its IPv4 address, or the first 64 bits of its IPv6 address.
    Client,
}

/// A range of ports, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The first port, at least 1.
    pub first: u16,
    /// The last port, not below the first.
    pub last: u16,
}

impl Ports {
    /// Reads a port, or a range such as "8000-8099"; the error is the remedy.
    pub(super) fn read(text: &str) -> Result<Ports, String> {
        let number = |text: &str| text.trim().parse::<u16>().ok().filter(|port| *port > 0);
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Ports { first, last }),
            (Some(first), Some(last)) => Err(format!("write \"{last}-{first}\"")),
            _ => Err("write a port of 1 to 65535, or a range such as \"8000-8099\"".to_owned()),
        }
    }
}

/// A network: an address and the number of its leading bits that matter. IPv4 networks are mapped
/// to IPv6 (RFC 4291, section 2.5.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The address; the bits that do not matter are 0.
    pub address: Ipv6Addr,
    /// Number of bits that matter, of 128.
    pub length: u8,
}

impl Prefix {
    /// Reads a network such as "10.0.0.0/8"; the error is the remedy.
    pub(super) fn read(text: &str) -> Result<Prefix, String> {
        let form = || "write a network such as \"10.0.0.0/8\" or \"2001:db8::/32\"".to_owned();
        let (address, length) = text.split_once('/').ok_or_else(form)?;
        let address: IpAddr = address.trim().parse().map_err(|_| form())?;
        let length: u8 = length.trim().parse().map_err(|_| form())?;
        let (mapped, before) = match address {
            IpAddr::V4(own) => (own.to_ipv6_mapped(), 96),
            IpAddr::V6(own) => (own, 0),
        };
        if length > 128 - before {
            return Err(form());
        }
        let length = length + before;
        let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
        let network = Ipv6Addr::from(u128::from(mapped) & mask);
        if network != mapped {
            let shown = match (address, network.to_ipv4_mapped()) {
                (IpAddr::V4(_), Some(own)) => IpAddr::V4(own),
                _ => IpAddr::V6(network),
            };
            return Err(format!(
                "the address has bits after the network's: write \"{shown}/{}\"",
                length - before
            ));
        }
        Ok(Prefix { address: network, length })
    }

    /// True if the other network lies within this one.
    pub fn holds(&self, other: &Prefix) -> bool {
        let mask = u128::MAX.checked_shl(128 - u32::from(self.length)).unwrap_or(0);
        self.length <= other.length && u128::from(other.address) & mask == u128::from(self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_each_other() {
        let read = |text: &str| Prefix::read(text).expect(text);
        assert!(read("10.0.0.0/8").holds(&read("10.1.0.0/16")));
        assert!(!read("10.1.0.0/16").holds(&read("10.0.0.0/8")));
        assert!(read("::/0").holds(&read("0.0.0.0/0")) && !read("0.0.0.0/0").holds(&read("::/0")));
        assert_eq!(
            Prefix::read("10.1.2.3/8").expect_err("bits"),
            "the address has bits after the network's: write \"10.0.0.0/8\""
        );
        for text in ["10.0.0.0", "10.0.0.0/33", "2001:db8::/129", "x/8", "10.0.0.0/-1"] {
            assert!(Prefix::read(text).expect_err(text).starts_with("write a network"), "{text}");
        }
    }
}
