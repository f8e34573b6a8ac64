//! Which segments a receiver acknowledges while Linux's receive window grows. `sudo contrib/kernel-tcp/acks.py` shows it on this host's kernel.

use narrows_transport::{Data, Receiver, Transport};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Ecn;
use std::collections::BTreeMap;

/// The sender of `acks.py`: slow start up to the `largest` window, a bottleneck without losses, then half a round trip each way. Returns how many
/// acknowledgements cover the first n segments, for each n.
fn acknowledgements(rate: Rate, rtt: Span, largest: u64, total: u64, transport: &Transport) -> Vec<u64> {
    let mut receiver = Receiver::new(transport);
    let takes = rate.time_for(Bytes::new(1500));
    let (mut free, mut sent, mut known, mut window) = (Time::ZERO, 0, 0, 10);
    // What happens next: a segment arrives, with what its sender knew, or what an acknowledgement says.
    let mut events: BTreeMap<(Time, u64), Option<u64>> = BTreeMap::new();
    let (mut now, mut order, mut counts) = (Time::ZERO, 0, vec![0; total as usize + 1]);
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
                let data =
                    Data { number: arrived, bytes: Bytes::new(1448), stamp: at, packet: 0, acked, retransmission: false, cwr: false };
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

/// Linux 6.18 (TUN, `tcp_rmem` of 4096, 131072 and 33554432 B): acknowledgements of so many first segments, in slow start and
/// shortly after it.
#[test]
fn as_many_acknowledgements_as_linux_sends_while_its_window_grows() {
    let kernel = [
        // 1x22 2x5 1x24 2x8 1x67 2x6 1x120, and so on.
        (10, 100, 166, 1500, [(32, 27), (56, 51), (139, 126), (271, 252)]),
        (2, 100, 34, 400, [(28, 25), (36, 33), (156, 93)]),
        (50, 20, 166, 1500, [(33, 27), (75, 69), (136, 97), (334, 295)]),
        (100, 100, 1700, 8000, [(44, 39), (72, 53), (284, 258), (551, 505)]),
        (100, 10, 166, 1500, [(28, 25), (56, 43), (79, 66), (211, 153)]),
    ];
    for (mbps, ms, largest, total, points) in kernel {
        let counts = acknowledgements(Rate::from_mbps(mbps), Span::from_millis(ms), largest, total, &Transport::default());
        for (segments, acks) in points {
            let ours: u64 = counts[segments];
            let off = ours.abs_diff(acks);
            println!("{mbps} Mbit/s, {ms} ms: {segments} segments, kernel {acks}, here {ours}");
            assert!(off * 10 <= segments as u64, "{mbps} Mbit/s, {ms} ms: {segments} segments, kernel {acks}, here {ours}");
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
