//! Departures when nothing is wrong: windows, pacing, limits of data and receiver.

use crate::common::{Rig, at, segments};
use narrows_transport::{Ack, Transport};
use narrows_units::{Bytes, Rate, Span, Time};

#[test]
fn the_initial_window_leaves_at_once() {
    let mut rig = Rig::new(10.0);
    assert_eq!(rig.numbers(0), (0..10).collect::<Vec<_>>());
    assert_eq!(rig.sender.in_flight(), 10);
    rig.window(12.5);
    rig.ack(100, 2);
    assert_eq!(
        rig.numbers(100),
        [10, 11, 12, 13],
        "two that left the flight and two more, whole ones"
    );
    assert_eq!(rig.sender.ready_at(at(100)), None);
}

#[test]
fn a_window_below_one_segment_still_carries_one() {
    let mut rig = Rig::new(0.5);
    assert_eq!(rig.numbers(0), [0]);
    rig.ack(100, 1);
    assert_eq!(rig.numbers(100), [1]);
}

#[test]
fn a_transfer_ends_with_a_short_segment_and_is_done_when_that_is_acknowledged() {
    let mut rig = Rig::with(10.0, &Transport::default());
    rig.sender.write_message(Bytes::new(2 * 1448 + 1));
    rig.sender.finish();
    let sizes: Vec<u64> = rig.send(at(0)).iter().map(|data| data.bytes.get()).collect();
    assert_eq!(sizes, [1448, 1448, 1]);
    let heard = rig.ack(100, 3);
    assert_eq!(heard.acked.iter().map(|acked| acked.bytes.get()).collect::<Vec<_>>(), sizes);
    assert!(rig.sender.is_done());
    assert_eq!((rig.sender.in_flight(), rig.sender.next_timer()), (0, None));
}

#[test]
fn stopping_drops_what_was_never_sent() {
    let mut rig = Rig::new(4.0);
    rig.numbers(0);
    rig.sender.stop();
    assert!(!rig.sender.is_done());
    rig.ack(100, 2);
    assert_eq!(rig.numbers(100), [] as [u64; 0]);
    rig.sack(101, 2, &[(3, 4)]);
    assert_eq!(
        rig.run_until(400),
        [(at(126), 2)],
        "what was sent is repaired: segment 2 was a quarter of a round trip late"
    );
    rig.ack(500, 4);
    assert!(rig.sender.is_done());
    assert_eq!(rig.sender.next_timer(), None);
}

#[test]
fn the_receivers_window_bounds_what_is_sent() {
    let transport = Transport { receive_window: Some(segments(5)), ..Transport::default() };
    let mut rig = Rig::with(10.0, &transport);
    rig.sender.write(100);
    assert_eq!(rig.numbers(0), [0, 1, 2, 3, 4]);
    rig.deliver(at(100), Ack { next: 2, window: 5, ..Ack::default() });
    assert_eq!(rig.numbers(100), [5, 6]);
    let heard = rig.deliver(at(200), Ack { next: 7, window: 9, ..Ack::default() }).unwrap();
    assert!(heard.acked.iter().all(|acked| !acked.window_limited), "the window was not the limit");
    assert_eq!(rig.numbers(200), (7..16).collect::<Vec<_>>());
}

#[test]
fn a_burst_that_fills_the_window_is_limited_by_it_from_its_first_segment() {
    let mut rig = Rig::with(4.0, &Transport::default());
    rig.sender.write(3);
    rig.numbers(0);
    rig.sender.write(4);
    rig.numbers(50);
    let limited: Vec<bool> =
        rig.ack(100, 3).acked.iter().map(|acked| acked.window_limited).collect();
    assert_eq!(limited, [false, false, false], "the first three left room");
    assert!(rig.ack(150, 4).acked[0].window_limited);
    assert_eq!(rig.numbers(150), [4, 5, 6]);
    // The round that began with the window full is still under way.
    assert!(rig.ack(250, 7).acked.iter().all(|acked| acked.window_limited));
    rig.sender.write(1);
    rig.numbers(300);
    assert!(!rig.ack(400, 8).acked[0].window_limited, "a round that left room");
}

#[test]
fn pacing_spaces_segments_by_their_time_at_the_rate() {
    let mut rig = Rig::paced(1000.0);
    // 1500 B at 12 Mbit/s: 1 ms.
    rig.decide(|decision| decision.pacing = Some(Rate::from_mbps(12)));
    rig.ack(1000, 0);
    let mut times = Vec::new();
    let mut now = at(1000);
    for _ in 0..100 {
        times.extend(rig.send(now).iter().map(|_| now));
        now = rig.sender.ready_at(now).expect("it is paced, not blocked");
    }
    assert_eq!(times.len(), 100);
    let gaps: Vec<Span> = times.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    // A late start brings the first gap forward by half.
    assert_eq!(gaps[0], Span::from_micros(500));
    assert!(gaps[1..].iter().all(|gap| *gap == Span::from_millis(1)), "{gaps:?}");
}

#[test]
fn a_quantum_leaves_back_to_back_and_its_time_follows() {
    let mut rig = Rig::paced(1000.0);
    rig.decide(|decision| {
        decision.pacing = Some(Rate::from_mbps(12));
        decision.quantum = Bytes::new(4 * 1500);
    });
    rig.ack(0, 0);
    let mut bursts = Vec::new();
    let mut now = Time::ZERO;
    for _ in 0..50 {
        bursts.push((now, rig.send(now).len()));
        now = rig.sender.ready_at(now).unwrap();
    }
    assert!(
        bursts.iter().enumerate().all(|(i, burst)| *burst == (at(4 * i as u64), 4)),
        "{bursts:?}"
    );
}

#[test]
fn a_host_that_is_late_by_less_than_half_a_burst_loses_no_rate() {
    let mut rig = Rig::paced(10_000.0);
    rig.decide(|decision| {
        decision.pacing = Some(Rate::from_mbps(12));
        decision.quantum = Bytes::new(2 * 1500);
    });
    rig.ack(0, 0);
    let mut now = Time::ZERO;
    let mut sent = 0;
    for late in (0..1000).map(|i| Span::from_micros(i * 617 % 1000)) {
        sent += rig.send(now + late).len();
        now = rig.sender.ready_at(now + late).unwrap();
    }
    // 2000 segments take 2 s, and the last burst may have been late.
    assert_eq!(sent, 2000);
    assert!(now >= at(2000) && now.since(at(2000)) <= Span::from_millis(1), "{now}");
}

#[test]
fn a_quantum_below_a_segment_does_not_starve() {
    let mut rig = Rig::paced(1000.0);
    rig.decide(|decision| {
        decision.pacing = Some(Rate::from_mbps(12));
        decision.quantum = Bytes::new(1);
    });
    rig.ack(0, 0);
    let mut now = Time::ZERO;
    for i in 0..50 {
        assert_eq!((now, rig.send(now).len()), (at(i), 1));
        now = rig.sender.ready_at(now).unwrap();
    }
}

/// 1 bit/s: a segment takes 12,000 s. A raised rate counts from the next segment on.
#[test]
fn the_slowest_rate_still_sends() {
    let mut rig = Rig::paced(10.0);
    rig.decide(|decision| decision.pacing = Some(Rate::from_bps(1)));
    rig.ack(0, 0);
    assert_eq!(rig.numbers(0), [0]);
    assert_eq!(rig.sender.ready_at(at(0)), Some(at(12_000_000)));
}

/// Linux `tcp_update_skb_after_send`: the time at the pacing rate counts from the tenth segment on.
#[test]
fn the_first_ten_segments_leave_without_pacing() {
    let start = |transport: &Transport| {
        let mut rig = Rig::with(1000.0, transport);
        rig.sender.write(u64::MAX);
        // 1500 B at 12 Mbit/s: 1 ms.
        rig.decide(|decision| decision.pacing = Some(Rate::from_mbps(12)));
        rig.ack(0, 0);
        let first = rig.send(at(0)).len();
        assert_eq!((rig.sender.ready_at(at(0)), rig.send(at(1)).len()), (Some(at(1)), 1));
        first
    };
    assert_eq!(start(&Transport::default()), 10);
    for paced in [Transport { unpaced_start: 0, ..Transport::default() }, Transport::linux_2_4()] {
        assert_eq!(start(&paced), 1);
    }
    let numbered =
        Transport { acks: narrows_transport::AckFormat::Numbered, ..Transport::default() };
    assert_eq!(start(&numbered), 1, "as in QUIC");
}
