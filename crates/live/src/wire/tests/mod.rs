//! Packets made by etherparse, an independent implementation, with the expected results.

mod ecn;
mod merge;
mod random;
mod split;
mod view;
mod virtio;

use super::*;
use etherparse::{
    IpHeaders, IpNumber, IpSlice, Ipv4Header, Ipv6FlowLabel, Ipv6Header, TcpHeader, TcpSlice,
    UdpHeader,
};
use proptest::prelude::*;
use std::convert::Infallible;

/// A TCP packet or super-segment for a test.
#[derive(Clone, Debug)]
struct Sample {
    v6: bool,
    /// Bytes of IPv4 options: a multiple of 4.
    ip_options: usize,
    /// Bytes of TCP options, all NOP: a multiple of 4.
    tcp_options: usize,
    identification: u16,
    sequence: u32,
    /// Bits of FIN, SYN ... CWR, as in the header.
    flags: u8,
    traffic_class: u8,
    payload: usize,
    gso_size: u16,
    virtio: VirtioHeader,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample {
            v6: false,
            ip_options: 0,
            tcp_options: 12,
            identification: 100,
            sequence: 1000,
            flags: 0x10,
            traffic_class: 2,
            payload: 1000,
            gso_size: 1000,
            virtio: VirtioHeader::default(),
        }
    }
}

impl Sample {
    fn ip(&self, length: usize) -> IpHeaders {
        if self.v6 {
            let header = Ipv6Header {
                traffic_class: self.traffic_class,
                flow_label: Ipv6FlowLabel::try_new(0x54321).unwrap(),
                payload_length: length as u16,
                next_header: IpNumber::TCP,
                hop_limit: 64,
                source: [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
                destination: [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
            };
            IpHeaders::Ipv6(header, Default::default())
        } else {
            let mut header =
                Ipv4Header::new(0, 64, IpNumber::TCP, [10, 0, 0, 1], [10, 0, 0, 2]).unwrap();
            header.options = vec![1u8; self.ip_options].as_slice().try_into().unwrap();
            header.set_payload_len(length).unwrap();
            header.identification = self.identification;
            header.dscp = (self.traffic_class >> 2).try_into().unwrap();
            header.ecn = (self.traffic_class & 3).try_into().unwrap();
            header.header_checksum = header.calc_header_checksum();
            IpHeaders::Ipv4(header, Default::default())
        }
    }

    /// Returns the length of all headers.
    fn head(&self) -> usize {
        if self.v6 { 60 + self.tcp_options } else { 40 + self.ip_options + self.tcp_options }
    }

    /// Returns the bytes that the kernel passes to a device that completes checksums, and splits
    /// payloads larger than `gso_size`.
    fn bytes(&self) -> (VirtioHeader, Vec<u8>) {
        let mut tcp = TcpHeader::new(4000, 5000, self.sequence, 500);
        tcp.acknowledgment_number = 77;
        tcp.set_options_raw(&vec![1; self.tcp_options]).unwrap();
        let mut transport = tcp.to_bytes().to_vec();
        transport[13] = self.flags;
        let ip = self.ip(transport.len() + self.payload);
        let mut bytes = Vec::new();
        ip.write(&mut bytes).unwrap();
        let start = bytes.len();
        let addresses = if self.v6 { 8..40 } else { 12..20 };
        let pseudo =
            [&bytes[addresses], &[0, 6], &((transport.len() + self.payload) as u16).to_be_bytes()]
                .concat();
        transport[16..18].copy_from_slice(&(sum(&pseudo) as u16).to_be_bytes());
        bytes.extend_from_slice(&transport);
        bytes.extend((0..self.payload).map(|at| (at * 7 + at / 256) as u8));
        let mut virtio = VirtioHeader {
            needs_csum: true,
            csum_start: start as u16,
            csum_offset: 16,
            ..self.virtio
        };
        if self.payload > usize::from(self.gso_size) {
            virtio.gso = if self.v6 { Gso::TcpV6 } else { Gso::TcpV4 };
            (virtio.gso_size, virtio.hdr_len) = (self.gso_size, self.head() as u16);
        }
        (virtio, bytes)
    }

    fn frame(&self, pool: &mut Pool) -> Frame {
        let (virtio, ip) = self.bytes();
        frame(pool, virtio, &ip)
    }
}

/// Generates any super-segment that the kernel could make, and ordinary packets.
fn any_sample() -> impl Strategy<Value = Sample> {
    let ip = (any::<bool>(), 0usize..=10, any::<u8>(), any::<u16>());
    let tcp = (0usize..=10, any::<u32>(), any::<u8>());
    (ip, tcp, 0usize..65_000, 1u16..2000, any::<bool>()).prop_map(
        |(ip, tcp, payload, gso_size, accurate_ecn)| {
            let (v6, ip_options, traffic_class, identification) = ip;
            let (tcp_options, sequence, flags) = tcp;
            let virtio = VirtioHeader { accurate_ecn, ..VirtioHeader::default() };
            let (ip_options, tcp_options) = (if v6 { 0 } else { ip_options * 4 }, tcp_options * 4);
            let mut sample = Sample {
                v6,
                ip_options,
                tcp_options,
                identification,
                sequence,
                flags,
                traffic_class,
                payload,
                gso_size,
                virtio,
            };
            sample.payload = payload.min(65_535 - sample.head());
            sample
        },
    )
}

fn frame(pool: &mut Pool, virtio: VirtioHeader, ip: &[u8]) -> Frame {
    let filled = pool.fill(|buffer| {
        buffer[..10].copy_from_slice(&virtio.to_bytes());
        buffer[10..10 + ip.len()].copy_from_slice(ip);
        Ok::<_, Infallible>(10 + ip.len())
    });
    filled.unwrap_or_else(|never| match never {})
}

/// Returns the parts of a write: its virtio header and the bytes from the IP header on.
fn written(write: &Write) -> (VirtioHeader, Vec<u8>) {
    let bytes = write
        .pieces(|pieces| pieces.iter().flat_map(|piece| piece.to_vec()).collect::<Vec<u8>>())
        .expect("something to write");
    (VirtioHeader::from_bytes(bytes.first_chunk().unwrap()), bytes[10..].to_vec())
}

/// Returns the packet on a wire, with complete checksums.
fn wire(packet: &WirePacket) -> Vec<u8> {
    let head = packet.head();
    let mut bytes = [head.ip(), packet.payload()].concat();
    let virtio = head.virtio();
    if virtio.needs_csum {
        checksum::complete(&mut bytes, virtio.csum_start, virtio.csum_offset);
    }
    bytes
}

/// Returns the folded sum of 16-bit words (RFC 1071).
fn sum(bytes: &[u8]) -> u32 {
    let words =
        bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
    let mut total: u32 = words.sum();
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total
}

/// Checks the checksums of IP and TCP or UDP against those of etherparse.
fn assert_checksums(ip: &[u8]) {
    let same = |read: u16, right: u16| {
        assert!(
            read == right || (read, right) == (0xffff, 0),
            "checksum {read:#x} is not {right:#x}"
        )
    };
    let slice = IpSlice::from_slice(ip).expect("an IP packet");
    if let IpSlice::Ipv4(v4) = &slice {
        assert_eq!(v4.header().header_checksum(), v4.header().to_header().calc_header_checksum());
    }
    let payload = slice.payload();
    match (&slice, payload.ip_number) {
        (IpSlice::Ipv4(v4), IpNumber::TCP) => {
            let tcp = TcpSlice::from_slice(payload.payload).unwrap();
            same(
                tcp.checksum(),
                tcp.calc_checksum_ipv4(v4.header().source(), v4.header().destination()).unwrap(),
            );
        }
        (IpSlice::Ipv6(v6), IpNumber::TCP) => {
            let tcp = TcpSlice::from_slice(payload.payload).unwrap();
            same(
                tcp.checksum(),
                tcp.calc_checksum_ipv6(v6.header().source(), v6.header().destination()).unwrap(),
            );
        }
        (IpSlice::Ipv4(v4), IpNumber::UDP) => {
            let (udp, data) = UdpHeader::from_slice(payload.payload).unwrap();
            same(udp.checksum, udp.calc_checksum_ipv4(&v4.header().to_header(), data).unwrap());
        }
        other => panic!("{other:?}"),
    }
}
