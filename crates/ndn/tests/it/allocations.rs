//! Decoding and answering a packet does not allocate memory.

use crate::captured::{NDNTS_REGISTER, ROUTED, octets};
use narrows_ndn::lp::{Header, LpPacket, Mircc, PathLabel, overwrite};
use narrows_ndn::tlv::{Fixed, frame_length};
use narrows_ndn::{Data, Interest, number};

fn with_fields(wire: &[u8]) -> Vec<u8> {
    let packet = LpPacket::decode(wire).expect("a packet");
    let mircc = Mircc {
        primary_bps: Some(1_000_000),
        secondary_bps: Some(1),
        class: Some(0),
        round_trip_us: Some(10),
        path_id: Some(1),
        path_label: Some(PathLabel::default()),
        limit: Some(1),
    };
    let mut out = Vec::new();
    Header { mircc, ..packet.header }.write_packet(packet.fragment, &mut out);
    out
}

#[test]
fn packets_are_read_and_written_without_allocating() {
    let mut interest = with_fields(&octets(NDNTS_REGISTER));
    let data = with_fields(&octets(ROUTED));
    let mut room = [0; 400];
    let counted = allocation_counter::measure(|| {
        assert_eq!(frame_length(&interest, 8800), Ok(Some(interest.len())));
        overwrite(&mut interest, number::mircc::ROUND_TRIP, 7).expect("a field");
        let packet = LpPacket::decode(&interest).expect("a packet");
        let read = Interest::decode(packet.fragment.expect("a fragment")).expect("an Interest");
        assert_eq!(read.name.prefixes().count(), 7);
        let mut out = Fixed::new(&mut room);
        packet.header.write_packet(packet.fragment, &mut out);
        assert_eq!(out.finish().expect("room"), interest);

        let packet = LpPacket::decode(&data).expect("a packet");
        let read = Data::decode(packet.fragment.expect("a fragment")).expect("a Data");
        assert!(read.content.is_some() && read.implicit_digest() != [0; 32]);
    });
    assert_eq!(counted.count_total, 0);
}
