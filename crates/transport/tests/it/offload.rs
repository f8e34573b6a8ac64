//! Segmentation and receive offload: what leaves and what is acknowledged together.

use crate::common::{Rig, at};
use narrows_transport::{Data, Receiver, Transport, Tso};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Ecn;

fn us(us: u64) -> Time {
    Time::ZERO + Span::from_micros(us)
}

/// Sizes of the bursts of the first millisecond at this pacing rate.
fn bursts(tso: Tso, rate: Rate) -> Vec<usize> {
    let mut rig = Rig::with(100.0, &Transport { tso, unpaced_start: 0, ..Transport::default() });
    rig.sender.write(u64::MAX);
    rig.decide(|decision| decision.pacing = Some(rate));
    rig.ack(0, 0);
    let mut bursts = Vec::new();
    let mut now = Time::ZERO;
    while now < at(5) {
        bursts.push(rig.send(now).len());
        now = rig.sender.ready_at(now).expect("it paces");
    }
    bursts
}

/// 1500 B at 30 Mbit/s take 400 us.
#[test]
fn a_paced_sender_lets_segments_go_one_by_one_unless_they_are_offloaded() {
    let rate = Rate::from_mbps(30);
    assert_eq!(bursts(Tso::Off, rate)[..4], [1, 1, 1, 1]);
    assert_eq!(bursts(Tso::Fixed(Bytes::new(4 * 1448)), rate)[..3], [4, 4, 4]);
    // 30 Mbit/s / 8 / 1024 are 3662 B, two segments.
    assert_eq!(bursts(Tso::Auto, rate)[..3], [2, 2, 2]);
    // 100 Mbit/s: 12,207 B, eight segments. 1 kbit/s: still two.
    assert_eq!(bursts(Tso::Auto, Rate::from_mbps(100))[..3], [8, 8, 8]);
    assert_eq!(bursts(Tso::Auto, Rate::from_mbps(1))[0], 2);
}

#[test]
fn offloaded_segments_leave_at_the_same_rate() {
    let (rate, single) = (Rate::from_mbps(30), |bursts: Vec<usize>| bursts.iter().sum::<usize>());
    let off = single(bursts(Tso::Off, rate));
    let auto = single(bursts(Tso::Auto, rate));
    assert!(auto.abs_diff(off) <= 2, "{auto} and {off} segments in 5 ms");
}

fn receiver() -> Receiver {
    Receiver::new(&Transport {
        gro: Span::from_micros(50),
        quick_acks: 0,
        receive_autotuning: false,
        ..Transport::default()
    })
}

fn data(number: u64) -> Data {
    Data {
        number,
        bytes: Bytes::new(1448),
        stamp: us(number),
        packet: 0,
        acked: 0,
        retransmission: false,
        cwr: false,
    }
}

#[test]
fn what_arrives_within_its_time_is_acknowledged_once() {
    let mut receiver = receiver();
    for number in 0..5 {
        assert_eq!(receiver.on_data(us(100 + 10 * number), &data(number), Ecn::NotEct, None), None);
    }
    assert_eq!(receiver.next_timer(), Some(us(150)));
    let ack = receiver.on_timer(us(150)).unwrap();
    assert_eq!((ack.next, ack.echo), (5, us(0)));
    assert_eq!(receiver.next_timer(), None);
}

#[test]
fn a_single_segment_still_waits_for_a_second() {
    let mut receiver = receiver();
    receiver.on_data(us(100), &data(0), Ecn::NotEct, None);
    assert_eq!(receiver.on_timer(us(150)), None);
    assert_eq!(receiver.next_timer(), Some(us(40_150)));
}

#[test]
fn sixty_four_kilobytes_are_complete_and_so_is_what_ends_short() {
    let mut full = receiver();
    let acks: Vec<u64> = (0..100)
        .filter(|number| full.on_data(us(100), &data(*number), Ecn::NotEct, None).is_some())
        .collect();
    assert_eq!(acks, [44, 89], "45 segments of 1448 B are 65,160 B");
    let mut short = receiver();
    short.on_data(us(100), &data(0), Ecn::NotEct, None);
    assert!(
        short
            .on_data(us(100), &Data { bytes: Bytes::new(7), ..data(1) }, Ecn::NotEct, None)
            .is_some()
    );
}

#[test]
fn what_is_out_of_order_or_marked_ends_the_gathering() {
    for (next, ecn) in [(2, Ecn::NotEct), (1, Ecn::Ce)] {
        let mut receiver = receiver();
        receiver.on_data(us(100), &data(0), Ecn::NotEct, None);
        let ack = receiver.on_data(us(110), &data(next), ecn, None).expect("at once");
        assert_eq!(ack.next, if next == 1 { 2 } else { 1 });
        assert_eq!(receiver.next_timer(), None);
    }
}
