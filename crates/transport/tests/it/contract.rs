//! Feedback beside acknowledged and lost segments, worked by hand.

use crate::common::{Rig, at, ranges};
use narrows_control::{CaState, Congestion, Outstanding, Role};
use narrows_transport::{Ack, AckFormat, Transport};
use narrows_units::Span;
use narrows_wire::Ecn;

#[test]
fn what_is_outstanding_and_in_what_state() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    // 4 to 6 have passed 1 and 2 by three segments: both are lost.
    let heard = rig.sack(50, 1, &[(3, 6)]);
    assert_eq!((heard.una, heard.next, heard.lost), (1, 10, vec![1, 2]));
    assert_eq!(heard.outstanding, Outstanding { packets: 9, sacked: 3, lost: 2, resent: 0 });
    // PRR lets one leave: of 4 in flight and a window of 5.
    assert_eq!(rig.numbers(50), [1]);
    assert_eq!(
        rig.script.lock().unwrap().sent.last().map(|sent| (sent.in_flight, sent.outstanding)),
        Some((4, 9))
    );
    let heard = rig.sack(60, 1, &[(6, 7), (3, 6)]);
    assert_eq!(heard.outstanding, Outstanding { packets: 9, sacked: 4, lost: 2, resent: 1 });
    // The retransmission is delivered, before which 7 to 9 had left: they are lost as well.
    let heard = rig.sack(101, 2, &[(3, 7)]);
    assert_eq!(
        (heard.una, heard.outstanding),
        (2, Outstanding { packets: 8, sacked: 4, lost: 4, resent: 0 })
    );
}

#[test]
fn transmissions_with_numbers_are_counted_until_their_fate_is_settled() {
    let mut rig = Rig::with(
        10.0,
        &Transport { acks: AckFormat::Numbered, quick_acks: 0, ..Transport::default() },
    );
    rig.sender.write(u64::MAX);
    rig.numbers(0);
    let heard = rig.sack(100, 0, &[(1, 4)]);
    // Segments: none below 1 is delivered, 10 was never sent.
    assert_eq!((heard.una, heard.next), (0, 10));
    assert_eq!(heard.outstanding, Outstanding { packets: 10, sacked: 3, lost: 1, resent: 0 });
}

#[test]
fn the_window_in_force_is_that_of_the_reduction() {
    let mut rig = Rig::new(20.0);
    rig.numbers(0);
    let heard = rig.sack(50, 0, &[(1, 5)]);
    assert_eq!((heard.congestion, heard.window), (Some(Congestion::Loss), 20));
    // 20 less 4 delivered and 1 lost are in flight. From a window that goes from 20 to 10, 4
    // delivered let 2 leave: RFC 6937.
    assert_eq!(rig.numbers(50), [0, 20]);
    assert_eq!(rig.sack(51, 0, &[(1, 6)]).window, 17);
    // The fifth lets the third leave: 16 and 1.
    assert_eq!(rig.numbers(51).len(), 1);
    assert_eq!(rig.sack(52, 0, &[(1, 7)]).window, 17);
    // All that was outstanding arrives: the controller's own window holds from now on.
    let heard = rig.ack(101, 21);
    assert_eq!((heard.ca_state, heard.ended), (CaState::Open, Some(CaState::Recovery)));
    rig.numbers(101);
    assert_eq!(rig.ack(150, 22).window, 10);
}

#[test]
fn a_burst_that_fills_the_window_counts_until_it_is_acknowledged() {
    let mut rig = Rig::with(10.0, &Transport::default());
    let usage = |rig: &mut Rig, ms, next| {
        let heard = rig.ack(ms, next);
        (heard.cwnd_limited, heard.most_outstanding)
    };
    rig.sender.write(4);
    rig.numbers(0);
    rig.sender.write(3);
    rig.numbers(10);
    // Bursts of four and three: seven outstanding at most.
    assert_eq!(usage(&mut rig, 100, 1), (false, 7));
    rig.sender.write(4);
    rig.numbers(101);
    assert_eq!(usage(&mut rig, 110, 4), (true, 10), "the window is full");
    // 7 outstanding, then 9, which is less than the window; 11 and more are not acknowledged before
    // 220 ms.
    rig.sender.write(2);
    rig.numbers(111);
    assert_eq!(usage(&mut rig, 200, 7), (true, 10), "not all of the full window is acknowledged");
    assert_eq!(usage(&mut rig, 220, 12), (true, 10));
    rig.sender.write(1);
    rig.numbers(221);
    assert_eq!(usage(&mut rig, 330, 14), (false, 2));
}

#[test]
fn retransmissions_alone_say_nothing_of_the_use_of_the_window() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write(6);
    rig.numbers(0);
    rig.script.lock().unwrap().reduced = 1.0;
    // 0 and 1 are lost and 1 in flight: no more than that one leaves, which fills the window.
    rig.sack(50, 0, &[(2, 5)]);
    assert_eq!(rig.numbers(50).len(), 1);
    let heard = rig.sack(60, 0, &[(2, 6)]);
    assert_eq!((heard.cwnd_limited, heard.most_outstanding), (false, 6));
}

/// Segments 0 to 9, of which 0 is taken for lost and sent again at 102 ms.
fn repaired() -> Rig {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write(10);
    rig.numbers(0);
    let heard = rig.sack(102, 0, &[(1, 4)]);
    assert_eq!(
        (heard.undone, heard.ended, heard.resent_acked, heard.duplicate),
        (false, None, false, false)
    );
    assert_eq!(rig.numbers(102), [0]);
    rig
}

#[test]
fn an_undo_is_told_with_the_acknowledgement_that_proves_it() {
    let mut rig = repaired();
    let ack = Ack { next: 4, echo: at(0), window: u32::MAX, ..Ack::default() };
    let heard = rig.deliver(at(103), ack).unwrap();
    assert_eq!((heard.undone, heard.ended, heard.resent_acked), (true, None, true));
    let heard = rig.ack(104, 6);
    assert_eq!((heard.undone, heard.ended, heard.resent_acked), (false, None, false));
}

#[test]
fn the_end_of_a_recovery_is_told_once_and_with_the_reduction_that_follows() {
    let mut rig = repaired();
    let heard = rig.ack(202, 10);
    assert_eq!(
        (heard.ended, heard.ca_state, heard.resent_acked, heard.congestion),
        (Some(CaState::Recovery), CaState::Open, true, None)
    );
    rig.sender.write(1);
    rig.numbers(203);
    assert_eq!(rig.ack(303, 11).ended, None);

    // A recovery follows the one before in the same acknowledgement.
    let mut rig = repaired();
    rig.sender.write(10);
    rig.sack(110, 0, &[(1, 10)]);
    let sent = rig.numbers(111);
    assert_eq!(sent, [10, 11, 12, 13]);
    let heard = rig.sack(215, 10, &[(11, 14)]);
    assert_eq!(
        (heard.ended, heard.congestion, heard.lost),
        (Some(CaState::Recovery), Some(Congestion::Loss), vec![10])
    );
}

#[test]
fn the_end_of_a_reduction_for_a_mark_and_of_one_for_a_timeout_are_told() {
    let mut rig = Rig::new(10.0);
    rig.decide(|decision| decision.ecn = Ecn::Ect0);
    rig.ack_nothing();
    rig.numbers(0);
    let echo = |rig: &mut Rig, ms, next, ece| {
        rig.deliver(at(ms), Ack { next, window: u32::MAX, ece, ..Ack::default() }).unwrap()
    };
    assert_eq!(echo(&mut rig, 100, 1, true).congestion, Some(Congestion::Mark));
    rig.numbers(100);
    assert_eq!(echo(&mut rig, 110, 10, false).ended, None);
    rig.numbers(110);
    assert_eq!(echo(&mut rig, 200, 11, false).ended, Some(CaState::Cwr));

    let mut rig =
        Rig::with(4.0, &Transport { tail_loss_probe: false, frto: false, ..Transport::default() });
    rig.sender.write(4);
    rig.numbers(0);
    rig.run_until(1_000);
    assert_eq!(
        rig.script
            .lock()
            .unwrap()
            .timeouts
            .iter()
            .map(|one| (one.in_flight, one.in_flight_after))
            .collect::<Vec<_>>(),
        [(4, 0)]
    );
    let ack = Ack { next: 4, echo: at(1_000), window: u32::MAX, ..Ack::default() };
    assert_eq!(rig.deliver(at(1_100), ack).unwrap().ended, Some(CaState::Loss));
}

#[test]
fn a_segment_sent_twice_counts_when_it_is_passed_though_sack_had_covered_it() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    rig.script.lock().unwrap().reduced = 8.0;
    rig.sack(50, 0, &[(2, 6)]);
    assert_eq!(rig.numbers(50)[..2], [0, 1]);
    // The second retransmission arrives first.
    assert!(!rig.sack(101, 0, &[(1, 6)]).resent_acked, "it is not passed yet");
    // An acknowledgement that says less than it could.
    let heard = rig.sack(102, 1, &[(1, 6)]);
    assert!(heard.resent_acked, "the first one");
    let heard = rig
        .deliver(at(103), Ack { next: 6, echo: at(50), window: u32::MAX, ..Ack::default() })
        .unwrap();
    assert_eq!(
        (heard.acked.len(), heard.resent_acked),
        (0, true),
        "the second, in the place of four that were sent once"
    );
}

#[test]
fn duplicates_and_losses_that_a_probe_repaired_are_told() {
    let mut rig = Rig::with(4.0, &Transport::default());
    rig.sender.write(4);
    rig.numbers(0);
    rig.ack(50, 3);
    assert_eq!(rig.run_until(300).len(), 1);
    assert!(!rig.ack(350, 4).probe_loss, "not known yet");
    rig.sender.write(1);
    rig.numbers(360);
    let heard = rig.ack(410, 5);
    assert_eq!((heard.probe_loss, heard.congestion), (true, Some(Congestion::Loss)));
    rig.sender.write(1);
    rig.numbers(420);
    let heard = rig.dsack(470, 6, &[(3, 4)]);
    assert_eq!((heard.duplicate, heard.probe_loss), (true, false));
    let late = Ack { next: 6, window: u32::MAX, blocks: ranges(&[]), ..Ack::default() };
    assert!(rig.deliver(at(480), late).is_none_or(|heard| !heard.duplicate));
}

#[test]
fn a_connection_without_sack_finds_one_loss_per_round_trip_unless_transmissions_have_numbers() {
    for (acks, selective) in [(AckFormat::Cumulative, false), (AckFormat::Numbered, true)] {
        let mut rig = Rig::with(10.0, &Transport { acks, sack: false, ..Transport::default() });
        rig.sender.on_open(at(20), Span::from_millis(20), Role::Active);
        assert_eq!(
            rig.script.lock().unwrap().opened.map(|open| open.selective),
            Some(selective),
            "{acks:?}"
        );
    }
}

#[test]
fn a_connection_opens_with_its_role_and_closes_once() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.decide(|decision| decision.ecn = Ecn::Ect1);
    rig.ack_nothing();
    rig.sender.on_open(at(20), Span::from_millis(20), Role::Passive);
    let open = rig.script.lock().unwrap().opened.unwrap();
    assert_eq!(
        (open.now, open.rtt, open.role, open.ecn),
        (at(20), Span::from_millis(20), Role::Passive, true)
    );
    assert!(open.selective);
    rig.sender.close(at(30));
    rig.sender.close(at(40));
    assert_eq!(rig.script.lock().unwrap().closed, [at(30)]);

    let mut rig = Rig::new(10.0);
    rig.sender.on_open(at(20), Span::from_millis(20), Role::Active);
    assert_eq!(
        rig.script.lock().unwrap().opened.map(|open| (open.role, open.ecn)),
        Some((Role::Active, false))
    );
}
