use super::*;

#[test]
fn endpoints_tell_directions_apart() {
    let ends = |v6| Sample { v6, ..Sample::default() }.frame(&mut Pool::new()).endpoints().unwrap();
    let v4 = Endpoints {
        source: "10.0.0.1".parse().unwrap(),
        destination: "10.0.0.2".parse().unwrap(),
        protocol: 6,
        source_port: 4000,
        destination_port: 5000,
    };
    assert_eq!(ends(false), v4);
    let v6 = Endpoints {
        source: "fd00::1".parse().unwrap(),
        destination: "fd00::2".parse().unwrap(),
        ..v4
    };
    assert_eq!(ends(true), v6);
    assert_ne!(v4.reversed(), v4);
    assert_eq!(v4.reversed().reversed(), v4);
}

#[test]
fn an_acknowledgement_shows_its_numbers_stamps_and_blocks() {
    use etherparse::TcpOptionElement::{Noop, SelectiveAcknowledgement, Timestamp};
    let mut tcp = TcpHeader::new(1, 2, 10, 300);
    (tcp.acknowledgment_number, tcp.ack, tcp.ece, tcp.ns) = (20, true, true, true);
    let blocks = SelectiveAcknowledgement((30, 40), [Some((50, 60)), None, None]);
    tcp.set_options(&[Noop, Noop, Timestamp(7, 8), Noop, Noop, blocks]).unwrap();
    let ip = Ipv4Header::new(tcp.header_len_u16(), 64, IpNumber::TCP, [1; 4], [2; 4]).unwrap();
    let frame = frame(
        &mut Pool::new(),
        VirtioHeader::default(),
        &[&ip.to_bytes()[..], &tcp.to_bytes()].concat(),
    );
    let packet = frame.packets(0).next().unwrap();
    let tcp = packet.tcp().unwrap();
    assert_eq!((tcp.sequence, tcp.acknowledgement, tcp.window, tcp.payload), (10, 20, 300, 0));
    assert_eq!(tcp.flags, TcpFlags::ACK | TcpFlags::ECE | TcpFlags::AE);
    assert_eq!(tcp.timestamps(), Some((7, 8)));
    assert_eq!(tcp.sack_blocks().collect::<Vec<_>>(), [(30, 40), (50, 60)]);
}

#[test]
fn what_is_no_tcp_has_no_tcp_header_and_a_fragment_no_ports() {
    let (virtio, mut ip) = Sample::default().bytes();
    ip[6] = 0x20;
    let fragment = frame(&mut Pool::new(), virtio, &ip);
    assert_eq!(fragment.endpoints().map(|ends| (ends.protocol, ends.source_port)), Some((6, 0)));
    assert!(fragment.packets(0).next().unwrap().tcp().is_none());
    let nonsense = frame(&mut Pool::new(), virtio, &[0x55; 30]);
    assert_eq!((nonsense.endpoints(), nonsense.packets(0).len()), (None, 1));
}

#[test]
fn buffers_return_when_the_last_packet_is_gone_and_are_used_again() {
    let mut pool = Pool::new();
    for size in [0, 1000, 3000, 6000, 12_000, 60_000] {
        for _ in 0..3 {
            let packets: Vec<WirePacket> =
                Sample { payload: size, ..Sample::default() }.frame(&mut pool).packets(0).collect();
            let waiting = pool.waiting();
            let (last, rest) =
                packets.split_last().map(|(last, rest)| (last.clone(), rest.len())).unwrap();
            drop(packets);
            assert_eq!(pool.waiting(), waiting, "{rest} packets gone, one left");
            drop(last);
            assert_eq!(pool.waiting(), waiting + 1);
        }
    }
    assert_eq!(pool.waiting(), 5, "one buffer of each size");
    let frame = Sample::default().frame(&mut pool);
    drop(pool);
    assert_eq!(frame.packets(0).len(), 1, "a frame outlives its pool");
}

#[test]
fn a_packet_is_small() {
    assert_eq!(size_of::<WirePacket>(), 24);
}
