//! Receivers that lie, and devices on the way that rewrite the ECN field.

use crate::common::{bottleneck, ends_alone, one_link, run};
use narrows_measure::{FlowCounters, FlowRecord, Record};
use narrows_units::{Span, Time};

/// A flow of NewReno alone, whose receiver has these keys and holds 13 segments. Its
/// acknowledgements take 10 ms and wait for nothing.
fn alone(keys: &str) -> FlowRecord {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n[link.back]\nrate = \"unlimited\"";
    let flow = format!("[flow.transport]\nreceive_window = \"20 kB\"\n{keys}");
    run(&format!("send_overhead = false\n{}", one_link("newreno", 10, 0, link, &flow)))
        .flows
        .remove(0)
}

#[test]
fn acknowledgements_in_pieces_gain_nothing_from_a_sender_that_counts_segments() {
    let honest = alone("").total;
    let lying = alone("ack_pieces = 4").total;
    assert!(honest.acks > 1_000);
    assert_eq!(lying, FlowCounters { acks: 4 * honest.acks, ..honest });
}

/// Two flows of NewReno share a link; the receiver of the first has these keys.
fn beside(keys: &str) -> Record {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"";
    let honest =
        "[[flow]]\nname = \"honest\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"newreno\"";
    run(&one_link("newreno", 30, 5, link, &format!("[flow.transport]\n{keys}\n{honest}")))
}

#[test]
fn who_acknowledges_ahead_hides_losses_and_takes_the_link() {
    let both_honest = beside("");
    let [one, other] = [0, 1].map(|flow| both_honest.flows[flow].steady.goodput.get() as f64);
    assert!((0.5..2.0).contains(&(one / other)), "{one} {other}");
    // Eight times what link and buffer hold.
    let record = beside("ack_ahead = 10\nreceive_window = \"800 kB\"");
    let [lying, honest] = [0, 1].map(|flow| record.flows[flow].total);
    assert!(lying.dropped > 100 && honest.retransmitted > 0, "both lose packets");
    assert_eq!(
        (lying.retransmitted, lying.recoveries, lying.timeouts),
        (0, 0, 0),
        "and one is not told"
    );
    assert!(lying.goodput.get() > 3 * honest.goodput.get(), "{} {}", lying.goodput, honest.goodput);
}

/// A window of data in a shorter round trip is a higher rate.
#[test]
fn who_acknowledges_ahead_hides_the_delay() {
    let honest = alone("");
    let lying = alone("ack_ahead = 4");
    let least = |flow: &FlowRecord| flow.rtt.min().expect("a round trip");
    assert!(
        least(&honest) >= Span::from_millis(20) && least(&lying) < Span::from_millis(20),
        "{} {}",
        least(&honest),
        least(&lying)
    );
    assert!(
        lying.total.goodput > honest.total.goodput,
        "{} {}",
        lying.total.goodput,
        honest.total.goodput
    );
}

/// Acknowledgements for a flow with less to send than its receiver acknowledges are of data that
/// was never sent, and dropped, until a repetition tells it.
#[test]
fn a_receiver_that_goes_too_far_learns_from_repetitions() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"";
    let flow = "workload = { rate = \"1 Mbit/s\" }\n[flow.transport]\nreceive_window = \"1 MB\"\nack_ahead = 1000";
    let counters = run(&one_link("newreno", 10, 0, link, flow)).flows[0].total;
    // 1.25 MB were offered.
    assert!(counters.duplicates > 0 && counters.goodput.get() > 300_000, "{counters:?}");
}

#[test]
fn every_controller_bears_receivers_that_lie() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"20 packets\"";
    for entry in ends_alone() {
        for keys in [
            "ack_ahead = 30\nreceive_window = \"200 kB\"",
            "ack_pieces = 7",
            "ack_ahead = 5\nreceive_window = \"200 kB\"\nack_pieces = 3\ngro = \"100 us\"",
            "ack_pieces = 3\nsack = false",
        ] {
            let flow = format!("[flow.transport]\nacks = \"cumulative\"\n{keys}");
            let counters = run(&one_link(entry.name, 3, 0, link, &flow)).flows[0].total;
            assert!(counters.goodput.get() > 50_000, "{} with {keys}: {counters:?}", entry.name);
        }
    }
}

/// A queue that marks above 20 packets and drops above 120, before it a link that only delays.
fn marking(controller: &str, access: &str, bottleneck: &str) -> Record {
    run(&format!(
        "duration = \"10 s\"\n\
         [[link]]\nname = \"access\"\nbetween = [\"left\", \"middle\"]\ndelay = \"5 ms\"\n{access}\n\
         [[link]]\nname = \"bottleneck\"\nbetween = [\"middle\", \"right\"]\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n\
         buffer = \"120 packets\"\nqueue = \"step?threshold=20&unit=packets\"\n{bottleneck}\n\
         [[flow]]\nfrom = \"left\"\nto = \"right\"\ncontroller = \"{controller}\"\n"
    ))
}

#[test]
fn marks_arrive_are_bleached_before_the_queue_or_are_taken_off_behind_it() {
    for (controller, scalable) in [("newreno?ecn=true", false), ("prague", true)] {
        let seen = |record: &Record| {
            let flow = record.flows[0].total;
            let link = bottleneck(record).total;
            let capable = if scalable { flow.ect1 } else { flow.ect0 };
            assert_eq!(
                if scalable { flow.ect0 } else { flow.ect1 },
                0,
                "{controller} sends one code point, which comes back as it was"
            );
            (capable > 0, flow.ce > 0, link.marked > 0, link.overflowed > 0)
        };
        assert_eq!(seen(&marking(controller, "", "")), (true, true, true, false), "{controller}");
        assert_eq!(
            seen(&marking(controller, "ecn = \"bleach\"", "")),
            (false, false, false, true),
            "{controller}"
        );
        assert_eq!(
            seen(&marking(controller, "", "ecn = \"unmark\"")),
            (true, false, true, true),
            "{controller}"
        );
    }
}

#[test]
fn a_flow_that_pauses_goes_on_with_the_same_connection() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"";
    for controller in ["cubic", "bbr", "bbr3", "vivace"] {
        let record = run(&one_link(controller, 10, 0, link, "pauses = [[\"4 s\", \"6 s\"]]"));
        let sent = |ms: u64| {
            let at = Time::ZERO + Span::from_millis(ms);
            bottleneck(&record)
                .samples
                .iter()
                .find(|sample| sample.at == at)
                .expect("a sample")
                .departed_bytes
                .get()
        };
        // Data under way leaves the queue, then nothing.
        assert_eq!(sent(4_500), sent(6_000), "{controller}");
        // 10 Mbit/s are 1.25 MB in a second.
        assert!(
            sent(4_000) - sent(3_000) > 1_000_000 && sent(8_000) - sent(7_000) > 1_000_000,
            "{controller}"
        );
        let flow = &record.flows[0];
        assert_eq!((flow.total.timeouts, flow.end), (0, None), "{controller}");
    }
}
