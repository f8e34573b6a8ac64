//! The header before each packet of a TUN device with `IFF_VNET_HDR` (linux/virtio_net.h, `struct
//! virtio_net_hdr`).

const NEEDS_CSUM: u8 = 1;
const DATA_VALID: u8 = 2;

/// `VIRTIO_NET_HDR_GSO_ECN`.
const ECN: u8 = 0x80;
/// `VIRTIO_NET_HDR_GSO_ACCECN`, in kernels after 6.18. Earlier kernels split such segments before
/// the device gets them.
const ACCURATE_ECN: u8 = 0x10;

/// The kind of a super-segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gso {
    /// An ordinary packet.
    #[default]
    None,
    /// TCP over IPv4.
    TcpV4,
    /// TCP over IPv6.
    TcpV6,
    /// A UDP datagram to be fragmented by IP (UFO).
    Udp,
    /// UDP datagrams of equal size, the last one shorter (USO).
    UdpL4,
    /// A kind that this version does not know; it is passed on unchanged.
    Unknown(u8),
}

impl Gso {
    fn from_bits(bits: u8) -> Gso {
        match bits {
            0 => Gso::None,
            1 => Gso::TcpV4,
            4 => Gso::TcpV6,
            3 => Gso::Udp,
            5 => Gso::UdpL4,
            other => Gso::Unknown(other),
        }
    }

    fn bits(self) -> u8 {
        match self {
            Gso::None => 0,
            Gso::TcpV4 => 1,
            Gso::TcpV6 => 4,
            Gso::Udp => 3,
            Gso::UdpL4 => 5,
            Gso::Unknown(bits) => bits,
        }
    }
}

/// The header of a packet between the kernel and the device: 10 bytes in host byte order (the
/// legacy form).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VirtioHeader {
    /// True if the transport checksum is incomplete: its field holds the sum of the pseudo-header
    /// only.
    pub needs_csum: bool,
    /// True if the checksum has been verified already.
    pub data_valid: bool,
    /// Kind of the super-segment.
    pub gso: Gso,
    /// True for a super-segment with the CWR flag of classic ECN, which belongs to its first packet
    /// only (RFC 3168 section 6.1.2).
    pub ecn: bool,
    /// True for a super-segment of a connection with accurate ECN, in which CWR is part of a
    /// counter and belongs to every packet (RFC 9768 section 3.2.2).
    pub accurate_ecn: bool,
    /// Length of the headers that the kernel should keep together; a hint.
    pub hdr_len: u16,
    /// Payload of each packet of a super-segment except the last, which may have less.
    pub gso_size: u16,
    /// Offset of the transport header, from which the checksum is computed.
    pub csum_start: u16,
    /// Offset of the checksum field from `csum_start`.
    pub csum_offset: u16,
}

impl VirtioHeader {
    /// Length in bytes.
    pub const LEN: usize = 10;

    /// Reads a header.
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> VirtioHeader {
        let word = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        VirtioHeader {
            needs_csum: bytes[0] & NEEDS_CSUM != 0,
            data_valid: bytes[0] & DATA_VALID != 0,
            gso: Gso::from_bits(bytes[1] & !(ECN | ACCURATE_ECN)),
            ecn: bytes[1] & ECN != 0,
            accurate_ecn: bytes[1] & ACCURATE_ECN != 0,
            hdr_len: word(2),
            gso_size: word(4),
            csum_start: word(6),
            csum_offset: word(8),
        }
    }

    /// Returns the bytes of the header.
    pub fn to_bytes(self) -> [u8; Self::LEN] {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = flag(self.needs_csum, NEEDS_CSUM) | flag(self.data_valid, DATA_VALID);
        let gso = self.gso.bits() | flag(self.ecn, ECN) | flag(self.accurate_ecn, ACCURATE_ECN);
        let mut bytes = [flags, gso, 0, 0, 0, 0, 0, 0, 0, 0];
        for (at, word) in
            [(2, self.hdr_len), (4, self.gso_size), (6, self.csum_start), (8, self.csum_offset)]
        {
            bytes[at..at + 2].copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}
