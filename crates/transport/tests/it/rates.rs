//! Delivery rate samples and the marks of an application that has nothing to send.

use crate::common::{Rig, at};
use narrows_transport::{Ack, Transport};
use narrows_units::Span;

#[test]
fn a_sample_counts_what_was_delivered_since_its_segment_left() {
    let mut rig = Rig::new(4.0);
    rig.numbers(0);
    let first = rig.ack(100, 2).rate.expect("a sample");
    assert_eq!(
        (first.delivered, first.interval, first.prior_delivered),
        (2, Some(Span::from_millis(100)), 0)
    );
    assert_eq!(rig.numbers(100), [4, 5]);
    let second = rig.ack(110, 4).rate.expect("a sample");
    // Both left at 0 with nothing delivered; the send phase was 0, the acknowledgements took 110
    // ms.
    assert_eq!(
        (second.delivered, second.interval, second.prior_delivered),
        (4, Some(Span::from_millis(110)), 0)
    );
    assert_eq!(rig.numbers(110), [6, 7]);
    // 4 and 5 left at 100, when 2 were delivered, at 100 the last time.
    let third = rig.ack(205, 6).rate.expect("a sample");
    assert_eq!(
        (third.delivered, third.interval, third.prior_delivered),
        (4, Some(Span::from_millis(105)), 2)
    );
}

#[test]
fn the_longer_of_send_and_acknowledgement_interval_counts() {
    let mut rig = Rig::new(2.0);
    rig.numbers(0);
    rig.window(3.0);
    rig.ack(100, 1);
    assert_eq!(rig.numbers(180), [2, 3]);
    rig.ack(200, 2);
    // Acknowledged 100 ms after they left at 180 ms, when 1 was delivered at 100: acknowledgements
    // took 180 ms, sending (from 0) 180 ms.
    let sample = rig.ack(280, 4).rate.expect("a sample");
    assert_eq!(
        (sample.delivered, sample.interval, sample.prior_delivered),
        (3, Some(Span::from_millis(180)), 1)
    );
    assert_eq!(
        (sample.send_interval, sample.ack_interval),
        (Span::from_millis(180), Span::from_millis(180))
    );
    assert_eq!((sample.end, sample.resent), (4, false));
}

#[test]
fn a_new_least_round_trip_is_no_artefact() {
    let mut rig = Rig::new(2.0);
    rig.numbers(0);
    rig.ack(100, 2);
    assert_eq!(rig.numbers(100), [2, 3]);
    // Acknowledged 40 ms after leaving: a new least round trip, so the sample stands.
    assert_eq!(rig.ack(140, 4).rate.and_then(|rate| rate.interval), Some(Span::from_millis(40)));
}

#[test]
fn a_sample_over_less_than_the_least_round_trip_has_no_interval() {
    let mut rig = Rig::with(10.0, &Transport { timestamps: false, ..Transport::default() });
    rig.sender.write(u64::MAX);
    rig.numbers(0);
    // 5 are in flight after this, of a window of 6.
    rig.script.lock().unwrap().reduced = 6.0;
    rig.sack(40, 0, &[(2, 5)]);
    assert_eq!(rig.numbers(40), [0]);
    // Without stamps what was sent twice shows no round trip: the least one is 40 ms.
    let rate = rig.ack(45, 1).rate.expect("a segment is delivered");
    assert_eq!(
        (rate.interval, rate.ack_interval, rate.end, rate.resent),
        (Some(Span::from_millis(40)), Span::from_millis(5), 1, true)
    );
    assert_eq!(rig.numbers(45)[0], 1);
    // The original of 1 arrives: 5 ms after that of 0 was sent again, 7 ms after its delivery.
    let rate = rig.ack(52, 5).rate.expect("a segment is delivered");
    assert_eq!((rate.interval, rate.delivered, rate.end, rate.resent), (None, 1, 2, true));
    assert_eq!(
        (rate.send_interval, rate.ack_interval),
        (Span::from_millis(5), Span::from_millis(7))
    );
}

#[test]
fn marks_are_counted_from_the_departure_of_the_sampled_segment() {
    let mut rig = Rig::new(4.0);
    rig.numbers(0);
    let ack = |rig: &mut Rig, ms, next, ce| {
        let heard =
            rig.deliver(at(ms), Ack { next, window: u32::MAX, ce, ..Ack::default() }).unwrap();
        heard.rate.unwrap().delivered_ce
    };
    assert_eq!(ack(&mut rig, 100, 1, 1), 1);
    assert_eq!(rig.numbers(100), [4]);
    assert_eq!(ack(&mut rig, 110, 4, 3), 3, "1 to 3 left before any");
    assert_eq!(rig.numbers(110).len(), 3);
    assert_eq!(ack(&mut rig, 200, 5, 4), 3, "4 left when one was known");
}

#[test]
fn only_a_write_finds_that_the_application_had_no_data() {
    for (mut rig, broad) in
        [(Rig::with(10.0, &Transport::default()), false), (Rig::broad(10.0), true)]
    {
        rig.sender.write(12);
        assert_eq!(rig.numbers(0).len(), 10);
        rig.ack(100, 2);
        assert_eq!(rig.numbers(100), [10, 11]);
        // All has been sent, and the window has room: a kernel without further writes does not
        // look.
        rig.ack(101, 3);
        rig.numbers(101);
        rig.sack(105, 3, &[(4, 10)]);
        assert_eq!(rig.numbers(105), [3], "segment 3 was lost");
        let marked: Vec<bool> =
            rig.script.lock().unwrap().sent.iter().map(|sent| sent.app_limited).collect();
        // The first write finds an empty queue, and the first segment delivered ends that.
        assert_eq!(marked[..12], [[!broad; 10].as_slice(), &[false; 2]].concat());
        assert_eq!(marked[12], broad, "the retransmission");
    }
}

#[test]
fn segments_of_a_flow_without_data_are_marked_until_the_gap_has_passed() {
    let mut rig = Rig::broad(10.0);
    rig.sender.write(2);
    rig.numbers(0);
    // Nothing more to send, 2 in flight: all that leaves until 2 and more are delivered.
    rig.sender.write(2);
    rig.numbers(10);
    rig.sender.write(1000);
    rig.numbers(20);
    let script = rig.script.clone();
    let marked: Vec<bool> =
        script.lock().unwrap().sent.iter().map(|sent| sent.app_limited).collect();
    assert_eq!(marked, [false, false, true, true, true, true, true, true, true, true]);
    assert!(!rig.ack(100, 2).rate.unwrap().app_limited);
    assert!(rig.ack(110, 4).rate.unwrap().app_limited);
    rig.numbers(110);
    // The bubble of 4 is delivered and gone: 10 to 13 left with 2 and 4 delivered, the latter while
    // 4 were not yet exceeded.
    assert!(rig.ack(120, 10).rate.unwrap().app_limited);
    rig.numbers(120);
    assert!(!script.lock().unwrap().sent.last().unwrap().app_limited);
    rig.ack(210, 14);
    assert!(!rig.ack(220, 20).rate.unwrap().app_limited);
}

#[test]
fn a_retransmission_carries_the_marks_of_its_own_time() {
    let mut rig = Rig::with(20.0, &Transport::default());
    rig.sender.write(2);
    rig.numbers(0);
    rig.sender.write(8);
    rig.numbers(1);
    rig.sender.write(1000);
    rig.numbers(2);
    // 2 to 19 left while the application was the limit; 2 is lost, and repaired when it no longer
    // is.
    rig.ack(100, 2);
    rig.sack(102, 2, &[(3, 16)]);
    assert_eq!(rig.numbers(102)[0], 2);
    let acked = rig.ack(202, 16).acked;
    assert_eq!((acked.len(), acked[0].number), (1, 2));
    assert!(!acked[0].app_limited);
}

#[test]
fn a_controller_without_rate_samples_is_told_when_the_application_is_no_longer_the_limit() {
    let mut rig = Rig::unsampled(10.0);
    rig.sender.write(2);
    rig.numbers(0);
    rig.sender.write(1000);
    rig.numbers(10);
    rig.ack(100, 4);
    rig.numbers(100);
    let sent = rig.script.lock().unwrap().sent.clone();
    assert!(sent[2].app_limited && !sent.last().unwrap().app_limited);
}

#[test]
fn a_lone_short_segment_warns_of_a_delayed_acknowledgement() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write_message(narrows_units::Bytes::new(100));
    rig.sender.finish();
    rig.send(at(0));
    assert!(rig.ack(140, 1).rate.unwrap().ack_delayed);
}
