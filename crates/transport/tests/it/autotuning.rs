//! Which segments a receiver acknowledges while Linux's receive window grows. `sudo
//! contrib/kernel-tcp/acks.py` shows it on this host's kernel.

use narrows_transport::{Data, Receiver, Transport};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Ecn;
use std::collections::BTreeMap;

/// The sender of `acks.py`: slow start up to the `largest` window, a bottleneck without losses,
/// then half a round trip each way. Returns how many acknowledgements cover the first n segments,
/// for each n.
fn acknowledgements(
    rate: Rate,
    rtt: Span,
    largest: u64,
    total: u64,
    transport: &Transport,
) -> Vec<u64> {
    let mut receiver = Receiver::new(transport);
    let takes = rate.time_for(Bytes::new(1500));
    let mut free = Time::ZERO;
    let mut sent = 0;
    let mut known = 0;
    let mut window = 10;
    // Pending events: `None` is the arrival of a segment, a number the arrival of an
    // acknowledgement.
    let mut events: BTreeMap<(Time, u64), Option<u64>> = BTreeMap::new();
    let mut now = Time::ZERO;
    let mut order = 0;
    let mut counts = vec![0; total as usize + 1];
    let mut acks = 0;
    let mut arrived = 0;
    while known < total {
        while sent < total && sent - known < window {
            free = free.max(now) + takes;
            order += 1;
            events.insert((free, order), None);
            sent += 1;
        }
        let Some(((at, _), event)) = events.pop_first() else { panic!("nothing is under way") };
        now = at;
        match event {
            None => {
                // Data that arrives now left a round trip after the acknowledgement that let it go.
                let acked = known as u32;
                let data = Data {
                    number: arrived,
                    bytes: Bytes::new(1448),
                    stamp: at,
                    packet: 0,
                    acked,
                    retransmission: false,
                    cwr: false,
                };
                arrived += 1;
                if let Some(ack) = receiver.on_data(at, &data, Ecn::NotEct, None) {
                    acks += 1;
                    order += 1;
                    events.insert((at + rtt, order), Some(ack.next));
                }
                counts[arrived as usize] = acks;
            }
            Some(next) => {
                window = largest.min(window + next - known);
                known = next;
            }
        }
        if let Some(due) = receiver.next_timer().filter(|_| events.is_empty())
            && let Some(ack) = receiver.on_timer(due)
        {
            order += 1;
            events.insert((due + rtt, order), Some(ack.next));
        }
    }
    counts
}

/// Rate in Mbit/s, round trip in ms, largest window and amount of data in segments, and runs of
/// acknowledgements that cover so many segments each.
type Case = (u64, u64, u64, u64, &'static [(u64, u64)]);

/// The output of `acks.py` on Linux 6.18 with `tcp_rmem` of 4096, 131072 and 33554432 B: runs of
/// acknowledgements, and the segments that each of them covers.
#[test]
fn segments_are_acknowledged_one_by_one_where_linux_does_so() {
    let kernel: [Case; 5] = [
        (
            10,
            100,
            166,
            600,
            &[(22, 1), (5, 2), (24, 1), (8, 2), (67, 1), (6, 2), (120, 1), (164, 2)],
        ),
        (2, 100, 34, 300, &[(22, 1), (3, 2), (8, 1), (132, 2)]),
        (
            5,
            200,
            166,
            600,
            &[(22, 1), (5, 2), (24, 1), (8, 2), (67, 1), (6, 2), (120, 1), (164, 2)],
        ),
        (5, 50, 42, 300, &[(22, 1), (5, 2), (24, 1), (122, 2)]),
        (
            10,
            300,
            500,
            1200,
            &[
                (22, 1),
                (5, 2),
                (24, 1),
                (8, 2),
                (67, 1),
                (5, 2),
                (1, 1),
                (1, 2),
                (119, 1),
                (19, 2),
                (1, 1),
                (1, 2),
                (239, 1),
                (6, 2),
                (56, 1),
                (290, 2),
            ],
        ),
    ];
    for (mbps, ms, largest, total, runs) in kernel {
        let counts = acknowledgements(
            Rate::from_mbps(mbps),
            Span::from_millis(ms),
            largest,
            total,
            &Transport::default(),
        );
        let mut segments = 0;
        let mut acks = 0;
        for (number, covered) in runs {
            (segments, acks) = (segments + number * covered, acks + number);
            let ours = counts[segments as usize];
            // The kernel's time stamps count milliseconds. A segment more in a round trip, 1.2 ms
            // at 10 Mbit/s, makes the window's limit six larger: three acknowledgements. Two are
            // allowed.
            assert!(
                ours.abs_diff(acks) <= 6,
                "{mbps} Mbit/s, {ms} ms: {acks} for the first {segments} segments, not {ours}"
            );
        }
    }
}

#[test]
fn without_it_only_the_first_are_acknowledged_one_by_one() {
    let plain = Transport { receive_autotuning: false, ..Transport::default() };
    let counts = acknowledgements(Rate::from_mbps(10), Span::from_millis(100), 166, 600, &plain);
    assert_eq!((counts[16], counts[116]), (16, 66));
    // A small window has no room to grow.
    let small = Transport { receive_window: Some(Bytes::new(60_000)), ..Transport::default() };
    let counts = acknowledgements(Rate::from_mbps(10), Span::from_millis(100), 40, 600, &small);
    assert_eq!((counts[16], counts[116]), (16, 66));
}
