//! Reductions that were not needed are taken back.

use crate::common::{Rig, at, ranges};
use narrows_control::CaState;
use narrows_transport::{Ack, Transport};

/// Segments 0 to 9, of which 0 is late enough to be taken for lost and sent again at 102 ms.
fn mistaken() -> Rig {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write(10);
    rig.numbers(0);
    rig.sack(102, 0, &[(1, 4)]);
    assert_eq!(rig.numbers(102), [0]);
    rig
}

#[test]
fn an_original_that_arrives_after_all_is_known_by_its_stamp() {
    let mut rig = mistaken();
    let ack = Ack { next: 4, echo: at(0), window: u32::MAX, ..Ack::default() };
    let heard = rig.deliver(at(103), ack).unwrap();
    assert_eq!((heard.ca_state, rig.script.lock().unwrap().undone), (CaState::Open, 1));
    assert_eq!(rig.sender.counters().undone, 1);
    assert_eq!(rig.script.lock().unwrap().reductions().len(), 1);
}

#[test]
fn a_retransmission_that_arrived_is_no_reason() {
    let mut rig = mistaken();
    rig.ack(202, 4);
    assert_eq!(rig.script.lock().unwrap().undone, 0);
}

#[test]
fn duplicates_of_all_retransmissions_prove_it_too() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write(10);
    rig.numbers(0);
    rig.script.lock().unwrap().reduced = 8.0;
    rig.sack(102, 0, &[(2, 8)]);
    assert_eq!(rig.numbers(102), [0, 1]);
    rig.ack(203, 10);
    assert_eq!(rig.script.lock().unwrap().undone, 0);
    rig.dsack(210, 10, &[(0, 1)]);
    assert_eq!(rig.script.lock().unwrap().undone, 0, "one of two");
    rig.dsack(211, 10, &[(1, 2)]);
    assert_eq!(rig.script.lock().unwrap().undone, 1);
    rig.dsack(212, 10, &[(1, 2)]);
    assert_eq!(rig.script.lock().unwrap().undone, 1, "once");
}

#[test]
fn a_timeout_that_came_too_soon_is_undone_and_nothing_more_is_sent_again() {
    let mut rig = Rig::with(4.0, &Transport { tail_loss_probe: false, ..Transport::default() });
    rig.sender.write(4);
    rig.numbers(0);
    assert_eq!(rig.run_until(1_000), [(at(1_000), 0)]);
    // The path was silent for a second: the originals arrive.
    let ack = Ack { next: 1, echo: at(0), window: u32::MAX, ..Ack::default() };
    let heard = rig.deliver(at(1_050), ack).unwrap();
    assert_eq!((heard.ca_state, rig.script.lock().unwrap().undone), (CaState::Open, 1));
    rig.window(4.0);
    rig.ack(1_051, 3);
    assert_eq!(rig.numbers(1_051), [] as [u64; 0]);
    assert_eq!(rig.sender.in_flight(), 1);
}

/// Segments that undo takes back are not declared lost again by the same clock.
#[test]
fn after_undo_reordering_is_waited_for() {
    let mut rig = Rig::with(20.0, &Transport::default());
    rig.sender.write(20);
    rig.numbers(0);
    rig.sack(102, 0, &[(5, 9)]);
    assert_eq!(rig.numbers(102), [0, 1]);
    let ack =
        Ack { next: 2, echo: at(0), window: u32::MAX, blocks: ranges(&[(5, 9)]), ..Ack::default() };
    let heard = rig.deliver(at(103), ack).unwrap();
    assert_eq!((heard.ca_state, heard.lost), (CaState::Disorder, vec![]));
    let ack = Ack { next: 3, ..ack };
    let heard = rig.deliver(at(104), ack).unwrap();
    assert_eq!((heard.ca_state, heard.lost, heard.congestion), (CaState::Disorder, vec![], None));
}

/// Case `late` of `contrib/kernel-tcp`. While a retransmission is under way nothing is taken back,
/// and nothing more is found lost or sent again.
#[test]
fn originals_that_arrive_one_by_one_prove_it_once_no_retransmission_is_under_way() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write(10);
    rig.numbers(0);
    rig.script.lock().unwrap().reduced = 5.0;
    rig.sack(50, 0, &[(5, 10)]);
    assert_eq!(rig.numbers(50), [0, 1, 2, 3, 4]);
    for next in 1..5 {
        let ack = Ack {
            next,
            echo: at(0),
            window: u32::MAX,
            blocks: ranges(&[(5, 10)]),
            ..Ack::default()
        };
        let heard = rig.deliver(at(90 + 20 * next), ack).unwrap();
        assert_eq!(
            (heard.ca_state, heard.lost, heard.undone),
            (CaState::Recovery, vec![], false),
            "{next}"
        );
        assert_eq!(rig.numbers(90 + 20 * next), [] as [u64; 0]);
    }
    let ack = Ack { next: 10, echo: at(0), window: u32::MAX, ..Ack::default() };
    let heard = rig.deliver(at(190), ack).unwrap();
    assert_eq!((heard.ca_state, heard.undone), (CaState::Open, true));
}

/// Case `spurious` of `contrib/kernel-tcp`: a probe repeats the last segment, then the timeout the
/// first. The originals of all but the last arrive after all; both copies of the last are lost,
/// which the segments after it show within a round trip.
#[test]
fn what_an_undone_timeout_gave_up_can_be_found_lost() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write(4);
    rig.numbers(0);
    rig.ack(50, 4);
    rig.sender.write(6);
    rig.numbers(60);
    let sent: Vec<u64> = rig.run_until(850).iter().map(|sent| sent.1).collect();
    assert_eq!(sent, [9, 4], "a probe and a timeout");
    let ack = Ack { next: 9, echo: at(60), window: u32::MAX, ..Ack::default() };
    assert!(rig.deliver(at(860), ack).unwrap().undone);
    rig.window(15.0);
    rig.sender.write(5);
    rig.ack(880, 9);
    assert_eq!(rig.numbers(880), [10, 11, 12, 13, 14]);
    assert_eq!(rig.sack(930, 9, &[(10, 15)]).lost, [9]);
    assert_eq!(rig.numbers(930), [9]);
}

#[test]
fn a_reduction_for_marks_is_never_undone() {
    let mut rig = Rig::new(10.0);
    rig.decide(|decision| decision.ecn = narrows_wire::Ecn::Ect0);
    rig.script.lock().unwrap().reduced = 9.0;
    rig.ack(0, 0);
    rig.numbers(0);
    let marked = Ack { next: 1, window: u32::MAX, ce: 1, ece: true, ..Ack::default() };
    rig.deliver(at(100), marked);
    rig.numbers(100);
    // A loss in the same window, found too soon.
    rig.sack(102, 1, &[(2, 6)]);
    assert_eq!(rig.sender.ca_state(), CaState::Recovery);
    assert_eq!(rig.numbers(102)[0], 1);
    rig.deliver(at(103), Ack { next: 6, window: u32::MAX, ..Ack::default() });
    assert_eq!(rig.script.lock().unwrap().undone, 0);
}
