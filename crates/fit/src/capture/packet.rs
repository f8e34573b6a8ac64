//! Packets of a capture file.

use etherparse::{LaxNetSlice, LaxSlicedPacket, TcpOptionElement, TransportSlice};
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, PcapError, TsResolution};
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Sender and receiver of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// Sender.
    pub from: SocketAddr,
    /// Receiver.
    pub to: SocketAddr,
}

impl Flow {
    /// Returns the other direction.
    pub fn back(self) -> Flow {
        Flow { from: self.to, to: self.from }
    }
}

/// The header of a TCP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Sender and receiver.
    pub flow: Flow,
    /// Number of the first byte.
    pub seq: u32,
    /// Number of the next byte that the sender of this packet expects.
    pub ack: Option<u32>,
    /// Bytes of payload.
    pub payload: u32,
    /// Bytes of the headers from IP on.
    pub headers: u32,
    /// True for the first packet of a direction.
    pub is_syn: bool,
    /// The segment size of a first packet.
    pub mss: Option<u16>,
    /// True if it has timestamps.
    pub has_timestamps: bool,
    /// Ranges that arrived above `ack`.
    pub blocks: [Option<(u32, u32)>; 4],
}

/// A capture file of either form.
pub enum Source<'a> {
    /// The older form: a link type, then packets.
    Pcap(PcapReader<&'a [u8]>),
    /// The newer form, in blocks.
    PcapNg(PcapNgReader<&'a [u8]>),
}

/// A packet and its time; no packet if it is not TCP.
type Found = (Duration, Option<Packet>);

impl<'a> Source<'a> {
    /// Begins a file.
    pub fn new(bytes: &'a [u8]) -> Result<Source<'a>, String> {
        let is_ng = bytes.first() == Some(&0x0a);
        let source = match is_ng {
            true => PcapNgReader::new(bytes).map(Source::PcapNg),
            false => PcapReader::new(bytes).map(Source::Pcap),
        };
        source.map_err(|error| format!("it begins like a capture but is none: {error}"))
    }

    /// Returns the next packet; none at the end, or where the file was cut off.
    pub fn next(&mut self) -> Result<Option<Found>, String> {
        match self {
            Source::Pcap(reader) => {
                let header = reader.header();
                // The library's checked packets refuse captures with a snap length, as tcpdump -s
                // makes them.
                match reader.next_raw_packet() {
                    None => Ok(None),
                    Some(Err(error)) if is_cut(&error) => Ok(None),
                    Some(Err(error)) => Err(format!("a packet is damaged: {error}")),
                    Some(Ok(packet)) => {
                        let unit = match header.ts_resolution {
                            TsResolution::MicroSecond => Duration::from_micros(1),
                            TsResolution::NanoSecond => Duration::from_nanos(1),
                        };
                        let at = Duration::from_secs(packet.ts_sec.into()) + unit * packet.ts_frac;
                        Ok(Some((at, tcp(header.datalink, &packet.data, packet.orig_len))))
                    }
                }
            }
            Source::PcapNg(reader) => Self::next_of_blocks(reader),
        }
    }

    fn next_of_blocks(reader: &mut PcapNgReader<&'a [u8]>) -> Result<Option<Found>, String> {
        loop {
            let block = match reader.next_block() {
                None => return Ok(None),
                Some(Err(error)) if is_cut(&error) => return Ok(None),
                Some(Err(error)) => return Err(format!("a block is damaged: {error}")),
                Some(Ok(Block::EnhancedPacket(packet))) => packet.into_owned(),
                Some(Ok(_)) => continue,
            };
            let Some(interface) = reader.packet_interface(&block) else {
                return Err(
                    "a packet is of an interface that the file does not describe".to_owned()
                );
            };
            // The reader takes every time for nanoseconds; the interface says their unit.
            let ticks = block.timestamp.as_nanos();
            let unit = interface.options.iter().find_map(|option| match option {
                InterfaceDescriptionOption::IfTsResol(unit) => Some(*unit),
                _ => None,
            });
            let at = time(ticks, unit.unwrap_or(6))?;
            return Ok(Some((at, tcp(interface.linktype, &block.data, block.original_len))));
        }
    }
}

/// True if the file ends within a packet or block, as after a killed tcpdump.
fn is_cut(error: &PcapError) -> bool {
    match error {
        PcapError::IncompleteBuffer => true,
        PcapError::IoError(error) => error.kind() == ErrorKind::UnexpectedEof,
        _ => false,
    }
}

/// Returns a time in units of 10^-unit s, or of 2^-unit s if the highest bit of the unit is set
/// (pcapng, section 4.2, if_tsresol).
fn time(ticks: u128, unit: u8) -> Result<Duration, String> {
    let per_second = match unit & 0x80 {
        0 => 10u128.checked_pow(u32::from(unit)),
        _ => 1u128.checked_shl(u32::from(unit & 0x7f)),
    };
    let per_second = per_second.filter(|own| *own <= 10u128.pow(18));
    let Some(per_second) = per_second else {
        return Err(format!("an interface has times in units of 10^-{unit} s"));
    };
    let nanoseconds = ticks.saturating_mul(1_000_000_000) / per_second;
    Ok(Duration::from_nanos(nanoseconds.min(u128::from(u64::MAX)) as u64))
}

/// Returns the TCP header of a packet, if it has one whole.
fn tcp(link: DataLink, data: &[u8], original: u32) -> Option<Packet> {
    let ip = |skipped: usize| LaxSlicedPacket::from_ip(data.get(skipped..)?).ok();
    let (sliced, frame) = match link {
        DataLink::ETHERNET => (LaxSlicedPacket::from_ethernet(data).ok(), 14),
        DataLink::RAW | DataLink::IPV4 | DataLink::IPV6 => (ip(0), 0),
        DataLink::NULL | DataLink::LOOP => (ip(4), 4),
        DataLink::LINUX_SLL => (ip(16), 16),
        DataLink::LINUX_SLL2 => (ip(20), 20),
        // Raw IP by the number that some systems write.
        DataLink::Unknown(12 | 14) => (ip(0), 0),
        _ => (None, 0),
    };
    let sliced = sliced?;
    let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { return None };
    let (from, to, size): (IpAddr, IpAddr, u32) = match sliced.net.as_ref()? {
        LaxNetSlice::Ipv4(own) => {
            let header = own.header();
            let (from, to) = (header.source_addr(), header.destination_addr());
            (from.into(), to.into(), u32::from(header.total_len()))
        }
        LaxNetSlice::Ipv6(own) => {
            let header = own.header();
            let (from, to) = (header.source_addr(), header.destination_addr());
            let payload = u32::from(header.payload_length());
            (from.into(), to.into(), if payload == 0 { 0 } else { payload + 40 })
        }
        _ => return None,
    };
    // The length of a super-segment above 64 kB is 0: the capture has the true one.
    let size = if size == 0 { original.saturating_sub(frame) } else { size };
    let net = if from.is_ipv4() { 20 } else { 40 };
    let headers = net + 4 * u32::from(tcp.data_offset());
    let mut packet = Packet {
        flow: Flow {
            from: SocketAddr::new(from, tcp.source_port()),
            to: SocketAddr::new(to, tcp.destination_port()),
        },
        seq: tcp.sequence_number(),
        ack: tcp.ack().then(|| tcp.acknowledgment_number()),
        payload: size.saturating_sub(headers),
        headers,
        is_syn: tcp.syn(),
        mss: None,
        has_timestamps: false,
        blocks: [None; 4],
    };
    for option in tcp.options_iterator().flatten() {
        match option {
            TcpOptionElement::MaximumSegmentSize(mss) => packet.mss = Some(mss),
            TcpOptionElement::Timestamp(..) => packet.has_timestamps = true,
            TcpOptionElement::SelectiveAcknowledgement(first, [second, third, fourth]) => {
                packet.blocks = [Some(first), second, third, fourth];
            }
            _ => {}
        }
    }
    Some(packet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_of_the_first_bytes_of_packets_is_read() {
        let mut frame = Vec::new();
        etherparse::PacketBuilder::ethernet2([1; 6], [2; 6])
            .ipv4([192, 0, 2, 1], [192, 0, 2, 2], 64)
            .tcp(40000, 5201, 7, 1000)
            .write(&mut frame, &[0; 1448])
            .expect("a frame");
        let kept = &frame[..128];
        let mut file = Vec::new();
        for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 128, 1, 3, 250_000, 128, frame.len() as u32] {
            file.extend_from_slice(&u32::to_le_bytes(word));
        }
        file.extend_from_slice(kept);
        let mut source = Source::new(&file).expect("a capture");
        let (at, packet) = source.next().expect("a packet").expect("one");
        assert_eq!(at, Duration::from_millis(3250));
        assert_eq!(packet.map(|own| (own.seq, own.payload)), Some((7, 1448)));
        assert_eq!(source.next(), Ok(None));

        // A file that ends within its second packet.
        let whole = file.clone();
        file.extend_from_slice(&whole[24..80]);
        let mut cut = Source::new(&file).expect("a capture");
        assert!(cut.next().expect("a packet").is_some());
        assert_eq!(cut.next(), Ok(None));
    }

    #[test]
    fn units_of_time_are_those_of_the_format() {
        assert_eq!(time(1_500_000, 6), Ok(Duration::from_micros(1_500_000)));
        assert_eq!(time(1_500_000, 9), Ok(Duration::from_nanos(1_500_000)));
        // 2^-10 s.
        assert_eq!(time(1536, 0x80 | 10), Ok(Duration::from_millis(1500)));
        assert!(time(1, 100).is_err());
    }
}
