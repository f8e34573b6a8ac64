//! Fragmentation and reassembly.

use crate::captured::octets;
use narrows_ndn::lp::*;
use narrows_ndn::tlv::{MAX_PACKET, put_element};
use narrows_units::{Span, Time};
use proptest::prelude::*;

/// A packet of `size` octets that looks like a Data.
fn packet(size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let head = if size > 254 { 4 } else { 2 };
    put_element(&mut out, 6, &(0..size - head).map(|at| at as u8).collect::<Vec<_>>());
    assert_eq!(out.len(), size);
    out
}

fn cut(header: &Header, packet: &[u8], mtu: usize) -> Vec<Vec<u8>> {
    let mut pieces = Fragmenter::new(1).pieces(header, packet, mtu).expect("room");
    let mut all = Vec::new();
    let mut out = Vec::new();
    while pieces.write_next(&mut out) {
        all.push(std::mem::take(&mut out));
    }
    all
}

fn token() -> Header<'static> {
    Header { pit_token: PitToken::new(&[0, 0, 0, 0, 0, 16]), ..Header::default() }
}

fn take(
    reassembler: &mut Reassembler,
    now: Time,
    piece: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, ReassemblyError> {
    reassembler.take(now, &LpPacket::decode(piece).expect("a piece"), out)
}

#[test]
fn a_first_piece_begins_as_that_of_ndnd() {
    // Captured from ndnd at an MTU of 1420, of which it uses 1418.
    let pieces = cut(&token(), &packet(8000), 1418);
    assert!(
        pieces[0].starts_with(&octets(
            "64fd058651080000000000000001520100530106620600000000001050fd056a"
        ))
    );
    assert_eq!(
        pieces.iter().map(Vec::len).collect::<Vec<_>>(),
        [1418, 1418, 1418, 1418, 1418, 8000 - 5 * 1386 + 32]
    );
}

#[test]
fn a_packet_that_fits_is_not_fragmented() {
    let small = packet(1400);
    assert_eq!(cut(&Header::default(), &small, 1400), std::slice::from_ref(&small));
    let marked =
        Header { congestion_mark: Some(1), sequence: Some(9), frag_count: Some(4), ..token() };
    let one = cut(&marked, &small, 1421);
    assert_eq!((one.len(), one[0].len()), (1, 1421));
    let read = LpPacket::decode(&one[0]).expect("a packet");
    assert_eq!(
        (read.header.sequence, read.header.frag_count, read.is_fragment()),
        (None, None, false)
    );
    assert_eq!(cut(&marked, &small, 1420).len(), 2);
}

#[test]
fn sequences_go_on_and_what_cannot_be_cut_is_refused() {
    let mut fragmenter = Fragmenter::new(u64::MAX);
    let whole = packet(3000);
    let first = |fragmenter: &mut Fragmenter| {
        let mut out = Vec::new();
        let plain = Header::default();
        let mut pieces = fragmenter.pieces(&plain, &whole, 1400).expect("room");
        assert_eq!(pieces.left(), 3);
        assert!(pieces.write_next(&mut out));
        LpPacket::decode(&out).expect("a piece").header.sequence
    };
    assert_eq!(first(&mut fragmenter), Some(u64::MAX));
    assert_eq!(first(&mut fragmenter), Some(2));
    let refused = fragmenter
        .pieces(&Header::default(), &whole, 20)
        .map(|pieces| pieces.left())
        .expect_err("no room");
    assert_eq!(refused, TooLarge { packet: 3000, mtu: 20 });
    assert!(fragmenter.pieces(&Header::default(), &packet(8800), 30).is_err());
    assert_eq!(first(&mut fragmenter), Some(5));
}

#[test]
fn a_missing_piece_expires_with_its_packet() {
    let pieces = cut(&token(), &packet(3000), 1400);
    let mut reassembler = Reassembler::new();
    let mut out = Vec::new();
    let start = Time::ZERO + Span::from_secs(1);
    assert_eq!(take(&mut reassembler, start, &pieces[2], &mut out), Ok(false));
    assert_eq!(take(&mut reassembler, start, &pieces[2], &mut out), Ok(false));
    assert_eq!(reassembler.counters().repeated, 1);
    assert_eq!(reassembler.due(), Some(start + Span::from_millis(500)));
    let late = start + Span::from_millis(500);
    assert_eq!(take(&mut reassembler, late, &pieces[0], &mut out), Ok(false));
    assert_eq!(reassembler.counters().expired, 1);
    assert_eq!(take(&mut reassembler, late, &pieces[1], &mut out), Ok(false));
    assert_eq!(take(&mut reassembler, late, &pieces[2], &mut out), Ok(true));
    assert_eq!(LpPacket::decode(&out).expect("a packet").fragment, Some(&packet(3000)[..]));
    assert_eq!(reassembler.due(), None);
}

#[test]
fn the_oldest_of_too_many_packets_is_evicted() {
    let mut reassembler = Reassembler::new();
    let mut fragmenter = Fragmenter::new(0);
    let whole = packet(3000);
    let mut first = Vec::new();
    let mut out = Vec::new();
    for at in 0..=Reassembler::MAX_PARTIAL {
        let mut piece = Vec::new();
        let plain = Header::default();
        let mut pieces = fragmenter.pieces(&plain, &whole, 1600).expect("room");
        pieces.write_next(&mut piece);
        assert_eq!(take(&mut reassembler, Time::ZERO, &piece, &mut out), Ok(false));
        if at == 0 {
            pieces.write_next(&mut first);
        }
    }
    assert_eq!(reassembler.counters().evicted, 1);
    assert_eq!(take(&mut reassembler, Time::ZERO, &first, &mut out), Ok(false));
}

#[test]
fn pieces_that_make_no_packet_are_refused() {
    let mut reassembler = Reassembler::new();
    let mut out = Vec::new();
    let piece = |sequence: &str, index: &str, count: &str| {
        let body = format!("{sequence}5201{index}530{}{count}5002ffff", count.len() / 2);
        octets(&format!("64{:02x}{body}", body.len() / 2))
    };
    let first = "51080000000000000000";
    for wire in [
        piece("", "00", "02"),
        piece(first, "02", "02"),
        piece(first, "00", "00"),
        piece(first, "00", "0191"),
    ] {
        assert_eq!(
            take(&mut reassembler, Time::ZERO, &wire, &mut out),
            Err(ReassemblyError::Malformed)
        );
    }
    let without_octets = octets("640f510800000000000000005301025000");
    assert_eq!(
        take(&mut reassembler, Time::ZERO, &without_octets, &mut out),
        Err(ReassemblyError::Malformed)
    );
    assert_eq!(take(&mut reassembler, Time::ZERO, &piece(first, "00", "03"), &mut out), Ok(false));
    assert_eq!(
        take(&mut reassembler, Time::ZERO, &piece("51080000000000000001", "01", "02"), &mut out),
        Err(ReassemblyError::Inconsistent)
    );
    assert_eq!(reassembler.due(), None);

    let mut fragmenter = Fragmenter::new(0);
    let whole = packet(MAX_PACKET + 1);
    let plain = Header::default();
    let mut pieces = fragmenter.pieces(&plain, &whole, 5000).expect("room");
    let mut one = Vec::new();
    let mut two = Vec::new();
    assert!(
        pieces.write_next(&mut one) && pieces.write_next(&mut two) && !pieces.write_next(&mut out)
    );
    assert_eq!(take(&mut reassembler, Time::ZERO, &one, &mut out), Ok(false));
    assert_eq!(take(&mut reassembler, Time::ZERO, &two, &mut out), Err(ReassemblyError::TooLarge));
    assert_eq!(reassembler.due(), None);
    assert!(out.is_empty());
}

#[test]
fn a_mark_on_any_piece_marks_the_packet() {
    let whole = packet(3000);
    let plain = cut(&token(), &whole, 1400);
    let marked = cut(&Header { congestion_mark: Some(1), ..token() }, &whole, 1400);
    let mut reassembler = Reassembler::new();
    let mut out = Vec::new();
    // A marked fragment carries fewer octets of the packet than an unmarked one, so only the mark
    // of the result is checked.
    for piece in [&marked[0], &marked[1]] {
        assert_eq!(take(&mut reassembler, Time::ZERO, piece, &mut out), Ok(false));
    }
    assert_eq!(take(&mut reassembler, Time::ZERO, &plain[2], &mut out), Ok(true));
    assert!(LpPacket::decode(&out).expect("a packet").header.is_marked());
}

proptest! {
    #[test]
    fn pieces_in_any_order_make_the_packet_again(
        size in 2usize..MAX_PACKET,
        mtu in 64usize..1500,
        rates in any::<bool>(),
        order in any::<u64>(),
    ) {
        prop_assume!(size != 255 && size != 256);
        let mircc = if rates { Mircc { primary_bps: Some(1), class: Some(0), ..Mircc::default() } } else { Mircc::default() };
        let header = Header { mircc, congestion_mark: Some(1), ..token() };
        let whole = packet(size);
        let mut fragmenter = Fragmenter::new(order);
        let Ok(mut pieces) = fragmenter.pieces(&header, &whole, mtu) else { return Err(TestCaseError::reject("too many fragments")) };
        let mut all = Vec::new();
        let mut out = Vec::new();
        while pieces.write_next(&mut out) {
            prop_assert!(out.len() <= mtu);
            all.push(std::mem::take(&mut out));
        }
        if all.len() == 1 {
            let read = LpPacket::decode(&all[0]).expect("a packet");
            prop_assert!(!read.is_fragment() && read.header == header && read.fragment == Some(&whole[..]));
            return Ok(());
        }
        let equal = &all[..all.len() - 1];
        prop_assert!(equal.iter().all(|piece| piece.len() == equal[0].len() && piece.len() + 4 >= mtu), "{:?}", all.iter().map(Vec::len).collect::<Vec<_>>());
        let mut random = order;
        for left in (1..all.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            all.swap(left, (random >> 33) as usize % (left + 1));
        }
        let mut reassembler = Reassembler::new();
        for (at, piece) in all.iter().enumerate() {
            let whole = take(&mut reassembler, Time::ZERO, piece, &mut out).expect("a piece");
            prop_assert_eq!(whole, at == all.len() - 1);
        }
        let read = LpPacket::decode(&out).expect("a packet");
        prop_assert_eq!(read.header, header);
        prop_assert_eq!(read.fragment, Some(&whole[..]));
    }
}
