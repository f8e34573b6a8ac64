//! Packets as bytes: IPv4, TCP and UDP headers with their checksums, before a payload of zeros.

use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};
use narrows_wire::Ecn;

/// Longest payload for which IPv4 and the headers here leave room.
pub(super) const MAX_PAYLOAD: usize = 65_535 - 80;

/// Octets of a datagram before its payload: IPv4 and UDP.
pub(super) const UDP_HEADERS: usize = 20 + 8;

static ZEROS: [u8; 65_536] = [0; 65_536];

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Socket {
    pub address: [u8; 4],
    pub port: u16,
}

/// The content of a TCP segment, apart from its payload. The default is a bare acknowledgement.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    pub sequence: u32,
    pub acknowledgement: u32,
    pub syn: bool,
    pub fin: bool,
    pub ack: bool,
    /// The three ECN bits: AE (once NS), CWR and ECE.
    pub ecn_bits: [bool; 3],
    pub window: u16,
    /// The timestamp option: value and echo.
    pub stamps: (u32, u32),
    /// SACK blocks: first byte and one past the last.
    pub blocks: Vec<(u32, u32)>,
    /// The options of a SYN: maximum segment size and window scale.
    pub offer: Option<(u16, u8)>,
    pub payload: usize,
}

/// Returns the bytes of a TCP segment, from the IP header on.
pub(super) fn tcp(from: Socket, to: Socket, ecn: Ecn, segment: &Segment) -> Vec<u8> {
    let mut header = TcpHeader::new(from.port, to.port, segment.sequence, segment.window);
    header.acknowledgment_number = segment.acknowledgement;
    (header.syn, header.fin, header.ack) = (segment.syn, segment.fin, segment.ack);
    header.psh = segment.payload > 0;
    [header.ns, header.cwr, header.ece] = segment.ecn_bits;
    header.set_options(&options(segment)).expect("at most 40 bytes of options");
    let payload = &ZEROS[..segment.payload.min(MAX_PAYLOAD)];
    let ip = ip(from, to, ecn, IpNumber::TCP, header.header_len() + payload.len(), 0);
    header.checksum = header.calc_checksum_ipv4(&ip, payload).expect("a payload that fits");
    join(&ip, &header.to_bytes(), payload)
}

/// Returns the bytes of a UDP datagram, from the IP header on. Its payload begins with `number` in
/// eight bytes, the highest first, or with as many of the lowest bytes as fit. The IP
/// identification is the lowest 16 bits of `number`.
pub(super) fn udp(from: Socket, to: Socket, ecn: Ecn, payload: usize, number: u64) -> Vec<u8> {
    let mut content = vec![0; payload.min(MAX_PAYLOAD)];
    let digits = &number.to_be_bytes()[8 - content.len().min(8)..];
    content[..digits.len()].copy_from_slice(digits);
    let payload = &content[..];
    let mut header = UdpHeader::without_ipv4_checksum(from.port, to.port, payload.len())
        .expect("a payload that fits");
    let ip = ip(from, to, ecn, IpNumber::UDP, UdpHeader::LEN + payload.len(), number as u16);
    header.checksum = header.calc_checksum_ipv4(&ip, payload).expect("a payload that fits");
    join(&ip, &header.to_bytes(), payload)
}

/// Returns the options, in the order in which Linux has them.
fn options(segment: &Segment) -> Vec<TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted,
        Timestamp, WindowScale,
    };
    let stamps = Timestamp(segment.stamps.0, segment.stamps.1);
    if let Some((mss, scale)) = segment.offer {
        return vec![
            MaximumSegmentSize(mss),
            SelectiveAcknowledgementPermitted,
            stamps,
            Noop,
            WindowScale(scale),
        ];
    }
    let mut options = vec![Noop, Noop, stamps];
    if let Some((first, rest)) = segment.blocks.split_first() {
        options.extend([
            Noop,
            Noop,
            SelectiveAcknowledgement(*first, [0, 1, 2].map(|index| rest.get(index).copied())),
        ]);
    }
    options
}

/// Returns an IPv4 header that forbids fragments, so that its identification may have any value
/// (RFC 6864 section 4.1).
fn ip(
    from: Socket,
    to: Socket,
    ecn: Ecn,
    protocol: IpNumber,
    payload: usize,
    identification: u16,
) -> Ipv4Header {
    let mut ip = Ipv4Header::new(payload as u16, 64, protocol, from.address, to.address)
        .expect("a payload that fits");
    ip.dont_fragment = true;
    ip.identification = identification;
    ip.ecn = match ecn {
        Ecn::NotEct => IpEcn::NotEct,
        Ecn::Ect0 => IpEcn::Ect0,
        Ecn::Ect1 => IpEcn::Ect1,
        Ecn::Ce => IpEcn::CongestionExperienced,
    };
    ip.header_checksum = ip.calc_header_checksum();
    ip
}

fn join(ip: &Ipv4Header, header: &[u8], payload: &[u8]) -> Vec<u8> {
    [&ip.to_bytes()[..], header, payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketHeaders;

    const A: Socket = Socket { address: [10, 0, 0, 1], port: 20_000 };
    const B: Socket = Socket { address: [10, 0, 0, 2], port: 40_000 };

    #[test]
    fn a_segment_with_three_blocks_fills_the_options_and_is_read_back() {
        let blocks = vec![(3000, 4000), (5000, 6000), (u32::MAX - 10, 20)];
        let segment = Segment {
            sequence: 7,
            acknowledgement: 1000,
            ack: true,
            window: 99,
            stamps: (5, 4),
            blocks,
            ..Segment::default()
        };
        let bytes = tcp(B, A, Ecn::Ce, &segment);
        assert_eq!(bytes.len(), 20 + 20 + 12 + 4 + 3 * 8);
        let read = PacketHeaders::from_ip_slice(&bytes).unwrap();
        let header = read.transport.unwrap().tcp().unwrap();
        let blocks = TcpOptionElement::SelectiveAcknowledgement(
            (3000, 4000),
            [Some((5000, 6000)), Some((u32::MAX - 10, 20)), None],
        );
        let options: Vec<_> = header
            .options_iterator()
            .map(Result::unwrap)
            .filter(|option| *option != TcpOptionElement::Noop)
            .collect();
        assert_eq!(options, [TcpOptionElement::Timestamp(5, 4), blocks]);
        assert_eq!(
            (header.sequence_number, header.acknowledgment_number, header.window_size, header.psh),
            (7, 1000, 99, false)
        );
    }

    #[test]
    fn checksums_sum_to_all_ones_as_rfc_1071_has_it() {
        let odd = Segment { payload: 1447, ecn_bits: [true, false, true], ..Segment::default() };
        for (bytes, protocol) in
            [(tcp(A, B, Ecn::Ect1, &odd), 6u8), (udp(A, B, Ecn::NotEct, 33, 70_000), 17)]
        {
            assert_eq!(sum(&bytes[..20]), 0xffff);
            let length = (bytes.len() - 20) as u16;
            let pseudo =
                [&bytes[12..20], &[0, protocol], &length.to_be_bytes()[..], &bytes[20..]].concat();
            assert_eq!(sum(&pseudo), 0xffff);
        }
    }

    #[test]
    fn a_datagram_is_told_from_others_by_its_number() {
        let read = |payload| {
            let bytes = udp(A, B, Ecn::NotEct, payload, 0x0102_0304);
            (u16::from_be_bytes([bytes[4], bytes[5]]), bytes[UDP_HEADERS..].to_vec())
        };
        assert_eq!(read(10), (0x0304, vec![0, 0, 0, 0, 1, 2, 3, 4, 0, 0]));
        assert_eq!(read(3), (0x0304, vec![2, 3, 4]));
        assert_eq!(read(0), (0x0304, vec![]));
    }

    fn sum(bytes: &[u8]) -> u32 {
        let words = bytes
            .chunks(2)
            .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
        let total: u32 = words.sum();
        (total & 0xffff) + (total >> 16)
    }
}
