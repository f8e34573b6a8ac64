//! LpPackets.

use crate::captured::{METADATA, NDNTS_REGISTER, octets};
use narrows_ndn::lp::*;
use narrows_ndn::tlv::{DecodeError, Fault};
use narrows_ndn::{Data, Interest, number};
use narrows_units::{Rate, Span};
use narrows_wire::Rates;

/// An Interest for /a with a nonce.
const INTEREST: &str = "050b07030801610a0401020304";

fn all() -> Header<'static> {
    let mut path_label = PathLabel::new(LabelFlags::Strict);
    assert!(path_label.labels.push(0xABC));
    Header {
        sequence: Some(7),
        frag_index: Some(0),
        frag_count: Some(1),
        pit_token: PitToken::new(&[1, 2, 3, 4, 5, 6]),
        nack: Some(NackReason::Congestion),
        incoming_face: Some(254),
        next_hop_face: Some(256),
        cache_policy: Some(NO_CACHE),
        congestion_mark: Some(1),
        non_discovery: true,
        prefix_announcement: Some(&[6, 0]),
        mircc: Mircc {
            primary_bps: Some(10_000_000),
            secondary_bps: Some(5),
            class: Some(1),
            round_trip_us: Some(20_000),
            path_id: Some(0x0102_0304_0506_0708),
            path_label: Some(path_label),
            limit: Some(0x1112_1314_1516_1718),
        },
    }
}

#[test]
fn all_fields_stand_in_the_order_of_their_types() {
    let fields = [
        "51080000000000000007",
        "520100",
        "530101",
        "6206010203040506",
        "fd032005fd03210132",
        "fd032c01fe",
        "fd0330020100",
        "fd033405fd03350101",
        "fd03400101",
        "fd034c00",
        "fd0350020600",
        "fd0384080000000000989680",
        "fd0388080000000000000005",
        "fd038c0101",
        "fd0390080000000000004e20",
        "fd0394080102030405060708",
        "fd03980a0b01020f01010d02abc0",
        "fd039c081112131415161718",
        "500d",
        INTEREST,
    ]
    .concat();
    let wire = octets(&format!("64{:02x}{fields}", fields.len() / 2));
    let mut out = Vec::new();
    all().write_packet(Some(&octets(INTEREST)), &mut out);
    assert_eq!(out, wire);
    let packet = LpPacket::decode(&wire).expect("a packet");
    assert_eq!(packet.header, all());
    assert_eq!(packet.fragment, Some(&octets(INTEREST)[..]));
    assert_eq!(&wire[packet.fragment_range().expect("a fragment")], octets(INTEREST));
    assert!(!packet.is_fragment() && packet.header.is_marked() && packet.header.mircc.any());
}

#[test]
fn a_packet_without_fields_is_bare_and_one_without_fragment_idle() {
    let interest = octets(INTEREST);
    let mut out = Vec::new();
    Header::default().write_packet(Some(&interest), &mut out);
    assert_eq!(out, interest);
    let bare = LpPacket::decode(&interest).expect("a packet");
    assert_eq!(
        (bare.fragment, bare.fragment_range(), bare.header),
        (Some(&interest[..]), Some(0..13), Header::default())
    );
    let idle = octets("6400");
    assert_eq!(LpPacket::decode(&idle).expect("a packet").fragment, None);
    let hello = octets("6405fd038c0100");
    let packet = LpPacket::decode(&hello).expect("a packet");
    assert_eq!((packet.fragment, packet.header.mircc.class), (None, Some(0)));
    out.clear();
    packet.header.write_packet(None, &mut out);
    assert_eq!(out, hello);
}

#[test]
fn other_programs_packets_are_read_and_written_again() {
    let wire = octets(NDNTS_REGISTER);
    let packet = LpPacket::decode(&wire).expect("a packet");
    assert_eq!(
        packet.header.pit_token.expect("a token").as_slice(),
        [0x3d, 0x9d, 0xff, 0xff, 0xff, 0xff]
    );
    let interest = Interest::decode(packet.fragment.expect("a fragment")).expect("an Interest");
    assert_eq!(interest.lifetime(), Span::from_millis(3999));
    let mut out = Vec::new();
    packet.header.write_packet(packet.fragment, &mut out);
    assert_eq!(out, wire);

    let wire = octets(METADATA);
    let packet = LpPacket::decode(&wire).expect("a packet");
    assert_eq!(packet.header.pit_token.expect("a token").as_slice(), [0, 0, 0, 0, 0, 15]);
    assert!(Data::decode(packet.fragment.expect("a fragment")).is_ok());
    out.clear();
    packet.header.write_packet(packet.fragment, &mut out);
    assert_eq!(out, wire);
}

/// An LpPacket with these fields and an Interest.
fn with_fields(fields: &str) -> Vec<u8> {
    octets(&format!("64{:02x}{fields}500d{INTEREST}", fields.len() / 2 + 15))
}

#[test]
fn unknown_fields_are_skipped_or_refused() {
    for number in [804u32, 836, 840, 896, 928, 956] {
        let wire = with_fields(&format!("fd{number:04x}0107"));
        let packet = LpPacket::decode(&wire).unwrap_or_else(|error| panic!("{number}: {error}"));
        assert_eq!(packet.header, Header::default());
    }
    for number in [796u32, 802, 901, 902, 903, 960, 1000] {
        let error = LpPacket::decode(&with_fields(&format!("fd{number:04x}0107")))
            .map(|_| ())
            .expect_err("unknown");
        assert_eq!(error, DecodeError { offset: 2, number, fault: Fault::Unknown });
    }
    assert_eq!(LpPacket::decode(&with_fields("0a00")).map(|_| ()).expect_err("unknown").number, 10);
    let twice =
        LpPacket::decode(&with_fields("fd038c0100fd038c0101")).map(|_| ()).expect_err("twice");
    assert_eq!(twice, DecodeError { offset: 7, number: 908, fault: Fault::OutOfOrder });
    // Fields may have any order, and may follow the Fragment.
    let wire = octets(&format!("641c{}500d{INTEREST}{}", "fd038c0101", "fd03400101620107"));
    let packet = LpPacket::decode(&wire).expect("a packet");
    assert_eq!((packet.header.mircc.class, packet.header.congestion_mark), (Some(1), Some(1)));
    assert_eq!(packet.header.pit_token.expect("a token").as_slice(), [7]);
}

#[test]
fn tokens_have_1_to_32_octets() {
    let token = |length: usize| {
        LpPacket::decode(&with_fields(&format!("62{length:02x}{}", "07".repeat(length))))
            .map(|packet| packet.header.pit_token.map(|token| token.as_slice().len()))
    };
    assert_eq!(token(1), Ok(Some(1)));
    assert_eq!(token(32), Ok(Some(32)));
    for length in [0, 33] {
        assert_eq!(
            token(length),
            Err(DecodeError { offset: 2, number: 98, fault: Fault::WrongLength })
        );
    }
}

#[test]
fn unknown_reasons_are_none() {
    for (field, reason) in [
        ("fd032000", NackReason::None),
        ("fd032005fd03210196", NackReason::NoRoute),
        ("fd032005fd03210164", NackReason::Duplicate),
        ("fd032005fd032101a0", NackReason::InvalidLabel),
        ("fd032005fd03210133", NackReason::None),
    ] {
        assert_eq!(
            LpPacket::decode(&with_fields(field)).expect("a packet").header.nack,
            Some(reason)
        );
    }
}

#[test]
fn a_rate_is_written_over_another() {
    let header = Header {
        mircc: Mircc { primary_bps: Some(1_000_000_000), class: Some(1), ..Mircc::default() },
        ..Header::default()
    };
    let mut wire = Vec::new();
    header.write_packet(Some(&octets(INTEREST)), &mut wire);
    let size = wire.len();
    overwrite(&mut wire, number::mircc::PRIMARY_RATE, 5).expect("a field of 8 octets");
    let packet = LpPacket::decode(&wire).expect("a packet");
    assert_eq!(
        (packet.header.mircc.primary_bps, packet.header.mircc.class, wire.len()),
        (Some(5), Some(1), size)
    );
    assert_eq!(packet.fragment, Some(&octets(INTEREST)[..]));
    assert_eq!(
        overwrite(&mut wire, number::mircc::SECONDARY_RATE, 5),
        Err(OverwriteError::Absent(904))
    );
    assert_eq!(
        overwrite(&mut wire, number::mircc::CLASS, 256),
        Err(OverwriteError::TooNarrow { number: 908, width: 1, value: 256 })
    );
    assert!(matches!(overwrite(&mut octets(INTEREST), 900, 5), Err(OverwriteError::Malformed(_))));
}

#[test]
fn rates_and_round_trips_of_neighbours_are_bounded() {
    let mircc =
        Mircc { primary_bps: Some(u64::MAX), round_trip_us: Some(u64::MAX), ..Mircc::default() };
    assert_eq!(
        mircc.rates(),
        Rates { primary: Rate::from_bps(1 << 62), secondary: Rates::UNLIMITED.secondary }
    );
    assert_eq!(mircc.round_trip(), Span::from_secs(60));
    assert_eq!(
        Mircc { round_trip_us: Some(7), ..Mircc::default() }.round_trip(),
        Span::from_micros(7)
    );
    assert_eq!(
        (Mircc::default().rates(), Mircc::default().round_trip()),
        (Rates::UNLIMITED, Span::ZERO)
    );
}
