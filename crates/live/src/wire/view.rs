//! The fields of a packet that measurements need.

use etherparse::{TcpOptionElement, TcpOptionsIterator};
use std::net::IpAddr;
use std::ops::BitOr;

/// Who sends to whom: what tells one flow's direction from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoints {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// IP protocol number: 6 is TCP, 17 UDP. Of IPv6, that of the first header after the fixed one, if it is neither.
    pub protocol: u8,
    /// Source port; 0 where there is none to be seen: another protocol, or a fragment.
    pub source_port: u16,
    /// Destination port, or 0.
    pub destination_port: u16,
}

impl Endpoints {
    /// Those of the other direction.
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
    /// The sender is done.
    pub const FIN: TcpFlags = TcpFlags(0x001);
    /// Sequence numbers are to be synchronized.
    pub const SYN: TcpFlags = TcpFlags(0x002);
    /// The connection is to be reset.
    pub const RST: TcpFlags = TcpFlags(0x004);
    /// The data are to be handed up now.
    pub const PSH: TcpFlags = TcpFlags(0x008);
    /// The acknowledgement number counts.
    pub const ACK: TcpFlags = TcpFlags(0x010);
    /// The urgent pointer counts.
    pub const URG: TcpFlags = TcpFlags(0x020);
    /// Congestion has been experienced; with accurate ECN, the lowest bit of a counter.
    pub const ECE: TcpFlags = TcpFlags(0x040);
    /// The window has been reduced; with accurate ECN, the middle bit of a counter.
    pub const CWR: TcpFlags = TcpFlags(0x080);
    /// With accurate ECN, the highest bit of a counter.
    pub const AE: TcpFlags = TcpFlags(0x100);

    /// Of the two bytes of a TCP header from its 13th on.
    pub(super) fn from_bytes(bytes: [u8; 2]) -> TcpFlags {
        TcpFlags(u16::from_be_bytes(bytes) & 0x1ff)
    }

    /// The byte that all flags but AE share.
    pub(super) fn low(self) -> u8 {
        self.0 as u8
    }

    /// True if at least one of `flags` is set.
    pub fn any(self, flags: TcpFlags) -> bool {
        self.0 & flags.0 != 0
    }

    /// These flags, `flags` cleared.
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
    /// The next byte that is expected from the other side; meaningful with [`TcpFlags::ACK`].
    pub acknowledgement: u32,
    /// The flags.
    pub flags: TcpFlags,
    /// The window as it stands there, without the scale that the SYN told.
    pub window: u16,
    /// Bytes of payload.
    pub payload: usize,
    pub(super) options: &'a [u8],
}

impl<'a> Tcp<'a> {
    /// The options, in order; an error ends them.
    pub fn options(&self) -> impl Iterator<Item = TcpOptionElement> + use<'a> {
        TcpOptionsIterator::from_slice(self.options).map_while(Result::ok)
    }

    /// Value and echo of the timestamp option (RFC 7323 section 3.2).
    pub fn timestamps(&self) -> Option<(u32, u32)> {
        self.options().find_map(|option| match option {
            TcpOptionElement::Timestamp(value, echo) => Some((value, echo)),
            _ => None,
        })
    }

    /// The SACK blocks, first byte and one past the last, in the order in which they stand (RFC 2018 section 3).
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
