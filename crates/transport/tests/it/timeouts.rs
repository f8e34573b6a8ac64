//! Retransmission timeouts and tail loss probes.

use crate::common::{Rig, at};
use narrows_control::{CaState, Congestion, Role};
use narrows_transport::Transport;
use narrows_units::Span;

fn without_probes() -> Transport {
    Transport { tail_loss_probe: false, ..Transport::default() }
}

/// Shows RFC 6298 section 5: "The host MUST set RTO <- RTO * 2"
#[test]
fn timeouts_double_and_only_the_first_is_not_repeated() {
    let mut rig = Rig::with(10.0, &without_probes());
    rig.sender.write(u64::MAX);
    rig.numbers(0);
    // 1 s before any round trip is known, then 2, 4 and 8 s.
    assert_eq!(
        rig.run_until(16_000),
        [(at(1_000), 0), (at(3_000), 0), (at(7_000), 0), (at(15_000), 0)]
    );
    let script = rig.script.lock().unwrap();
    let seen: Vec<_> = script
        .timeouts
        .iter()
        .map(|timeout| (timeout.in_flight, timeout.lost, timeout.repeated))
        .collect();
    assert_eq!(seen, [(10, 10, false), (1, 1, true), (1, 1, true), (1, 1, true)]);
}

#[test]
fn the_timeout_is_the_round_trip_and_200_ms_after_the_latest_acknowledgement() {
    let mut rig = Rig::with(10.0, &without_probes());
    rig.sender.write(u64::MAX);
    rig.numbers(0);
    // First sample 40 ms: the variation term is at least 200 ms.
    rig.ack(40, 1);
    assert_eq!(rig.sender.next_timer(), Some(at(40 + 240)));
    rig.ack(45, 2);
    // 40 + 5/8 ms.
    assert_eq!(rig.sender.next_timer(), Some(at(45 + 240) + Span::from_micros(625)));
}

#[test]
fn after_a_timeout_everything_is_sent_again_from_one_segment() {
    let mut rig = Rig::with(4.0, &without_probes());
    rig.sender.write(4);
    rig.numbers(0);
    assert_eq!(rig.run_until(1_000), [(at(1_000), 0)]);
    rig.window(2.0);
    assert_eq!(rig.ack(1_100, 1).ca_state, CaState::Loss);
    assert_eq!(rig.numbers(1_100), [1, 2]);
    rig.window(4.0);
    assert_eq!(rig.ack(1_200, 3).ca_state, CaState::Loss);
    assert_eq!(rig.numbers(1_200), [3]);
    assert_eq!(rig.ack(1_300, 4).ca_state, CaState::Open);
    assert_eq!(rig.sender.next_timer(), None);
}

/// Linux `tcp_enter_loss`: progress between two timeouts in the same data makes the second a
/// reduction of its own.
#[test]
fn a_timeout_after_progress_reduces_again() {
    let mut rig = Rig::with(4.0, &without_probes());
    rig.sender.write(8);
    rig.numbers(0);
    rig.run_until(1_000);
    rig.ack(1_100, 1);
    rig.numbers(1_100);
    rig.run_until(1_500);
    let script = rig.script.lock().unwrap();
    assert_eq!(
        script.timeouts.iter().map(|timeout| timeout.repeated).collect::<Vec<_>>(),
        [false, false]
    );
}

#[test]
fn a_round_trip_measured_ends_the_back_off() {
    let mut rig = Rig::with(1.0, &without_probes());
    rig.sender.write(100);
    rig.numbers(0);
    rig.run_until(3_000);
    // The stamp tells which of three transmissions is acknowledged: 100 ms. Three times that is the
    // first timeout.
    let ack =
        narrows_transport::Ack { next: 1, echo: at(3_000), window: u32::MAX, ..Default::default() };
    let heard = rig.deliver(at(3_100), ack).unwrap();
    assert_eq!(heard.rtt, Some(Span::from_millis(100)));
    assert_eq!(rig.numbers(3_100), [1]);
    assert_eq!(rig.sender.next_timer(), Some(at(3_400)));
}

/// Karn: what a cumulative acknowledgement says with a retransmission among it counts from the
/// stamp alone, for the others waited for that one.
///
/// Shows RFC 6298 section 3: "TCP MUST use Karn's algorithm [KP87] for taking RTT samples"
#[test]
fn segments_that_waited_for_a_retransmission_give_no_round_trip() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    rig.sack(100, 0, &[(1, 4)]);
    rig.numbers(100);
    // The acknowledgements of 4 to 9 were lost; the retransmission arrives and delivers all.
    let heard = rig.ack(201, 10);
    assert_eq!((heard.acked.len(), heard.rtt), (7, Some(Span::from_millis(101))));
}

#[test]
fn a_probe_with_new_data_leaves_after_two_round_trips_of_silence() {
    let mut rig = Rig::new(4.0);
    rig.numbers(0);
    rig.ack(50, 1);
    assert_eq!(rig.numbers(50), [4]);
    // 2 · 50 ms + 2 ms after the latest segment; the window is full all the same.
    assert_eq!(rig.run_until(200), [(at(152), 5)]);
    assert_eq!(rig.sender.in_flight(), 5);
    // No second probe: the timeout follows, 50 + 200 ms after the probe.
    assert_eq!(rig.sender.next_timer(), Some(at(402)));
}

#[test]
fn a_probe_without_new_data_repeats_the_last_segment_and_a_lone_one_waits_longer() {
    let mut rig = Rig::with(4.0, &Transport::default());
    rig.sender.write(4);
    rig.numbers(0);
    rig.ack(50, 2);
    assert_eq!(rig.sender.next_timer(), Some(at(152)));
    assert_eq!(rig.run_until(200), [(at(152), 3)]);
    let mut rig = Rig::with(4.0, &Transport::default());
    rig.sender.write(4);
    rig.numbers(0);
    rig.ack(10, 3);
    // One segment in flight may wait for a delayed acknowledgement: 20 + 200 ms, but not longer
    // than the timeout, 210 ms.
    assert_eq!(rig.run_until(300), [(at(220), 3)]);
}

#[test]
fn a_probe_that_repaired_a_loss_costs_a_reduction() {
    let mut rig = Rig::with(4.0, &Transport::default());
    rig.sender.write(4);
    rig.numbers(0);
    rig.ack(50, 3);
    assert_eq!(rig.run_until(300).len(), 1);
    assert_eq!(rig.ack(350, 4).congestion, None, "not known yet");
    rig.sender.write(1);
    rig.numbers(360);
    let heard = rig.ack(410, 5);
    assert_eq!((heard.congestion, heard.ca_state), (Some(Congestion::Loss), CaState::Open));
    assert_eq!(rig.sender.effective_window(), 2.0);
}

#[test]
fn a_probe_that_came_twice_costs_nothing() {
    let mut rig = Rig::with(4.0, &Transport::default());
    rig.sender.write(4);
    rig.numbers(0);
    rig.ack(50, 3);
    rig.run_until(300);
    rig.ack(310, 4);
    rig.dsack(350, 4, &[(3, 4)]);
    rig.sender.write(1);
    rig.numbers(360);
    assert_eq!(rig.ack(410, 5).congestion, None);
}

/// The recovery that the probe started has paid for the loss.
#[test]
fn a_probe_that_started_a_recovery_costs_no_second_reduction() {
    let mut rig = Rig::with(5.0, &Transport::default());
    rig.sender.write(5);
    rig.numbers(0);
    rig.ack(50, 1);
    assert_eq!(rig.run_until(152), [(at(152), 4)]);
    assert_eq!(rig.sack(202, 1, &[(4, 5)]).congestion, Some(Congestion::Loss));
    rig.numbers(202);
    rig.sack(252, 5, &[]);
    rig.sender.write(2);
    rig.numbers(260);
    assert_eq!(rig.ack(310, 6).congestion, None);
    assert_eq!(rig.script.lock().unwrap().reductions().len(), 1);
}

#[test]
fn a_segment_that_sack_covers_is_not_probed() {
    let mut rig = Rig::with(4.0, &Transport::default());
    rig.sender.write(4);
    rig.numbers(0);
    rig.ack(50, 2);
    rig.sack(60, 2, &[(3, 4)]);
    // Segment 2 is a quarter of a round trip late at 60 + 12.5 ms.
    assert_eq!(rig.run_until(200).iter().map(|(_, number)| *number).collect::<Vec<_>>(), [2]);
    rig.ack(210, 4);
    assert_eq!(rig.sender.in_flight(), 0);
}

#[test]
fn a_probe_lost_too_ends_in_a_timeout() {
    let mut rig = Rig::with(2.0, &Transport::default());
    rig.sender.write(2);
    rig.numbers(0);
    rig.ack(50, 1);
    // The probe at 50 + 100 + 200, but at most the timeout: 250 after the acknowledgement. Then
    // another 250, then 500.
    assert_eq!(rig.run_until(1_100), [(at(300), 1), (at(550), 1), (at(1_050), 1)]);
    let script = rig.script.lock().unwrap();
    assert_eq!(
        script
            .timeouts
            .iter()
            .map(|timeout| (timeout.in_flight, timeout.repeated))
            .collect::<Vec<_>>(),
        [(1, false), (1, true)]
    );
}

#[test]
fn the_handshakes_round_trip_sets_the_first_timeout() {
    let mut rig = Rig::with(2.0, &Transport { tail_loss_probe: false, ..Transport::default() });
    rig.sender.on_open(at(50), Span::from_millis(50), Role::Active);
    assert_eq!(
        (rig.sender.rtt().srtt(), rig.sender.rtt().minimum()),
        (Span::from_millis(50), Some(Span::from_millis(50)))
    );
    rig.sender.write(1);
    rig.numbers(50);
    // The mean, and a variation of at least the least timeout: 250 ms, in place of a second.
    assert_eq!(rig.run_until(400), [(at(300), 0)]);
}

/// Cases `own` and `other` of `contrib/kernel-tcp`: that the probe's own segment came twice means
/// that nothing was lost; of another one it means nothing.
#[test]
fn only_a_duplicate_of_the_probe_says_that_it_repaired_nothing() {
    for (duplicate, lost) in [((9, 10), false), ((3, 4), true)] {
        let mut rig = Rig::with(10.0, &Transport::default());
        rig.sender.write(10);
        rig.numbers(0);
        rig.ack(50, 9);
        assert_eq!(rig.run_until(360).iter().map(|sent| sent.1).collect::<Vec<_>>(), [9]);
        rig.sender.write(1);
        rig.numbers(361);
        assert_eq!(rig.dsack(380, 11, &[duplicate]).probe_loss, lost, "{duplicate:?}");
    }
}

/// Case `frames` of `contrib/kernel-tcp`: each frame puts the probe off, and with it the timeout,
/// until the window holds frames back. Then the probe, and as one was out before, in its place the
/// timeout.
#[test]
fn frames_put_the_timeout_off_until_the_window_is_full() {
    let mut rig = Rig::with(10.0, &Transport::default());
    let mut sent = Vec::new();
    for frame in 0..20 {
        let now = 62 * frame;
        sent.extend(
            rig.run_until(now).iter().map(|(at, number)| (at.as_nanos() / 1_000_000, *number)),
        );
        rig.sender.write(1);
        sent.extend(rig.numbers(now).iter().map(|number| (now, *number)));
        // A round trip of 50 ms, until the acknowledgements stop.
        if frame < 10 {
            rig.run_until(now + 50);
            rig.ack(now + 50, frame + 1);
        }
    }
    sent.extend(
        rig.run_until(1_700).iter().map(|(at, number)| (at.as_nanos() / 1_000_000, *number)),
    );
    // The timeout of frame 10 is at 870 ms: a probe in its place, which takes no place in the
    // window. Frame 19 is the tenth outstanding.
    let frames = |numbers: std::ops::RangeInclusive<u64>| numbers.map(|frame| (62 * frame, frame));
    let expected: Vec<(u64, u64)> =
        frames(0..=14).chain([(870, 14)]).chain(frames(15..=19)).chain([(1_280, 10)]).collect();
    assert_eq!(sent, expected);
}

/// Case `slow` of `contrib/kernel-tcp`: segments take 120 ms each, the handshake took 30. A segment
/// that left with the acknowledgement keeps its chance, and the next original takes the timeout
/// back.
#[test]
fn a_probe_that_is_out_makes_a_timeout_of_the_next() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.on_open(at(0), Span::from_millis(30), Role::Active);
    rig.sender.write(30);
    rig.numbers(0);
    // Twice 30 ms and 2 ms: a probe of new data.
    assert_eq!(rig.run_until(147), [(at(62), 10)]);
    rig.ack(148, 1);
    assert_eq!(rig.numbers(148), [] as [u64; 0], "the probe has taken the place");
    let sent = rig.run_until(267);
    assert_eq!(sent.iter().map(|sent| sent.1).collect::<Vec<_>>(), [1]);
    // Linux: at 254 ms.
    assert!((at(240)..at(260)).contains(&sent[0].0), "{sent:?}");
    let original =
        narrows_transport::Ack { next: 2, echo: at(0), window: u32::MAX, ..Default::default() };
    assert!(rig.deliver(at(268), original).unwrap().undone);
}

/// RFC 8985 section 6.3, Linux `tcp_timeout_mark_lost`: what left less than a round trip ago keeps
/// its chance. The first segment leaves whatever the window says.
#[test]
fn a_timeout_does_not_give_up_what_has_just_left() {
    let mut rig = Rig::with(10.0, &without_probes());
    rig.sender.write(2);
    rig.numbers(0);
    rig.ack(100, 2);
    rig.sender.write(1);
    rig.numbers(100);
    rig.sender.write(1);
    rig.numbers(300);
    rig.sender.write(1);
    rig.numbers(350);
    // 100 ms and 200 ms after segment 2.
    assert_eq!(rig.run_until(410), [(at(400), 2)]);
    let timeout = rig.script.lock().unwrap().timeouts[0];
    assert_eq!((timeout.in_flight, timeout.lost, timeout.in_flight_after), (3, 2, 1));
    assert_eq!(rig.sender.in_flight(), 2, "segment 4, and 2 again");
    // The repetition arrives and segment 4, which left before it, does not.
    assert_eq!(rig.ack(500, 3).lost, [4]);
}
