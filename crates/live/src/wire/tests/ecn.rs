use super::*;
use narrows_path::Packet;
use narrows_wire::Ecn;

proptest! {
    #[test]
    fn a_code_point_is_rewritten_and_nothing_else(sample in any_sample(), index in any::<prop::sample::Index>(), offloaded in any::<bool>()) {
        let (mut virtio, mut ip) = sample.bytes();
        if !offloaded && virtio.gso == Gso::None {
            complete(&mut ip, virtio.csum_start, virtio.csum_offset);
            virtio.needs_csum = false;
        }
        let frame = frame(&mut Pool::new(), virtio, &ip);
        let packets: Vec<WirePacket> = frame.packets(0).collect();
        let mut packet = index.get(&packets).clone();
        prop_assert_eq!(packet.ecn() as u8, sample.traffic_class & 3);
        let before = wire(&packet);
        for ecn in [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
            packet.set_ecn(ecn);
            let after = wire(&packet);
            prop_assert_eq!(packet.ecn(), ecn);
            assert_checksums(&after);
            let slice = IpSlice::from_slice(&after).unwrap();
            let class = match &slice {
                IpSlice::Ipv4(v4) => v4.header().dcp().value() << 2 | v4.header().ecn().value(),
                IpSlice::Ipv6(v6) => v6.header().traffic_class(),
            };
            prop_assert_eq!(class, sample.traffic_class & !3 | ecn as u8);
            let changed = before.iter().zip(&after).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert!(changed.iter().all(|at| *at == 1 || !sample.v6 && (10..12).contains(at)), "{:?}", changed);
        }
    }
}

#[test]
fn a_header_checksum_that_is_wrong_stays_wrong() {
    let (virtio, mut ip) = Sample::default().bytes();
    ip[11] ^= 1;
    let mut packet = frame(&mut Pool::new(), virtio, &ip).packets(0).next().unwrap();
    packet.set_ecn(Ecn::Ce);
    let after = wire(&packet);
    assert_ne!(sum(&after[..20]), 0xffff);
}

/// RFC 1624 section 4: the example in which the equation of RFC 1141 fails.
#[test]
fn the_update_of_a_checksum_agrees_with_rfc_1624() {
    assert_eq!(super::super::checksum::replaced(0xdd2f, 0x5555, 0x3285), 0x0000);
}
