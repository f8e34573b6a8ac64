//! FAST TCP through the simulator, beside what its law says of the equilibrium.

use crate::common::{bottleneck, one_link, run, utilisation};
use narrows_measure::{FlowRecord, Record};
use narrows_units::Time;

/// Packets in the bottleneck's queue since the warm-up, averaged over time.
fn mean_queue(record: &Record) -> f64 {
    let steady = bottleneck(record)
        .samples
        .iter()
        .filter(|sample| sample.at.since(Time::ZERO) > record.warmup);
    let (sum, count) =
        steady.fold((0, 0), |(sum, count), sample| (sum + sample.queue_packets, count + 1));
    sum as f64 / count as f64
}

/// Packets per second since the warm-up.
fn rate(flow: &FlowRecord, seconds: f64) -> f64 {
    flow.steady.arrived as f64 / seconds
}

/// Flows of 50 Mbit/s together, 4167 packets/s, of these round trips; counted over the last third
/// of 90 s.
fn unequal(controller: &str, round_trips: &[u32]) -> String {
    let mut text = "duration = \"90 s\"\nwarmup = \"60 s\"\nsample = \"50 ms\"\n\
                    [[link]]\nname = \"bottleneck\"\nbetween = [\"middle\", \"right\"]\nrate = \"50 Mbit/s\"\n"
        .to_owned();
    for rtt in round_trips {
        text += &format!(
            "[[link]]\nname = \"access {rtt}\"\nbetween = [\"left {rtt}\", \"middle\"]\ndelay = \"{} us\"\n\
             [[flow]]\nfrom = \"left {rtt}\"\nto = \"right\"\ncontroller = \"{controller}\"\n",
            rtt * 500
        );
    }
    text
}

#[test]
fn every_flow_keeps_alpha_packets_in_the_queue() {
    for controller in [
        "fast?alpha=60",
        "fast?alpha=60&window_pacing=time",
        "fast?alpha=60&window_pacing=event",
        "fast-sc2002?alpha=60",
    ] {
        for flows in [1, 2, 5] {
            let link = "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"5 bdp\"";
            let record = run(&one_link(controller, 60, 30, link, &format!("count = {flows}")));
            let queue = mean_queue(&record);
            let expected = 60.0 * flows as f64;
            assert!(
                (queue / expected - 1.0).abs() <= 0.1,
                "{controller}, {flows} flows: {queue} packets instead of {expected}"
            );
            assert!(utilisation(&record) >= 0.999, "{controller}, {flows} flows");
        }
    }
}

/// 40 packets each make a queue of 120 packets, 29 ms: every flow has a third of the link, in a
/// window of that share for its round trip and the queue.
#[test]
fn shares_do_not_depend_on_round_trips() {
    let round_trips = [50, 100, 150];
    let record = run(&unequal("fast?alpha=40", &round_trips));
    let queue = mean_queue(&record);
    assert!((queue / 120.0 - 1.0).abs() <= 0.1, "a queue of {queue} packets");
    for (flow, rtt) in record.flows.iter().zip(round_trips) {
        let share = rate(flow, 30.0) / 4_166.7 * 3.0;
        assert!((share - 1.0).abs() <= 0.1, "{}: {share} of its share", flow.name);
        let window = flow.samples.last().expect("samples").cwnd;
        let expected = 4_166.7 / 3.0 * (rtt as f64 / 1e3 + 0.0288);
        assert!(
            (window / expected - 1.0).abs() <= 0.1,
            "{}: a window of {window} instead of {expected}",
            flow.name
        );
    }
}

/// With the delays of a network: no growing oscillation for up to ten flows.
#[test]
fn ten_flows_with_delayed_feedback_come_to_rest() {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nbuffer = \"5 bdp\"";
    let record = run(&one_link("fast?alpha=20", 90, 60, link, "count = 10"));
    let queues: Vec<u64> = bottleneck(&record)
        .samples
        .iter()
        .filter(|sample| sample.at.since(Time::ZERO) > record.warmup)
        .map(|s| s.queue_packets)
        .collect();
    let least = queues.iter().min().expect("samples");
    let most = queues.iter().max().expect("samples");
    assert!(*least >= 150 && *most <= 250, "the queue moves between {least} and {most} packets");
}

/// A flow that begins on a standing queue takes it for propagation. The old one has α = x(q) of the
/// queue q, the new one of what lies above q₀ = α/C: with both rates filling the link 1/u + 1/(u -
/// 1) = 1 for u = q/q₀, which is 2.618, and the new flow has 61.8 % of the link.
#[test]
fn a_newcomer_in_a_deep_buffer_gets_the_golden_section() {
    let link = "rate = \"50 Mbit/s\"\ndelay = \"20 ms\"";
    let second = "[[flow]]\nname = \"new\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"fast?alpha=50\"\nstart = \"20 s\"\n";
    let record = run(&(one_link("fast?alpha=50", 90, 60, link, "") + second));
    let golden = (1.0 + 5.0f64.sqrt()) / 2.0;
    let share = rate(&record.flows[1], 30.0)
        / record.flows.iter().map(|flow| rate(flow, 30.0)).sum::<f64>();
    assert!((share - 1.0 / golden).abs() <= 0.02, "{share} of the link");
    let queue = mean_queue(&record);
    assert!((queue / (50.0 * golden * golden) - 1.0).abs() <= 0.05, "{queue} packets");
}
