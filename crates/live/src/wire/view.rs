//! Fields of packets for measurements.

use etherparse::{TcpOptionElement, TcpOptionsIterator};
use std::net::IpAddr;
use std::ops::BitOr;

/// The endpoints of a packet, which identify a flow and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoints {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// IP protocol number: 6 for TCP, 17 for UDP. For other IPv6 packets, the number of the first
    /// header after the fixed one.
    pub protocol: u8,
    /// Source port; 0 if it is not visible (another protocol, or a fragment).
    pub source_port: u16,
    /// Destination port; 0 if it is not visible.
    pub destination_port: u16,
}

impl Endpoints {
    /// Returns the endpoints of the other direction.
    pub fn reversed(self) -> Endpoints {
        Endpoints {
            source: self.destination,
            destination: self.source,
            protocol: self.protocol,
            source_port: self.destination_port,
            destination_port: self.source_port,
        }
    }
}

/// The flags of a TCP header (RFC 9293 section 3.1, RFC 9768 section 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFlags(u16);

impl TcpFlags {
    /// The sender has no more data.
    pub const FIN: TcpFlags = TcpFlags(0x001);
    /// Synchronizes sequence numbers.
    pub const SYN: TcpFlags = TcpFlags(0x002);
    /// Resets the connection.
    pub const RST: TcpFlags = TcpFlags(0x004);
    /// The receiver should pass on the data at once.
    pub const PSH: TcpFlags = TcpFlags(0x008);
    /// The acknowledgement number is valid.
    pub const ACK: TcpFlags = TcpFlags(0x010);
    /// The urgent pointer is valid.
    pub const URG: TcpFlags = TcpFlags(0x020);
    /// Congestion was experienced; with accurate ECN, the lowest bit of a counter.
    pub const ECE: TcpFlags = TcpFlags(0x040);
    /// The window was reduced; with accurate ECN, the middle bit of a counter.
    pub const CWR: TcpFlags = TcpFlags(0x080);
    /// With accurate ECN, the highest bit of a counter.
    pub const AE: TcpFlags = TcpFlags(0x100);

    /// Reads the flags from bytes 12 and 13 of a TCP header.
    pub(super) fn from_bytes(bytes: [u8; 2]) -> TcpFlags {
        TcpFlags(u16::from_be_bytes(bytes) & 0x1ff)
    }

    /// Returns the byte with all flags except AE.
    pub(super) fn low(self) -> u8 {
        self.0 as u8
    }

    /// True if at least one of `flags` is set.
    pub fn any(self, flags: TcpFlags) -> bool {
        self.0 & flags.0 != 0
    }

    /// Returns these flags without `flags`.
    pub fn without(self, flags: TcpFlags) -> TcpFlags {
        TcpFlags(self.0 & !flags.0)
    }
}

impl BitOr for TcpFlags {
    type Output = TcpFlags;
    fn bitor(self, other: TcpFlags) -> TcpFlags {
        TcpFlags(self.0 | other.0)
    }
}

/// The fields of the TCP header of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tcp<'a> {
    /// Sequence number of the first byte of payload.
    pub sequence: u32,
    /// Next byte that the receiver expects; valid with [`TcpFlags::ACK`].
    pub acknowledgement: u32,
    /// Flags.
    pub flags: TcpFlags,
    /// Window field, without the scale from the SYN.
    pub window: u16,
    /// Bytes of payload.
    pub payload: usize,
    pub(super) options: &'a [u8],
}

impl<'a> Tcp<'a> {
    /// Yields the options, in order, up to an invalid one.
    pub fn options(&self) -> impl Iterator<Item = TcpOptionElement> + use<'a> {
        TcpOptionsIterator::from_slice(self.options).map_while(Result::ok)
    }

    /// Returns the value and the echo of the timestamp option (RFC 7323 section 3.2).
    pub fn timestamps(&self) -> Option<(u32, u32)> {
        self.options().find_map(|option| match option {
            TcpOptionElement::Timestamp(value, echo) => Some((value, echo)),
            _ => None,
        })
    }

    /// Yields the SACK blocks, each as its first byte and the byte after its last, in the order of
    /// the option (RFC 2018 section 3).
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        self.options()
            .filter_map(|option| match option {
                TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                    Some(std::iter::once(first).chain(rest.into_iter().flatten()))
                }
                _ => None,
            })
            .flatten()
    }
}
