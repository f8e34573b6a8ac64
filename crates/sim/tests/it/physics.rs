//! Invariants of every run, whatever the controller and the network.

use crate::common::{one_link, queue_for, run, scenario, utilisation};
use narrows_control::ENTRIES;
use narrows_measure::Record;
use narrows_measure::metrics::metric;
use narrows_params::Need;

/// Packets are neither made nor lost by the network, queues stay within their buffers, and nothing
/// is faster than light or the link.
fn assert_physical(record: &Record, what: &str) {
    for link in &record.links {
        let total = &link.total;
        let gone = total.lost + total.overflowed + total.dropped_early;
        assert_eq!(
            total.offered,
            gone + total.delivered + link.left_queued + link.left_in_flight,
            "{what}: packets of {}",
            link.name
        );
        assert_eq!(
            total.departed,
            total.delivered + link.left_in_flight,
            "{what}: departures of {}",
            link.name
        );
        for sample in &link.samples {
            assert!(
                link.buffer.is_none_or(|buffer| sample.queue <= buffer),
                "{what}: {} holds {} of {:?}",
                link.name,
                sample.queue,
                link.buffer
            );
            assert!(
                link.buffer_packets.is_none_or(|buffer| sample.queue_packets <= buffer as u64),
                "{what}: {}",
                link.name
            );
        }
        if let Some(capacity) = link.capacity {
            assert!(
                link.steady.departed_bytes <= capacity,
                "{what}: {} sent more than it can",
                link.name
            );
        }
    }
    let data: u64 = record.flows.iter().map(|flow| flow.total.sent).sum();
    let ended: u64 = record.flows.iter().map(|flow| flow.total.arrived + flow.total.dropped).sum();
    assert!(ended <= data, "{what}: {ended} ends of {data} packets");
    let under_way: u64 =
        record.links.iter().map(|link| link.left_queued + link.left_in_flight).sum();
    assert!(data <= ended + under_way, "{what}: packets vanished");
    for flow in &record.flows {
        if let Some(least) = flow.rtt.min() {
            assert!(
                least >= flow.base_rtt,
                "{what}: {} has a round trip of {least} over {}",
                flow.name,
                flow.base_rtt
            );
        }
        assert!(
            flow.total.goodput.get() <= flow.total.arrived * flow.mss.get(),
            "{what}: goodput from nowhere"
        );
        assert!(
            flow.total.duplicates <= flow.total.retransmitted,
            "{what}: duplicates of packets sent once"
        );
    }
    if let Some(share) = metric("utilisation").and_then(|metric| (metric.compute)(record)) {
        assert!((0.0..=100.0).contains(&share), "{what}: utilisation {share}");
    }
}

const NETWORKS: &[(&str, &str)] = &[
    ("a bottleneck", "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\""),
    ("a tiny buffer", "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"2 packets\""),
    (
        "random loss",
        "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\nloss = { probability = 0.02 }",
    ),
    (
        "bursty loss",
        "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\nloss = { to_bad = 0.002, to_good = 0.2, loss_bad = 0.5 }",
    ),
    ("jitter", "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\njitter = \"5 ms\"\nbuffer = \"1 bdp\""),
    (
        "heavy loss",
        "rate = \"5 Mbit/s\"\ndelay = \"30 ms\"\nbuffer = \"50 ms\"\nloss = { probability = 0.3 }",
    ),
    ("a slow link", "rate = \"128 kbit/s\"\ndelay = \"300 ms\"\nbuffer = \"20 kB\""),
];

#[test]
fn every_controller_on_every_network_conserves_packets() {
    for entry in ENTRIES {
        for (name, link) in NETWORKS {
            let link = format!("{link}{}", queue_for(entry));
            let record = run(&one_link(entry.name, 12, 2, &link, "count = 3\nstagger = \"1 s\""));
            assert_physical(&record, &format!("{} on {name}", entry.name));
        }
    }
}

#[test]
fn every_queue_conserves_packets_dropped_or_marked() {
    for entry in narrows_path::DISCIPLINES {
        // Routers that write load codes into the ECN field are not for classic ECN.
        let cubic = if entry.offers.contains(&Need::LoadCode) { "cubic" } else { "cubic?ecn=true" };
        for (buffer, controller) in [("5 bdp", cubic), ("20 packets", "newreno")] {
            let link = format!(
                "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"{buffer}\"\nqueue = \"{}\"",
                entry.name
            );
            let text = one_link(controller, 12, 2, &link, "count = 3\nstagger = \"1 s\"")
                + &format!(
                    "[[flow]]\nname = \"back\"\nfrom = \"right\"\nto = \"left\"\ncontroller = \"{controller}\"\ncount = 2\n"
                );
            assert_physical(
                &run(&text),
                &format!("{controller} through {} of {buffer}", entry.name),
            );
        }
    }
}

#[test]
fn two_way_traffic_shares_queues_with_acknowledgements_and_conserves_packets() {
    for entry in ENTRIES {
        let link = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"".to_owned()
            + &queue_for(entry);
        let text = one_link(entry.name, 12, 2, &link, "count = 2")
            + &format!(
                "[[flow]]\nname = \"back\"\nfrom = \"right\"\nto = \"left\"\ncontroller = \"{}\"\ncount = 2\n",
                entry.name
            );
        let record = run(&text);
        assert_physical(&record, entry.name);
        assert!(
            record.flows.iter().all(|flow| flow.steady.goodput.get() > 1_000_000),
            "{}: a starved flow",
            entry.name
        );
    }
}

#[test]
fn a_transfer_of_fixed_size_delivers_exactly_its_bytes() {
    for entry in ENTRIES {
        for (name, link) in NETWORKS {
            let link = format!("{link}{}", queue_for(entry));
            let record =
                run(&one_link(entry.name, 100, 0, &link, "workload = { size = \"300001 B\" }"));
            let flow = &record.flows[0];
            assert!(flow.completed, "{} on {name} did not finish", entry.name);
            assert_eq!(flow.total.goodput.get(), 300_001, "{} on {name}", entry.name);
        }
    }
}

#[test]
fn two_newreno_flows_fill_a_link_with_a_buffer_of_one_bdp() {
    let record = run(&one_link(
        "newreno",
        60,
        10,
        "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"",
        "count = 2",
    ));
    let used = utilisation(&record);
    assert!(used > 0.97 && used <= 1.0, "utilisation {used}");
}

#[test]
fn unresponsive_traffic_takes_its_rate_and_leaves_the_rest() {
    let text = one_link(
        "newreno",
        30,
        10,
        "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"",
        "",
    ) + "[[flow]]\nname = \"udp\"\nfrom = \"left\"\nto = \"right\"\nworkload = { rate = \"5 Mbit/s\" }\n";
    let record = run(&text);
    assert_physical(&record, "udp");
    let mbps = |index: usize| record.flows[index].steady.goodput.bits() as f64 / 20e6;
    assert!((mbps(1) - 5.0).abs() < 0.1, "udp got {}", mbps(1));
    assert!((13.0..14.5).contains(&mbps(0)), "newreno got {}", mbps(0));
}

/// 2 Mbit/s over 20 ms are 3.5 segments in flight, and 8 at most as the flow writes. A window that
/// grows by the segments that it limited has no reason to leave its initial 10; Linux's grows in
/// slow start while half of it is in flight (`tcp_is_cwnd_limited`).
#[test]
fn an_application_at_a_constant_rate_gets_it_and_does_not_grow_its_window() {
    for (controller, most) in [("newreno?profile=rfc5681", 12.0), ("newreno", 16.0)] {
        let record = run(&one_link(
            controller,
            30,
            10,
            "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"",
            "workload = { rate = \"2 Mbit/s\" }",
        ));
        let flow = &record.flows[0];
        let mbps = flow.steady.goodput.bits() as f64 / 20e6;
        assert!((mbps - 2.0).abs() < 0.02, "{mbps}");
        assert!(
            flow.samples.iter().all(|sample| sample.cwnd <= most),
            "{controller}: {:?}",
            flow.samples.last()
        );
    }
}

#[test]
fn adding_a_flow_on_another_link_changes_nothing_for_the_first() {
    let text = one_link(
        "cubic",
        10,
        1,
        "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\nloss = { probability = 0.001 }",
        "",
    );
    let more = text.clone()
        + "[[link]]\nname = \"other\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"3 ms\"\nbuffer = \"1 bdp\"\n"
        + "[[flow]]\nname = \"second\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\n";
    let alone = run(&text);
    let with_other = run(&more);
    assert_eq!(format!("{:?}", alone.flows[0]), format!("{:?}", with_other.flows[0]));
    assert_eq!(format!("{:?}", alone.links[0]), format!("{:?}", with_other.links[0]));
}

#[test]
fn the_same_seed_repeats_and_another_differs() {
    let text = one_link(
        "cubic",
        10,
        1,
        "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"",
        "count = 3",
    );
    let mut plan = scenario(&text);
    let first = narrows_sim::run(&plan).unwrap();
    assert_eq!(format!("{first:?}"), format!("{:?}", narrows_sim::run(&plan).unwrap()));
    plan.seed = 2;
    assert_ne!(first.flows[0].total, narrows_sim::run(&plan).unwrap().flows[0].total);
}

#[test]
fn no_buffer_overflow_means_no_retransmission() {
    // A window held by the receiver below what the path carries: nothing is lost, so nothing may be
    // sent twice.
    for entry in ENTRIES {
        let link = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"10 bdp\"".to_owned()
            + &queue_for(entry);
        let record = run(&one_link(
            entry.name,
            20,
            2,
            &link,
            "[flow.transport]\nreceive_window = \"100 kB\"\n",
        ));
        let total = &record.flows[0].total;
        assert_eq!(
            (total.retransmitted, total.declared_lost, total.timeouts, total.dropped),
            (0, 0, 0, 0),
            "{}",
            entry.name
        );
    }
}

#[test]
fn a_network_that_keeps_order_has_next_to_no_spurious_reductions() {
    for entry in ENTRIES {
        let link = "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"".to_owned()
            + &queue_for(entry);
        for count in [1, 10, 50] {
            let record = run(&one_link(entry.name, 20, 2, &link, &format!("count = {count}")));
            let sum = |of: fn(&narrows_measure::FlowCounters) -> u64| {
                record.flows.iter().map(|flow| of(&flow.total)).sum::<u64>()
            };
            // Not none: after two timeouts in a row, data sent between them may arrive and pass for
            // the original (RFC 5682 section 3.3).
            let undone = sum(|total| total.undone);
            let reductions = sum(|total| total.recoveries + total.timeouts);
            assert!(
                undone * 500 <= reductions,
                "{} with {count} flows: {undone} of {reductions} reductions undone",
                entry.name
            );
            let resent = sum(|total| total.retransmitted);
            let needless = sum(|total| total.duplicates);
            assert!(
                needless * 100 <= resent,
                "{} with {count} flows: {needless} of {resent} retransmissions were needless",
                entry.name
            );
        }
    }
}

#[test]
fn what_would_never_end_is_refused() {
    let refusal = |link: &str, flow: &str| {
        narrows_sim::run(&scenario(&one_link("newreno", 10, 0, link, flow)))
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(
        refusal("", "workload = { size = \"1 MB\" }").as_deref(),
        Some(
            "flow \"flow\": its packets take no time on their way; give one of its links a delay or a rate"
        )
    );
    let endless = refusal("delay = \"5 ms\"", "").expect("a refusal");
    assert!(
        endless.contains("no link of its route has a rate") && endless.contains("receive_window"),
        "{endless}"
    );
    assert_eq!(refusal("delay = \"5 ms\"", "workload = { size = \"1 MB\" }"), None);
    assert_eq!(refusal("delay = \"5 ms\"", "[flow.transport]\nreceive_window = \"100 kB\""), None);
    assert_eq!(refusal("delay = \"5 ms\"\nloss = \"1 %\"", ""), None);
}
