//! Transmissions that are answered each by itself, as Interests are.

use crate::common::{Rig, at};
use narrows_control::Congestion;
use narrows_transport::{AckFormat, Answer, Transport};
use narrows_units::Span;
use narrows_wire::Ecn;

fn rig() -> Rig {
    let mut rig = Rig::with(10.0, &Transport { acks: AckFormat::Numbered, ..Transport::default() });
    rig.sender.write(u64::MAX);
    rig.script.lock().unwrap().decision.ecn = Ecn::Ect0;
    rig.script.lock().unwrap().reduced = 5.0;
    rig.numbers(0);
    rig
}

fn answer(packet: u64) -> Answer {
    Answer { packet, segment: packet, ambiguous: false, marked: false }
}

#[test]
fn an_answer_delivers_its_segment_and_shows_a_round_trip() {
    let mut rig = rig();
    assert_eq!(rig.sender.on_answer(at(100), &answer(1)), Some(Span::from_millis(100)));
    assert_eq!(rig.sender.on_answer(at(100), &answer(1)), None, "again it says nothing");
    let script = rig.script.lock().unwrap();
    assert_eq!(script.heard[0].acked.iter().map(|acked| acked.number).collect::<Vec<_>>(), [1]);
    assert_eq!(
        (script.heard[0].ecn.ect0, script.heard[0].ecn.ce, rig.sender.in_flight()),
        (1, 0, 9)
    );
}

#[test]
fn an_ambiguous_answer_shows_no_round_trip() {
    let mut rig = rig();
    let ambiguous = Answer { ambiguous: true, ..answer(0) };
    assert_eq!(rig.sender.on_answer(at(3), &ambiguous), None);
    assert_eq!(
        (rig.sender.latest_rtt(), rig.sender.rtt().minimum(), rig.sender.in_flight()),
        (None, None, 9)
    );
}

#[test]
fn a_marked_answer_asks_for_a_reduction() {
    let mut rig = rig();
    rig.sender.on_answer(at(100), &Answer { marked: true, ..answer(0) });
    let script = rig.script.lock().unwrap();
    assert_eq!((script.heard[0].congestion, script.heard[0].ecn.ce), (Some(Congestion::Mark), 1));
}

#[test]
fn a_refusal_is_a_loss_at_once_and_only_once() {
    let mut rig = rig();
    rig.sender.on_nack(at(10), 4);
    assert_eq!(rig.sender.in_flight(), 9);
    rig.sender.on_nack(at(11), 4);
    rig.sender.on_nack(at(11), 77);
    assert_eq!(rig.script.lock().unwrap().reductions(), [Congestion::Loss]);
    assert_eq!(rig.sender.counters().declared_lost, 1);
    // The window is 5: once four more are answered, the segment leaves again by another
    // transmission, whose answer comes to it.
    for packet in [0, 1, 2, 3, 5] {
        rig.sender.on_answer(at(100), &answer(packet));
    }
    let again = rig.sender.transmit(at(100)).unwrap().0;
    assert_eq!((again.number, again.packet, again.retransmission), (4, 10, true));
    rig.sender.on_answer(at(200), &Answer { segment: 4, ..answer(10) });
    assert_eq!(rig.script.lock().unwrap().heard.last().unwrap().acked[0].number, 4);
}

/// The transmission was refused and is forgotten, and what it asked for comes by another way: the
/// segment is delivered all the same.
#[test]
fn a_late_answer_still_delivers() {
    let mut rig = rig();
    rig.sender.on_nack(at(10), 0);
    for packet in 1..10 {
        rig.sender.on_answer(at(100), &answer(packet));
    }
    rig.sender.on_answer(at(100), &answer(0));
    let next = rig.sender.transmit(at(150)).unwrap().0;
    assert_eq!((next.number, next.retransmission), (10, false), "segment 0 needs no repeating");
}
