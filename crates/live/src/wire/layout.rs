//! Positions of the headers in a packet.

use etherparse::{IpNumber, IpSlice, TcpSlice, UdpSlice};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    V4,
    V6,
    /// Not IP, or invalid.
    Opaque,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Tcp,
    Udp,
    /// Another protocol, a fragment, or invalid.
    Opaque,
}

/// The positions of the headers in a packet, as offsets from its IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) network: Network,
    pub(super) transport: Transport,
    /// Offset of the transport header.
    pub(super) transport_at: usize,
    /// Bytes before the payload of TCP or UDP, if their header directly follows the IP header;
    /// otherwise the IP header only.
    pub(super) head: usize,
    /// True if the transport is known and its header directly follows the IP header.
    pub(super) plain: bool,
}

impl Layout {
    pub(super) const OPAQUE: Layout = Layout {
        network: Network::Opaque,
        transport: Transport::Opaque,
        transport_at: 0,
        head: 0,
        plain: false,
    };

    /// Length of IPv4 and TCP headers with the most options.
    pub(super) const MAX_HEAD: usize = 60 + 60;

    /// Parses the packet `ip`. For any bytes, all offsets lie within it.
    pub(super) fn of(ip: &[u8]) -> Layout {
        let Ok(slice) = IpSlice::from_slice(ip) else { return Layout::OPAQUE };
        let (network, header, length) = match &slice {
            IpSlice::Ipv4(v4) => {
                (Network::V4, v4.header().slice().len(), usize::from(v4.header().total_len()))
            }
            IpSlice::Ipv6(v6) => (
                Network::V6,
                v6.header().slice().len(),
                40 + usize::from(v6.header().payload_length()),
            ),
        };
        let without_transport = Layout {
            network,
            transport: Transport::Opaque,
            transport_at: header,
            head: header,
            plain: false,
        };
        let inner = slice.payload();
        if length != ip.len() || inner.fragmented {
            return without_transport;
        }
        let (transport, transport_header) = match inner.ip_number {
            IpNumber::TCP => match TcpSlice::from_slice(inner.payload) {
                Ok(tcp) => (Transport::Tcp, tcp.header_slice().len()),
                Err(_) => return without_transport,
            },
            IpNumber::UDP => match UdpSlice::from_slice(inner.payload) {
                Ok(udp) if udp.slice().len() == inner.payload.len() => {
                    (Transport::Udp, udp.header_slice().len())
                }
                _ => return without_transport,
            },
            _ => return without_transport,
        };
        let transport_at = ip.len() - inner.payload.len();
        let plain = transport_at == header;
        Layout {
            network,
            transport,
            transport_at,
            head: if plain { header + transport_header } else { header },
            plain,
        }
    }
}
