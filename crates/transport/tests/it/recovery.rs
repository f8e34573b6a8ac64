//! How losses are found and repaired.

use crate::common::{Rig, at};
use narrows_control::{CaState, Congestion};
use narrows_transport::{RecoveryAlgorithm, Transport};
use narrows_units::Span;

/// Time, cumulative acknowledgement and SACK block.
type Arrival = (u64, u64, Option<(u64, u64)>);

/// Segments that each acknowledgement releases.
fn releases(rig: &mut Rig, acks: impl IntoIterator<Item = Arrival>) -> Vec<Vec<u64>> {
    let each = |(ms, next, block): Arrival| {
        rig.sack(ms, next, block.as_slice());
        rig.numbers(ms)
    };
    acks.into_iter().map(each).collect()
}

/// Shows RFC 8985 section 3.3.2: "The reordering window SHOULD be set to zero if no reordering has
/// been observed on the connection so far"
#[test]
fn three_segments_beyond_a_hole_prove_it_lost() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    assert_eq!(rig.sack(100, 0, &[(1, 2)]).ca_state, CaState::Disorder);
    assert_eq!(rig.numbers(100), [10], "limited transmit");
    assert_eq!(rig.sack(101, 0, &[(1, 3)]).lost, []);
    let heard = rig.sack(102, 0, &[(1, 4)]);
    assert_eq!(
        (heard.lost, heard.congestion, heard.ca_state),
        (vec![0], Some(Congestion::Loss), CaState::Recovery)
    );
    assert_eq!(rig.numbers(102)[0], 0);
}

/// RFC 9937 without SACK: nothing is SACKed, so that RecoverFS is all 22 segments outstanding, two
/// of which left by limited transmit, and each duplicate acknowledgement delivers one. Towards a
/// window of 10, ⌈10/22 · k⌉ have left after k of them. With SACK it is ⌈10/20 · k⌉, one more at
/// the eleventh.
#[test]
fn without_sack_rfc_9937_counts_duplicates_as_deliveries() {
    let left = |sack: bool| -> Vec<usize> {
        let recovery = RecoveryAlgorithm::Rfc9937;
        let mut rig = Rig::with(20.0, &Transport { sack, recovery, ..Transport::default() });
        rig.sender.write(u64::MAX);
        rig.numbers(0);
        let block = |until: u64| sack.then_some((1, until));
        let acks = (1..=13).map(|count: u64| (100 + count, 0, block(1 + count)));
        releases(&mut rig, acks).iter().map(Vec::len).collect()
    };
    assert_eq!(left(false), [1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]);
    assert_eq!(left(true), [1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
}

/// Shows RFC 8985 section 3.3.2: "the reordering window SHOULD start from a small fraction of the
/// round-trip time"
#[test]
fn one_segment_beyond_a_hole_proves_it_after_a_quarter_of_a_round_trip() {
    let mut rig = Rig::with(3.0, &Transport::default());
    rig.sender.write(3);
    rig.numbers(0);
    rig.ack(100, 1);
    assert_eq!(rig.sack(110, 1, &[(2, 3)]).lost, []);
    // The newest delivered took 110 ms; the least round trip is 100 ms. 110 + 25 ms after it left.
    assert_eq!(rig.sender.next_timer(), Some(at(135)));
    assert_eq!(rig.run_until(135), [(at(135), 1)]);
    assert_eq!(rig.script.lock().unwrap().reductions(), [Congestion::Loss]);
}

#[test]
fn reordering_once_seen_is_waited_for_even_beyond_three_segments() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 2)]);
    rig.ack(101, 2);
    rig.numbers(101);
    rig.sack(110, 2, &[(3, 4)]);
    rig.sack(111, 2, &[(3, 6)]);
    assert_eq!(rig.sack(112, 2, &[(3, 9)]).lost, []);
    assert_eq!(rig.sender.next_timer(), Some(at(112 + 25)));
    assert_eq!(rig.ack(120, 9).congestion, None, "it was only late");
    assert_eq!(rig.sender.ca_state(), CaState::Open);
}

/// Shows RFC 8985 section 3.3.2: "The RACK reordering window MUST be bounded, and this bound SHOULD
/// be SRTT"
#[test]
fn the_reordering_window_is_at_most_the_smoothed_round_trip() {
    let mut rig = Rig::new(10.0);
    for round in 0..8 {
        rig.numbers(100 * round);
        let heard = 100 * round + 100;
        let next = 10 * round + 10;
        rig.ack(heard, next);
        // A duplicate in each round trip: the window grows by a quarter of the least round trip.
        rig.dsack(heard, next, &[(next - 1, next)]);
    }
    rig.numbers(800);
    rig.sack(900, 80, &[(81, 82)]);
    // Nine quarters are 225 ms; the smoothed round trip is 100 ms.
    assert_eq!(rig.sender.next_timer(), Some(at(900 + 100)));
}

/// Blocks come newest first. Two that were sacked by lost acknowledgements arrive together: nothing
/// came out of order.
#[test]
fn lost_acknowledgements_are_no_reordering() {
    let mut rig = Rig::new(20.0);
    rig.numbers(0);
    rig.sack(100, 2, &[(8, 9), (5, 7), (3, 4)]);
    let heard = rig.sack(101, 2, &[(8, 10), (5, 7), (3, 4)]);
    assert_eq!(heard.lost, [] as [u64; 0], "lost already");
    let script = rig.script.lock().unwrap();
    assert_eq!(
        script.heard[0].lost,
        [2, 4, 7],
        "five beyond them, in the order in which they left"
    );
}

#[test]
fn a_lost_retransmission_is_found_by_what_was_sent_after_it() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 4)]);
    assert_eq!(rig.numbers(100), [0, 10]);
    rig.sack(102, 0, &[(1, 10)]);
    assert_eq!(rig.numbers(102), [11, 12, 13]);
    // 10 left after the retransmission and took 100 ms; so the retransmission is overdue.
    let heard = rig.sack(200, 0, &[(1, 11)]);
    assert_eq!((heard.lost, heard.congestion), (vec![0], None), "one reduction for all of it");
    assert_eq!(rig.numbers(200)[0], 0);
    rig.sack(202, 0, &[(1, 14)]);
    assert_eq!(rig.ack(300, 14).ca_state, CaState::Open);
    assert_eq!(rig.sender.counters().retransmitted, 2);
}

#[test]
fn losses_of_one_window_cost_one_reduction_and_those_of_the_next_another() {
    let mut rig = Rig::new(20.0);
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 5)]);
    rig.numbers(100);
    rig.sack(101, 0, &[(6, 12), (1, 5)]);
    rig.sack(102, 0, &[(13, 20), (6, 12), (1, 5)]);
    rig.numbers(102);
    assert_eq!(rig.sack(202, 12, &[(13, 21)]).ca_state, CaState::Recovery);
    rig.numbers(202);
    assert_eq!(rig.script.lock().unwrap().reductions(), [Congestion::Loss]);
    assert_eq!(
        rig.ack(203, 21).ca_state,
        CaState::Open,
        "all of the window in which it was found is settled"
    );
    rig.numbers(203);
    assert_eq!(rig.sack(310, 21, &[(22, 26)]).congestion, Some(Congestion::Loss));
    assert_eq!(rig.sender.counters().recoveries, 2);
}

/// One of 20 lost, from 20 to 10 segments. Three SACKs prove it; until then two new segments leave
/// (limited transmit). Each second of the 19 then delivered releases one, ⌈10/20 · delivered⌉ in
/// all, until the flight is down to 10 at the 17th; from there each releases one.
#[test]
fn proportional_reduction_sends_one_for_two_delivered() {
    let mut rig = Rig::new(20.0);
    rig.numbers(0);
    let first_window = (1..20).map(|k| (100 + k, 0, Some((1, k + 1))));
    let acks =
        first_window.chain([(201, 0, Some((1, 21))), (202, 0, Some((1, 22))), (203, 22, None)]);
    let sent = releases(&mut rig, acks);
    let counts: Vec<usize> = sent.iter().map(Vec::len).collect();
    assert_eq!(counts, [1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1]);
    assert_eq!(
        (sent[2].as_slice(), sent[4].as_slice()),
        ([0].as_slice(), [22].as_slice()),
        "the retransmission first"
    );
    assert_eq!(
        (rig.sender.ca_state(), rig.sender.in_flight(), rig.sender.effective_window()),
        (CaState::Open, 10, 10.0)
    );
}

/// 15 of 20 lost: 4 in flight, far below the 10 to arrive at. Without progress each segment
/// delivered releases one; each retransmission that arrives releases two, until the flight is 10.
#[test]
fn below_its_target_recovery_grows_by_one_more_for_each_retransmission_delivered() {
    let mut rig = Rig::new(20.0);
    rig.numbers(0);
    let before = [(100, 16), (101, 17), (102, 18), (103, 19), (104, 20), (200, 21), (201, 22)]
        .map(|(ms, end)| (ms, 0, Some((15, end))));
    let repaired = [(202, 1), (203, 2), (204, 3), (300, 4), (301, 5), (302, 6)]
        .map(|(ms, next)| (ms, next, Some((15, 22))));
    let sent = releases(&mut rig, before.into_iter().chain(repaired));
    assert_eq!(
        sent,
        [
            vec![20],
            vec![21],
            vec![0],
            vec![1],
            vec![2],
            vec![3],
            vec![4],
            vec![5, 6],
            vec![7, 8],
            vec![9, 10],
            vec![11, 12],
            vec![13, 14],
            vec![22]
        ]
    );
    assert_eq!(rig.sender.in_flight(), 10);
}

#[test]
fn without_proportional_reduction_the_window_falls_at_once() {
    let mut rig =
        Rig::with(20.0, &Transport { recovery: RecoveryAlgorithm::Pipe, ..Transport::default() });
    rig.sender.write(u64::MAX);
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 4)]);
    assert_eq!((rig.sender.effective_window(), rig.sender.in_flight()), (10.0, 16));
    assert_eq!(rig.numbers(100), [] as [u64; 0]);
    rig.sack(101, 0, &[(1, 11)]);
    assert_eq!(rig.numbers(101), [0]);
}

#[test]
fn a_controller_that_wants_its_window_at_once_gets_it() {
    let mut rig = Rig::new(20.0);
    rig.decide(|decision| decision.reduction = narrows_control::Reduction::Immediate);
    rig.numbers(0);
    rig.script.lock().unwrap().reduced = 18.0;
    rig.sack(100, 0, &[(1, 4)]);
    assert_eq!(rig.numbers(100), [0, 20], "16 in flight, 18 allowed");
}

/// RFC 6298 section 5.3 restarts the timer for new data acknowledged; Linux also when the first
/// missing segment leaves again.
#[test]
fn the_timeout_counts_from_the_retransmission_of_the_first_segment() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    rig.ack(100, 1);
    rig.numbers(100);
    rig.sack(190, 1, &[(2, 5)]);
    assert_eq!(rig.numbers(190)[0], 1);
    // Round trips of 100 ms and 190 ms: the mean 111.25 ms and its variation, at least 200 ms.
    let due = rig.sender.next_timer().unwrap();
    assert!(due >= at(190 + 300), "{due}");
}

/// Linux `tcp_clean_rtx_queue`: segments that left before the first was sent again put the timeout
/// off, later ones do not.
#[test]
fn news_of_what_left_before_the_retransmission_puts_the_timeout_off() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    rig.ack(100, 1);
    rig.numbers(100);
    rig.sack(190, 1, &[(2, 5)]);
    rig.script.lock().unwrap().reduced = 20.0;
    assert_eq!(rig.numbers(190)[0], 1);
    let due = |rig: &Rig| rig.sender.next_timer().expect("a timeout");
    let first = due(&rig);
    rig.sack(240, 1, &[(2, 10)]);
    let put_off = due(&rig);
    assert!(put_off >= first + Span::from_millis(50), "{put_off} after {first}");
    let later = rig.numbers(240);
    let newest = *later.last().expect("new data leaves after the retransmission");
    assert!(newest >= 11, "{later:?}");
    rig.sack(480, 1, &[(newest, newest + 1), (2, 10)]);
    assert_eq!(due(&rig), put_off);
}
