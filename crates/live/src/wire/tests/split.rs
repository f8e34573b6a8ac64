use super::*;
use narrows_path::Packet;

#[test]
fn a_super_segment_of_three_is_numbered_as_the_kernel_numbers() {
    let mut pool = Pool::new();
    // ACK, PSH, FIN, CWR.
    let sample = Sample {
        payload: 2500,
        identification: u16::MAX,
        sequence: u32::MAX - 999,
        flags: 0x99,
        ..Sample::default()
    };
    let frame = sample.frame(&mut pool);
    let packets: Vec<WirePacket> = frame.packets(9).collect();
    assert_eq!(
        packets.iter().map(|packet| packet.size().get()).collect::<Vec<_>>(),
        [1052, 1052, 552]
    );
    let read: Vec<_> = packets.iter().map(wire).collect();
    let field = |at: usize, length: usize| {
        read.iter().map(|ip| u32::from_be_bytes(widened(&ip[at..at + length]))).collect::<Vec<_>>()
    };
    assert_eq!(field(2, 2), [1052, 1052, 552], "total length");
    assert_eq!(field(4, 2), [0xffff, 0, 1], "identification");
    assert_eq!(field(24, 4), [u32::MAX - 999, 0, 1000], "sequence number");
    assert_eq!(
        field(33, 1),
        [0x90, 0x10, 0x19],
        "CWR on the first only, PSH and FIN on the last only"
    );
    assert_eq!(packets[0].flow(), 9);
}

fn widened(bytes: &[u8]) -> [u8; 4] {
    let mut word = [0; 4];
    word[4 - bytes.len()..].copy_from_slice(bytes);
    word
}

#[test]
fn accurate_ecn_keeps_cwr_on_every_packet() {
    let virtio = VirtioHeader { accurate_ecn: true, ..VirtioHeader::default() };
    let frame =
        Sample { payload: 2500, flags: 0x90, virtio, ..Sample::default() }.frame(&mut Pool::new());
    assert!(frame.packets(0).all(|packet| packet.tcp().unwrap().flags.any(TcpFlags::CWR)));
}

#[test]
fn an_extension_header_leaves_a_super_segment_whole() {
    let sample = Sample { v6: true, payload: 3000, ..Sample::default() };
    let (mut virtio, mut ip) = sample.bytes();
    // A hop-by-hop header of padding before TCP.
    ip.splice(40..40, [6, 0, 1, 4, 0, 0, 0, 0]);
    ip[6] = 0;
    let length = (ip.len() - 40) as u16;
    ip[4..6].copy_from_slice(&length.to_be_bytes());
    virtio.csum_start += 8;
    let frame = frame(&mut Pool::new(), virtio, &ip);
    let packets: Vec<WirePacket> = frame.packets(0).collect();
    assert_eq!((packets.len(), packets[0].size().get()), (1, ip.len() as u64));
    assert_eq!(packets[0].tcp().map(|tcp| (tcp.sequence, tcp.payload)), Some((1000, 3000)));
    assert_eq!(frame.endpoints().map(|ends| (ends.protocol, ends.source_port)), Some((6, 4000)));
}

#[test]
fn datagrams_of_a_super_segment_have_their_own_lengths_and_checksums() {
    let payload: Vec<u8> = (0..250).collect();
    let udp = UdpHeader { source_port: 1, destination_port: 2, length: 258, checksum: 0 };
    let mut header = Ipv4Header::new(258, 64, IpNumber::UDP, [10, 0, 0, 1], [10, 0, 0, 2]).unwrap();
    (header.identification, header.header_checksum) = (7, 1);
    let mut ip = [&header.to_bytes()[..], &udp.to_bytes(), &payload].concat();
    let virtio = VirtioHeader {
        needs_csum: true,
        gso: Gso::UdpL4,
        gso_size: 100,
        csum_start: 20,
        csum_offset: 6,
        ..VirtioHeader::default()
    };
    let split = |ip: &[u8], virtio| {
        frame(&mut Pool::new(), virtio, ip)
            .packets(0)
            .map(|packet| wire(&packet))
            .collect::<Vec<_>>()
    };
    let datagrams = split(&ip, virtio);
    for (index, (datagram, length)) in datagrams.iter().zip([100, 100, 50]).enumerate() {
        assert_checksums(datagram);
        assert_eq!((datagram.len(), usize::from(datagram[25])), (28 + length, 8 + length));
        assert_eq!(usize::from(datagram[5]), 7 + index, "identification");
        assert_eq!(datagram[28..], payload[index * 100..][..length]);
    }
    assert_eq!(datagrams.len(), 3);
    assert_eq!(
        split(&ip, VirtioHeader { needs_csum: false, ..virtio }).len(),
        1,
        "the kernel refuses to split it without"
    );
    ip[25] -= 1;
    assert_eq!(split(&ip, virtio).len(), 1, "a length that is not the packet's");
    ip[25] += 1;
    ip[6] = 0x20;
    assert_eq!(split(&ip, virtio).len(), 1, "a fragment");
}

proptest! {
    #[test]
    fn packets_of_any_super_segment_are_valid_and_carry_its_payload(sample in any_sample()) {
        let (virtio, ip) = sample.bytes();
        let frame = frame(&mut Pool::new(), virtio, &ip);
        let count = sample.payload.div_ceil(usize::from(sample.gso_size)).max(1);
        prop_assert_eq!(frame.packets(0).len(), count);
        let mut payload = Vec::new();
        for (index, packet) in frame.packets(0).enumerate() {
            let bytes = wire(&packet);
            prop_assert_eq!(packet.size().get(), bytes.len() as u64);
            assert_checksums(&bytes);
            let slice = IpSlice::from_slice(&bytes).unwrap();
            prop_assert_eq!(slice.payload().payload.len() + sample.head() - 20 - sample.tcp_options, bytes.len(), "IP length");
            let tcp = TcpSlice::from_slice(slice.payload().payload).unwrap();
            prop_assert_eq!(tcp.sequence_number(), sample.sequence.wrapping_add(payload.len() as u32));
            prop_assert_eq!((tcp.acknowledgment_number(), tcp.window_size(), tcp.options().len()), (77, 500, sample.tcp_options));
            let last = index + 1 == count;
            prop_assert_eq!((tcp.fin(), tcp.psh()), (last && sample.flags & 1 != 0, last && sample.flags & 8 != 0));
            prop_assert_eq!(tcp.cwr(), sample.flags & 0x80 != 0 && (index == 0 || sample.virtio.accurate_ecn));
            if let IpSlice::Ipv4(v4) = &slice {
                prop_assert_eq!(v4.header().identification(), sample.identification.wrapping_add(index as u16));
            }
            payload.extend_from_slice(tcp.payload());
        }
        prop_assert_eq!(&payload[..], &ip[sample.head()..]);
    }
}
