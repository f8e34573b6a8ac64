//! A controller that cannot go on.

use crate::common::{Rig, at};
use narrows_control::{Controller, Decision, Fault, Feedback, Timeout};
use narrows_transport::{AckFormat, Sender, Signals, Transport};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::Ecn;

const TEXT: &str = "cong_avoid, line 7: the map is empty; fill it in init";

fn fails(rig: &Rig) {
    rig.script.lock().unwrap().fault = Some(Fault::new(TEXT));
}

/// Since when there is a fault, which is the one above.
fn failed_at(rig: &Rig) -> Option<narrows_units::Time> {
    rig.sender.fault().map(|(since, fault)| {
        assert_eq!(fault.to_string(), TEXT);
        since
    })
}

#[test]
fn after_a_fault_at_an_acknowledgement_nothing_leaves_and_a_timer_is_due_at_once() {
    let mut rig = Rig::new(10.0);
    assert_eq!(rig.numbers(0).len(), 10);
    assert_eq!(failed_at(&rig), None);
    fails(&rig);
    rig.ack(50, 1);
    assert_eq!((failed_at(&rig), rig.sender.next_timer()), (Some(at(50)), Some(at(50))));
    assert_eq!((rig.sender.ready_at(at(50)), rig.numbers(50)), (None, vec![]));
    // No timer acts any more: neither the retransmission's nor a probe's.
    for ms in [50, 300, 5_000] {
        rig.sender.on_timer(at(ms));
        assert_eq!((rig.sender.ready_at(at(ms)), rig.numbers(ms)), (None, vec![]));
    }
    let script = rig.script.lock().unwrap();
    assert_eq!(
        (script.timeouts.len(), rig.sender.counters().timeouts, rig.sender.counters().sent),
        (0, 0, 10)
    );
}

#[test]
fn a_fault_when_a_segment_leaves_ends_the_burst() {
    let mut rig = Rig::new(10.0);
    fails(&rig);
    assert_eq!(rig.numbers(7), [0]);
    assert_eq!((failed_at(&rig), rig.sender.next_timer()), (Some(at(7)), Some(at(7))));
}

#[test]
fn a_fault_stays_the_one_that_came_first_and_what_arrives_later_moves_nothing() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    fails(&rig);
    rig.sack(50, 0, &[(5, 10)]);
    rig.script.lock().unwrap().fault = Some(Fault::new("another"));
    rig.ack(60, 10);
    assert_eq!((failed_at(&rig), rig.numbers(60)), (Some(at(50)), vec![]));
    assert!(rig.sender.next_timer().is_some_and(|due| due <= at(60)));
}

#[test]
fn a_fault_at_a_timeout_repeats_nothing() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    let timeout = rig.sender.next_timer().unwrap();
    fails(&rig);
    rig.on_timer(timeout);
    assert_eq!((rig.script.lock().unwrap().timeouts.len(), failed_at(&rig)), (1, Some(timeout)));
    assert_eq!(rig.send(timeout), []);
}

/// A window and a rate that no network holds.
struct Unbounded;

impl Controller for Unbounded {
    fn on_feedback(&mut self, _: &Feedback<'_>) {}

    fn on_timeout(&mut self, _: &Timeout) {}

    fn on_undo(&mut self, _: Time) {}

    fn decision(&self) -> Decision {
        let pacing = Some(Rate::from_bps(10u64.pow(18)));
        Decision { pacing, ..Decision::clocked(4e9, Bytes::new(1500), Ecn::NotEct) }
    }

    fn inspect(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}

#[test]
fn a_window_that_no_network_holds_is_a_fault_once_four_million_segments_are_outstanding() {
    for acks in [AckFormat::Cumulative, AckFormat::Numbered] {
        let transport = Transport { acks, ..Transport::default() };
        let mut sender = Sender::new(transport, Box::new(Unbounded), Signals::default());
        sender.write(10_000_000);
        let mut sent = 0;
        let mut now = at(7);
        while let Some(ready) = sender.ready_at(now) {
            now = ready;
            sent += sender.transmit(now).is_ok() as u32;
        }
        let (since, fault) = sender.fault().expect("a fault");
        // The one that finds no room leaves still.
        assert_eq!((sent, since, sender.next_timer()), (4_194_305, now, Some(now)));
        assert_eq!(
            fault.to_string(),
            "4194304 segments are outstanding, under a window of 4000000000 segments and a pacing rate of 1000000000 Gbit/s; keep the window at a few times what \
             the path holds"
        );
    }
}
