//! When a receiver acknowledges, and what it says.

use crate::common::at;
use narrows_transport::{Ack, AckFormat, Data, Receiver, Transport};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

const MSS: Bytes = Bytes::new(1448);

fn patient() -> Receiver {
    Receiver::new(&Transport { quick_acks: 0, ..plain() })
}

fn data(number: u64, stamp: Time) -> Data {
    Data { number, bytes: MSS, stamp, packet: 0, acked: 0, retransmission: false, cwr: false }
}

/// Without the acknowledgements of a window that grows.
fn plain() -> Transport {
    Transport { receive_autotuning: false, ..Transport::default() }
}

/// Segment `number` arrives at `ms`, having left 10 ms before.
fn arrive(receiver: &mut Receiver, ms: u64, number: u64) -> Option<Ack> {
    receiver.on_data(at(ms), &data(number, at(ms - 10)), Ecn::NotEct, None)
}

fn blocks(ack: Ack) -> Vec<(u64, u64)> {
    ack.blocks.iter().map(|block| (block.start, block.end)).collect()
}

/// Shows RFC 5681 section 4.2: "an ACK SHOULD be generated for at least every second full-sized
/// segment"
#[test]
fn every_second_segment_is_acknowledged() {
    let mut receiver = patient();
    let acks: Vec<_> =
        (0..6).map(|n| arrive(&mut receiver, 100 + n, n).map(|ack| ack.next)).collect();
    assert_eq!(acks, [None, Some(2), None, Some(4), None, Some(6)]);
    assert_eq!(receiver.next_timer(), None, "nothing is owed");
}

/// Shows RFC 5681 section 4.2: "MUST be generated within 500 ms of the arrival of the first
/// unacknowledged packet"
#[test]
fn a_lone_segment_is_acknowledged_after_40_ms() {
    let mut receiver = patient();
    assert_eq!(arrive(&mut receiver, 100, 0), None);
    assert_eq!(receiver.next_timer(), Some(at(140)));
    assert_eq!(receiver.on_timer(at(139)), None);
    assert_eq!(receiver.on_timer(at(140)).map(|ack| ack.next), Some(1));
    assert_eq!((receiver.next_timer(), receiver.on_timer(at(200))), (None, None));
}

#[test]
fn the_delay_follows_the_spacing_of_arrivals() {
    // A segment 30 ms after its predecessor: half of 40 ms and the spacing, 50 ms. Then 10 ms: half
    // of 50 ms and 20 ms, 45 ms.
    let mut receiver = patient();
    for (number, ms) in [(0, 2000), (1, 2030), (2, 2060)] {
        arrive(&mut receiver, ms, number);
    }
    // 40/2 + 30 = 50; 50/2 + 30 = 55.
    assert_eq!(receiver.next_timer(), Some(at(2060 + 55)));
    arrive(&mut receiver, 2070, 3);
    arrive(&mut receiver, 2080, 4);
    // Twice half and 20 ms: 47.5, 43.75.
    assert_eq!(receiver.next_timer(), Some(at(2080) + Span::from_micros(43_750)));
}

#[test]
fn the_first_segments_and_those_after_a_long_silence_are_acknowledged_one_by_one() {
    let mut receiver = Receiver::new(&plain());
    assert!((0..16).all(|n| arrive(&mut receiver, 100 + n, n).is_some()));
    assert_eq!(arrive(&mut receiver, 116, 16), None);
    assert!(arrive(&mut receiver, 117, 17).is_some());
    assert!((18..34).all(|n| arrive(&mut receiver, 1200 + n, n).is_some()));
    assert_eq!(arrive(&mut receiver, 1234, 34), None);
}

/// Shows RFC 5681 section 4.2: "Out-of-order data segments SHOULD be acknowledged immediately, in
/// order to accelerate loss recovery"
///
/// Shows RFC 5681 section 4.2: "the receiver SHOULD send an immediate ACK when it receives a data
/// segment that fills in all or part of a gap in the sequence space"
#[test]
fn gaps_and_what_fills_them_are_acknowledged_at_once() {
    let mut receiver = patient();
    arrive(&mut receiver, 100, 0);
    for (number, next, sacked) in [
        (2, 1, vec![(2, 3)]),
        (3, 1, vec![(2, 4)]),
        (5, 1, vec![(5, 6), (2, 4)]),
        (1, 4, vec![(5, 6)]),
        (4, 6, vec![]),
    ] {
        let ack = arrive(&mut receiver, 100 + number, number).expect("at once");
        assert_eq!((ack.next, blocks(ack)), (next, sacked), "after {number}");
    }
    assert_eq!(arrive(&mut receiver, 120, 6), None, "then every second again");
}

#[test]
fn the_three_ranges_that_changed_last_are_reported_newest_first() {
    let mut receiver = patient();
    for (number, expected) in [
        (2, vec![(2, 3)]),
        (4, vec![(4, 5), (2, 3)]),
        (6, vec![(6, 7), (4, 5), (2, 3)]),
        (8, vec![(8, 9), (6, 7), (4, 5)]),
        (5, vec![(4, 7), (8, 9)]),
        (3, vec![(2, 7), (8, 9)]),
    ] {
        let ack = arrive(&mut receiver, 100 + number, number).expect("at once");
        assert_eq!(blocks(ack), expected, "after {number}");
    }
}

#[test]
fn a_duplicate_below_is_reported_first() {
    let mut receiver = patient();
    for number in [0, 1, 2, 4] {
        arrive(&mut receiver, 100 + number, number);
    }
    let ack = arrive(&mut receiver, 110, 1).expect("at once");
    assert!(ack.duplicate);
    assert_eq!((ack.next, blocks(ack), receiver.duplicates()), (3, vec![(1, 2), (4, 5)], 1));
    let ack = arrive(&mut receiver, 111, 5).expect("at once");
    assert!(!ack.duplicate, "once");
    assert_eq!(blocks(ack), [(4, 6)]);
}

/// RFC 2883 section 4.2: the block that holds the duplicate comes second.
#[test]
fn a_duplicate_above_is_followed_by_the_block_that_holds_it() {
    let mut receiver = patient();
    for number in [2, 3, 5, 7, 9] {
        arrive(&mut receiver, 100 + number, number);
    }
    let ack = arrive(&mut receiver, 120, 2).expect("at once");
    assert!(ack.duplicate);
    assert_eq!(blocks(ack), [(2, 3), (2, 4), (9, 10)]);
    let ack = arrive(&mut receiver, 121, 10).expect("at once");
    assert_eq!(blocks(ack), [(9, 11), (2, 4), (7, 8)]);
}

/// RFC 7323 section 4.3: of the segments that an acknowledgement covers, the first that advanced
/// it.
#[test]
fn the_stamp_echoed_is_that_of_the_oldest_segment_not_acknowledged_before() {
    let mut receiver = patient();
    arrive(&mut receiver, 100, 0);
    assert_eq!(arrive(&mut receiver, 105, 1).unwrap().echo, at(90));
    // Out of order: the stamp stays. A segment that fills the hole is echoed.
    assert_eq!(arrive(&mut receiver, 110, 3).unwrap().echo, at(90));
    assert_eq!(arrive(&mut receiver, 150, 2).unwrap().echo, at(140));
    assert_eq!(arrive(&mut receiver, 160, 2).unwrap().echo, at(140), "not of a duplicate");
}

#[test]
fn a_mark_is_echoed_until_the_sender_answers() {
    let mut receiver = patient();
    let mut next = 0;
    let mut arrive = |ecn, cwr| {
        next += 1;
        let ack =
            receiver.on_data(at(100 + next), &Data { cwr, ..data(next - 1, at(90)) }, ecn, None);
        ack.map(|ack| (ack.next, ack.ece, ack.ce, ack.ect0))
    };
    assert_eq!(arrive(Ecn::Ect0, false), None);
    assert_eq!(arrive(Ecn::Ect0, false), Some((2, false, 0, 2)));
    assert_eq!(arrive(Ecn::Ce, false), Some((3, true, 1, 2)), "a mark is acknowledged at once");
    assert_eq!(arrive(Ecn::Ect0, false), Some((4, true, 1, 3)), "and so is the next segment");
    assert_eq!(arrive(Ecn::Ect0, false), None);
    assert_eq!(arrive(Ecn::Ce, false), Some((6, true, 2, 4)));
    assert_eq!(arrive(Ecn::Ect0, true), Some((7, false, 2, 5)), "the window may be tiny now");
    assert_eq!(
        arrive(Ecn::Ce, true),
        Some((8, true, 3, 5)),
        "a new mark on the packet that answers the old one"
    );
}

#[test]
fn goodput_counts_each_byte_once_when_it_arrives() {
    let numbered = Transport { acks: AckFormat::Numbered, ..Transport::default() };
    for mut receiver in [patient(), Receiver::new(&numbered)] {
        let mut packet = 0;
        let mut goodput_after = |segment, bytes| {
            let data = Data { bytes, packet, ..data(segment, at(90)) };
            packet += 1;
            receiver.on_data(at(100), &data, Ecn::NotEct, None);
            receiver.goodput()
        };
        assert_eq!(goodput_after(2, Bytes::new(100)), Bytes::new(100), "it need not be in order");
        assert_eq!(goodput_after(0, MSS), Bytes::new(1448 + 100));
        assert_eq!(
            goodput_after(2, Bytes::new(100)),
            Bytes::new(1448 + 100),
            "waiting, it came again"
        );
        assert_eq!(goodput_after(1, MSS), Bytes::new(2 * 1448 + 100));
        assert_eq!(goodput_after(0, MSS), Bytes::new(2 * 1448 + 100), "delivered, it came again");
        assert_eq!(goodput_after(3, MSS), Bytes::new(3 * 1448 + 100));
    }
}

#[test]
fn the_window_counts_whole_segments() {
    let mut receiver = Receiver::new(&Transport {
        receive_window: Some(Bytes::new(5 * 1448 + 1447)),
        ..Transport::default()
    });
    assert_eq!(arrive(&mut receiver, 100, 0).unwrap().window, 5);
}

#[test]
fn a_duplicate_makes_the_receiver_acknowledge_each_segment_again() {
    let mut receiver = Receiver::new(&plain());
    assert!((0..20).map(|n| arrive(&mut receiver, 100 + n, n)).last().unwrap().is_some());
    arrive(&mut receiver, 120, 3);
    assert!((20..34).all(|n| arrive(&mut receiver, 101 + n, n).is_some()));
}

#[test]
fn one_that_divides_sends_equal_parts_of_what_is_new_before_each_acknowledgement() {
    let mut receiver = Receiver::new(&Transport { quick_acks: 0, ack_pieces: 3, ..plain() });
    let mut sent = |number: u64, ms: u64| -> Vec<(u64, u32)> {
        let Some(ack) = arrive(&mut receiver, ms, number) else { return Vec::new() };
        let pieces: Vec<Ack> = receiver.pieces(&ack).expect("it divides").collect();
        pieces.iter().chain([&ack]).map(|ack| (ack.next, ack.part)).collect()
    };
    assert_eq!(sent(0, 100), []);
    // Thirds of two segments, 2896 B: 965 B, and 1930 B, which is 482 B of the second.
    assert_eq!(sent(1, 101), [(0, 965), (1, 482), (2, 0)]);
    // Out of order nothing is new, and nothing is divided.
    assert_eq!(sent(3, 102), [(2, 0)]);
    // The hole is filled: a third of two segments again.
    assert_eq!(sent(2, 103), [(2, 965), (3, 482), (4, 0)]);
    assert!(patient().pieces(&Ack::default()).is_none(), "an honest one does not");
}

#[test]
fn one_that_acknowledges_ahead_goes_further_with_each_two_and_hides_what_is_missing() {
    let mut receiver =
        Receiver::new(&Transport { ack_every: 1, ack_ahead: 2, ..Transport::default() });
    let mut next = |number: u64| {
        let ack = arrive(&mut receiver, 100 + number, number).expect("each is acknowledged");
        assert!(ack.blocks.is_empty() && !ack.duplicate);
        ack.next
    };
    // After the second arrival one further than the highest, after the fourth two, never more. The
    // fifth is missing.
    assert_eq!([0, 1, 2, 3, 5, 6].map(&mut next), [1, 3, 4, 6, 8, 9]);
    // The fifth is late, not lost.
    assert_eq!(next(4), 9);
    // Data that comes again was not believed to have come: it says what has come, and begins anew.
    assert_eq!([6, 7, 8].map(&mut next), [7, 8, 10]);
    assert_eq!((receiver.goodput(), receiver.duplicates()), (Bytes::new(9 * 1448), 1));
}
