//! TLV encoding, with octets computed by hand.

use narrows_ndn::tlv::*;
use proptest::prelude::*;

#[test]
fn numbers_take_their_shortest_form_and_no_other_is_read() {
    let cases: [(u64, &[u8]); 8] = [
        (1, &[1]),
        (252, &[252]),
        (253, &[253, 0, 253]),
        (0xFFFF, &[253, 255, 255]),
        (0x1_0000, &[254, 0, 1, 0, 0]),
        (0xFFFF_FFFF, &[254, 255, 255, 255, 255]),
        (0x1_0000_0000, &[255, 0, 0, 0, 1, 0, 0, 0, 0]),
        (u64::MAX, &[255; 9]),
    ];
    for (value, octets) in cases {
        assert_eq!(read_var_number(octets), Ok((value, octets.len())));
        assert_eq!(var_number_size(value), octets.len());
        for short in 0..octets.len() {
            assert_eq!(read_var_number(&octets[..short]), Err(Fault::Truncated));
        }
    }
    for octets in
        [&[253, 0, 252][..], &[254, 0, 0, 255, 255], &[255, 0, 0, 0, 0, 255, 255, 255, 255]]
    {
        assert_eq!(read_var_number(octets), Err(Fault::NotShortest));
    }
}

#[test]
fn a_number_in_a_value_has_1_2_4_or_8_octets() {
    for (value, octets) in [
        (0, &[7, 1, 0][..]),
        (255, &[7, 1, 255]),
        (256, &[7, 2, 1, 0]),
        (0x1_0000, &[7, 4, 0, 1, 0, 0]),
    ] {
        let mut out = Vec::new();
        put_nni(&mut out, 7, value);
        assert_eq!(out, octets);
        assert_eq!(Element::only(octets).expect("an element").nni(), Ok(value));
    }
    let mut out = Vec::new();
    put_nni(&mut out, 7, 1 << 32);
    assert_eq!(out, [7, 8, 0, 0, 0, 1, 0, 0, 0, 0]);
    out.clear();
    put_wide(&mut out, 900, 10_000_000);
    assert_eq!(out, [0xFD, 0x03, 0x84, 8, 0, 0, 0, 0, 0, 0x98, 0x96, 0x80]);
    for length in [0, 3, 5, 7, 9] {
        let wire = [&[7, length][..], &vec![0; usize::from(length)]].concat();
        assert_eq!(
            Element::only(&wire).expect("an element").nni(),
            Err(DecodeError { offset: 0, number: 7, fault: Fault::WrongLength })
        );
    }
}

#[test]
fn faults_name_their_place_and_type() {
    let fault = |octets: &[u8]| Element::only(octets).expect_err("a fault");
    assert_eq!(fault(&[]), DecodeError { offset: 0, number: 0, fault: Fault::Truncated });
    assert_eq!(fault(&[0, 0]), DecodeError { offset: 0, number: 0, fault: Fault::TypeOutOfRange });
    assert_eq!(
        fault(&[255, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
        DecodeError { offset: 0, number: 0, fault: Fault::TypeOutOfRange }
    );
    assert_eq!(fault(&[9, 5, 1]), DecodeError { offset: 0, number: 9, fault: Fault::Truncated });
    assert_eq!(fault(&[9, 255, 255, 255, 255, 255, 255, 255, 255, 255]).fault, Fault::Truncated);
    assert_eq!(fault(&[9, 1, 1, 0]), DecodeError { offset: 3, number: 9, fault: Fault::Trailing });
    let elements: Vec<_> = Reader::new(&[8, 1, 97, 8, 9, 98]).collect();
    assert_eq!(elements.len(), 2);
    assert_eq!(elements[1], Err(DecodeError { offset: 3, number: 8, fault: Fault::Truncated }));
    assert_eq!(
        elements[1].unwrap_err().to_string(),
        "octet 3, type 8: the octets end before the element does"
    );
}

#[test]
fn a_stream_tells_how_long_its_next_packet_is() {
    assert_eq!(frame_length(&[], MAX_PACKET), Ok(None));
    assert_eq!(frame_length(&[6], MAX_PACKET), Ok(None));
    assert_eq!(frame_length(&[6, 253, 1], MAX_PACKET), Ok(None));
    assert_eq!(frame_length(&[6, 253, 1, 0], MAX_PACKET), Ok(Some(260)));
    assert_eq!(frame_length(&[6, 2, 1, 2, 6, 6], MAX_PACKET), Ok(Some(4)));
    assert_eq!(frame_length(&[6, 253, 0x22, 0x5C], MAX_PACKET), Ok(Some(8800)));
    assert_eq!(
        frame_length(&[6, 253, 0x22, 0x5D], MAX_PACKET).expect_err("too long").fault,
        Fault::WrongLength
    );
    assert_eq!(
        frame_length(&[253, 0, 6, 0], MAX_PACKET).expect_err("no shortest form").fault,
        Fault::NotShortest
    );
    assert_eq!(
        frame_length(&[0, 0], MAX_PACKET).expect_err("no type").fault,
        Fault::TypeOutOfRange
    );
}

proptest! {
    #[test]
    fn a_nested_element_has_the_length_of_what_is_written_in_it(length in prop_oneof![0usize..600, 65_500usize..65_600], room in 0usize..66_000) {
        let body = vec![7; length];
        let mut out = vec![1, 2];
        put_nested(&mut out, 100, |out| out.put(&body));
        let mut plain = vec![1, 2];
        put_element(&mut plain, 100, &body);
        prop_assert_eq!(&out, &plain);

        let mut slice = vec![0; room];
        let mut fixed = Fixed::new(&mut slice);
        fixed.put(&[1, 2]);
        put_nested(&mut fixed, 100, |out| out.put(&body));
        match fixed.finish() {
            Ok(written) => prop_assert_eq!(&*written, &plain[..]),
            Err(error) => {
                prop_assert!(room < plain.len());
                prop_assert_eq!(error, TooSmall { needed: plain.len(), room });
            }
        }
    }
}
