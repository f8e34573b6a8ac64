//! The preset `ns2-2005` and its variants without SACK.

use crate::common::{Rig, at};
use narrows_control::{CaState, Congestion};
use narrows_transport::{Ack, Receiver, RecoveryAlgorithm, Transport};

fn rig(transport: Transport) -> Rig {
    let mut rig = Rig::with(10.0, &transport);
    rig.sender.write(u64::MAX);
    rig
}

fn newreno() -> Rig {
    rig(Transport { sack: false, ..Transport::ns2_2005() })
}

/// Segments 0 and 4 of 10 are lost. The first two duplicates release a segment each (RFC 3042), the
/// third the retransmission; then six more until 5 are left in flight and each releases one. An
/// acknowledgement up to 4 proves that lost too, without another reduction (RFC 6582 section 3.2).
#[test]
fn newreno_repairs_one_hole_per_round_trip() {
    let mut rig = newreno();
    rig.numbers(0);
    rig.ack(100, 0);
    assert_eq!(rig.numbers(100), [10]);
    rig.ack(101, 0);
    assert_eq!(rig.numbers(101), [11]);
    let heard = rig.ack(102, 0);
    assert_eq!(
        (heard.lost, heard.congestion, heard.ca_state),
        (vec![0], Some(Congestion::Loss), CaState::Recovery)
    );
    // 12 out, 3 left the network, 1 lost: 8 in flight, 5 allowed.
    assert_eq!((rig.sender.in_flight(), rig.numbers(102)), (8, vec![]));
    let sent: Vec<Vec<u64>> = (103..108)
        .map(|ms| {
            rig.ack(ms, 0);
            rig.numbers(ms)
        })
        .collect();
    assert_eq!(sent, [vec![], vec![], vec![], vec![0], vec![12]]);
    let heard = rig.ack(206, 4);
    assert_eq!((heard.lost, heard.congestion, heard.ca_state), (vec![4], None, CaState::Recovery));
    assert_eq!(rig.numbers(206)[0], 4);
    assert_eq!(rig.ack(306, 13).ca_state, CaState::Open);
    assert_eq!(rig.sender.counters().retransmitted, 2);
}

#[test]
fn reno_leaves_recovery_at_the_first_hole_and_waits_for_the_timeout_at_the_second() {
    let mut rig =
        rig(Transport { sack: false, recovery: RecoveryAlgorithm::Reno, ..Transport::ns2_2005() });
    rig.numbers(0);
    for ms in 100..109 {
        rig.ack(ms, 0);
        rig.numbers(ms);
    }
    let heard = rig.ack(206, 4);
    assert_eq!((heard.lost, heard.ca_state), (vec![], CaState::Open));
    rig.numbers(206);
    for ms in 207..212 {
        assert_eq!(rig.ack(ms, 4).lost, [], "the same window is not taken for lost twice");
        rig.numbers(ms);
    }
    // No segment sent only once was acknowledged by itself, so no round trip is known yet: six
    // seconds from the acknowledgement of new data.
    assert_eq!(rig.run_until(6_300), [(at(6_206), 4)]);
    assert_eq!(rig.sender.counters().timeouts, 1);
}

#[test]
fn with_sack_the_window_falls_at_once_and_a_lost_retransmission_waits_for_the_timeout() {
    let mut rig = rig(Transport::ns2_2005());
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 4)]);
    assert_eq!(rig.numbers(100), [] as [u64; 0], "6 in flight, 5 allowed");
    rig.sack(101, 0, &[(1, 5)]);
    rig.sack(102, 0, &[(1, 6)]);
    assert_eq!(rig.numbers(102), [0]);
    rig.sack(104, 0, &[(1, 10)]);
    assert_eq!(rig.numbers(104), [10, 11, 12, 13]);
    assert_eq!(rig.sack(204, 0, &[(1, 14)]).lost, []);
    assert_eq!(rig.sender.counters().timeouts, 0);
}

/// Without time stamps nothing tells whether an original was late: no reduction is taken back, and
/// round trips come from segments sent once (Karn).
#[test]
fn what_was_repeated_tells_nothing() {
    let mut rig = newreno();
    rig.numbers(0);
    rig.script.lock().unwrap().reduced = 9.0;
    for ms in 100..104 {
        rig.ack(ms, 0);
    }
    assert_eq!(rig.numbers(104)[0], 0);
    assert_eq!(rig.ack(105, 1).rtt, None);
    assert_eq!(rig.sender.counters().undone, 0);
}

#[test]
fn the_first_timeout_is_six_seconds() {
    let mut rig = newreno();
    rig.numbers(0);
    assert_eq!(rig.sender.next_timer(), Some(at(6_000)));
}

#[test]
fn the_sink_acknowledges_each_segment_and_reports_no_blocks_without_sack() {
    let data = |number| narrows_transport::Data {
        number,
        bytes: narrows_units::Bytes::new(1000),
        stamp: at(0),
        packet: 0,
        acked: 0,
        retransmission: false,
        cwr: false,
    };
    let mut sink = Receiver::new(&Transport { sack: false, ..Transport::ns2_2005() });
    let mut next = |number| {
        sink.on_data(at(1), &data(number), narrows_wire::Ecn::NotEct, None)
            .map(|ack| (ack.next, ack.duplicate, ack.blocks.len()))
    };
    assert_eq!(
        [next(0), next(2), next(2), next(1)],
        [Some((1, false, 0)), Some((1, false, 0)), Some((1, false, 0)), Some((3, false, 0))]
    );
}

/// A receiver that divides acknowledgements: three duplicates would prove the first segment lost,
/// three parts of it prove nothing.
#[test]
fn an_acknowledgement_of_a_part_repeats_no_other() {
    let mut rig = newreno();
    rig.numbers(0);
    for part in [250, 500, 750] {
        let heard = rig
            .deliver(at(100), Ack { next: 0, part, window: u32::MAX, ..Ack::default() })
            .expect("it was heard");
        assert_eq!(
            (heard.acked.len(), heard.lost, heard.congestion, heard.ca_state),
            (0, vec![], None, CaState::Open)
        );
    }
    assert_eq!(rig.numbers(100), [], "nothing has left the network");
    rig.ack(100, 1);
    assert_eq!(rig.numbers(100), [10]);
}
