use super::*;

#[test]
fn the_header_of_a_super_segment_is_ten_bytes_in_host_order() {
    let words =
        |words: [u16; 4]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
    let bytes: [u8; 10] = [vec![1, 0x81], words([66, 1448, 20, 16])].concat().try_into().unwrap();
    let header = VirtioHeader::from_bytes(&bytes);
    let expected = VirtioHeader {
        needs_csum: true,
        gso: Gso::TcpV4,
        ecn: true,
        hdr_len: 66,
        gso_size: 1448,
        csum_start: 20,
        csum_offset: 16,
        ..VirtioHeader::default()
    };
    assert_eq!(header, expected);
    assert_eq!(header.to_bytes(), bytes);
}

#[test]
fn every_kind_of_super_segment_is_read_and_written() {
    for bits in 0..=255u8 {
        let bytes = [2, bits, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(VirtioHeader::from_bytes(&bytes).to_bytes(), bytes);
    }
    let kind = |bits| VirtioHeader::from_bytes(&[0, bits, 0, 0, 0, 0, 0, 0, 0, 0]).gso;
    assert_eq!(
        [0, 1, 4, 3, 5, 0x21].map(kind),
        [Gso::None, Gso::TcpV4, Gso::TcpV6, Gso::Udp, Gso::UdpL4, Gso::Unknown(0x21)]
    );
    assert!(VirtioHeader::from_bytes(&[0, 0x14, 0, 0, 0, 0, 0, 0, 0, 0]).accurate_ecn);
}
