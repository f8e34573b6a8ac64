//! The preset `linux-2.4`: forward acknowledgement, rate halving, undo, and what it does not have.

use crate::common::{Rig, at};
use narrows_control::{CaState, Congestion};
use narrows_transport::{Ack, Transport};

fn rig(window: f64) -> Rig {
    let mut rig = Rig::with(window, &Transport::linux_2_4());
    rig.sender.write(u64::MAX);
    rig
}

/// `fackets_out > reordering`: a single SACK far beyond proves all lost that is more than two below
/// it.
#[test]
fn one_distant_segment_proves_all_holes_lost() {
    let mut fack = rig(10.0);
    fack.numbers(0);
    assert_eq!(fack.sack(100, 0, &[(2, 3)]).lost, []);
    let heard = fack.sack(101, 0, &[(5, 6), (2, 3)]);
    assert_eq!(
        (heard.lost, heard.congestion, heard.ca_state),
        (vec![0, 1], Some(Congestion::Loss), CaState::Recovery)
    );
    assert_eq!(fack.sack(102, 0, &[(7, 8), (5, 6), (2, 3)]).lost, [3, 4]);
}

#[test]
fn counting_needs_three_segments_wherever_they_are() {
    let mut counting = Rig::with(
        10.0,
        &Transport {
            loss_detection: narrows_transport::LossDetection::Dupack,
            ..Transport::linux_2_4()
        },
    );
    counting.sender.write(u64::MAX);
    counting.numbers(0);
    counting.sack(100, 0, &[(2, 3)]);
    assert_eq!(counting.sack(101, 0, &[(5, 6), (2, 3)]).lost, []);
    assert_eq!(
        counting.sack(102, 0, &[(7, 8), (5, 6), (2, 3)]).lost,
        [0, 1],
        "three beyond 0 and 1, two beyond 3 and 4"
    );
}

/// Segment 0 of 20 is lost. Two SACKs release a segment each; the third proves the loss and lets
/// the retransmission out: 19 in flight, one less with the hole lost. From there each second
/// acknowledgement takes one from the window, and what is in flight plus one bounds it, so that
/// each second one releases a segment: the flight halves within the round trip.
#[test]
fn every_second_acknowledgement_takes_one_segment_from_the_window() {
    let mut rig = rig(20.0);
    rig.numbers(0);
    let mut sent = Vec::new();
    for k in 1..20 {
        rig.sack(100 + k, 0, &[(1, k + 1)]);
        sent.push(rig.numbers(100 + k).len());
    }
    assert_eq!(sent, [1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(rig.sender.in_flight(), 11);
    assert_eq!(rig.ack(201, 22).ca_state, CaState::Open);
}

/// 16 of 20 lost: what is in flight plus one bounds the window, so that one retransmission leaves
/// per round trip (what RFC 6937 section 2 holds against rate halving). From there the window grows
/// by one for each acknowledgement to where the controller has it.
#[test]
fn a_burst_of_losses_shrinks_the_window_to_one_and_slow_start_follows() {
    let mut rig = rig(20.0);
    rig.numbers(0);
    rig.sack(100, 0, &[(16, 20)]);
    assert_eq!(rig.numbers(100), [0], "all 16 are lost and nothing is in flight: one may leave");
    for hole in 1..17 {
        let next = if hole == 16 { 20 } else { hole };
        rig.sack(100 + 100 * hole, next, &[(16, 20)][..(next < 16) as usize]);
        assert_eq!(rig.numbers(100 + 100 * hole), [next], "one per round trip");
    }
    assert_eq!(rig.sender.ca_state(), CaState::Open);
    let mut windows = Vec::new();
    for round in 0..11 {
        windows.push(rig.sender.effective_window());
        rig.ack(2000 + 100 * round, 21 + round);
        rig.numbers(2000 + 100 * round);
    }
    assert_eq!(windows, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 10.0]);
}

#[test]
fn reordering_once_seen_ends_forward_acknowledgement_and_raises_the_threshold() {
    let mut rig = rig(20.0);
    rig.numbers(0);
    // Segment 0 arrives behind 1 and 2: two places late, within the three that are tolerated. From
    // now on segments are counted.
    rig.sack(100, 0, &[(1, 3)]);
    rig.ack(101, 3);
    rig.numbers(101);
    assert_eq!(rig.sack(102, 3, &[(8, 9)]).lost, [], "five beyond, but one segment only");
    assert_eq!(rig.sack(103, 3, &[(8, 10)]).lost, []);
    // Segment 3 comes when 9 has arrived: seven segments, 3 to 9, were out of order.
    rig.sack(104, 4, &[(8, 10)]);
    assert_eq!(rig.sack(105, 4, &[(8, 14)]).lost, []);
    assert_eq!(rig.sack(106, 4, &[(8, 15)]).lost, [4, 5, 6, 7], "seven beyond them");
    let script = rig.script.lock().unwrap();
    assert_eq!(script.reductions().len(), 1);
}

#[test]
fn an_original_known_by_its_stamp_takes_the_reduction_back_and_teaches_the_distance() {
    let mut rig = rig(20.0);
    rig.numbers(0);
    rig.sack(102, 0, &[(1, 5)]);
    assert_eq!(rig.numbers(102), [0]);
    let heard = rig
        .deliver(at(103), Ack { next: 5, echo: at(0), window: u32::MAX, ..Ack::default() })
        .unwrap();
    assert_eq!((heard.ca_state, rig.script.lock().unwrap().undone), (CaState::Open, 1));
    rig.window(20.0);
    rig.numbers(103);
    // Five places: four segments beyond a hole no longer prove anything.
    assert_eq!(rig.sack(110, 5, &[(6, 10)]).lost, []);
    assert_eq!(rig.sack(111, 5, &[(6, 11)]).lost, [5]);
}

#[test]
fn a_lost_retransmission_is_found_by_data_first_sent_after_it() {
    let mut rig = rig(10.0);
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 4)]);
    assert_eq!(rig.numbers(100), [0]);
    rig.sack(102, 0, &[(1, 8)]);
    assert_eq!(rig.numbers(102), [10]);
    let heard = rig.sack(200, 0, &[(1, 11)]);
    assert_eq!((heard.lost, heard.congestion), (vec![0], None), "one reduction for all of it");
}

#[test]
fn there_is_no_probe_and_no_forward_recovery() {
    let mut rig = Rig::with(4.0, &Transport::linux_2_4());
    rig.sender.write(8);
    rig.numbers(0);
    assert_eq!(rig.sender.next_timer(), Some(at(3_000)), "no round trip is known");
    rig.ack(100, 4);
    rig.numbers(100);
    // One round trip of 100 ms: the variation is twice that, 200 ms, which is the floor too.
    assert_eq!(rig.sender.next_timer(), Some(at(400)));
    rig.window(4.0);
    assert_eq!(rig.run_until(400), [(at(400), 4)]);
    rig.window(4.0);
    rig.ack(500, 5);
    assert_eq!(rig.numbers(500)[0], 5, "what follows is repeated, not probed with new data");
}
