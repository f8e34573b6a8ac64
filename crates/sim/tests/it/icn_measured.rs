//! Nodes that measure the capacities of their links. The bounds are ours.

use crate::common::run;
use narrows_measure::{FlowRecord, Record};
use narrows_units::{Span, Time};

const SECONDS: u64 = 40;

/// One link, on which a consumer at one end asks for Data from the other end; `link` and `more` are
/// further lines.
fn one_link(rate: &str, delay: &str, link: &str, more: &str) -> String {
    format!(
        r#"
duration = "{SECONDS} s"
warmup = "1 s"
[icn]
law = "mircc?within=bounds"
capacity = "measured"
[[link]]
name = "narrow"
between = ["home", "far"]
rate = "{rate}"
delay = "{delay}"
{link}
[[prefix]]
name = "/film"
at = "far"
[[consumer]]
name = "first"
at = "home"
prefix = "/film"
{more}
"#
    )
}

/// Mbit/s of Data that a consumer got between two seconds.
fn of_flow(flow: &FlowRecord, from: u64, to: u64) -> f64 {
    let at = |second: u64| {
        let sample =
            flow.samples.iter().find(|sample| sample.at == Time::ZERO + Span::from_secs(second));
        sample.map_or(0, |sample| sample.goodput.bits()) as f64
    };
    (at(to) - at(from)) / (to - from) as f64 / 1e6
}

/// Mbit/s of Data that all consumers together got between two seconds.
fn goodput(record: &Record, from: u64, to: u64) -> f64 {
    record.flows.iter().map(|flow| of_flow(flow, from, to)).sum()
}

#[test]
fn a_node_finds_the_capacity_of_its_link() {
    // From a guess of 10 Mbit/s: far above, as it is, below. Buffers of less and of more than a
    // round trip.
    for (mbps, delay, buffer) in [
        (2.0, "1 ms", 50),
        (3.0, "10 ms", 5),
        (5.0, "10 ms", 100),
        (10.0, "0.5 ms", 1000),
        (10.0, "50 ms", 100),
        (30.0, "10 ms", 5),
        (100.0, "10 ms", 20),
    ] {
        let record = run(&one_link(
            &format!("{mbps} Mbit/s"),
            delay,
            &format!("buffer = \"{buffer} packets\""),
            "",
        ));
        // A node that knows the rate gets 95 % of it.
        let share = goodput(&record, 10, SECONDS) / mbps;
        assert!(share > 0.9, "{mbps} Mbit/s, {delay}, {buffer} packets: {share:.3}");
        // A look for more asks for 1.25 x 0.95 of the capacity, in one phase of seven: 2.7 % too
        // much.
        let back = record.links.iter().find(|link| link.name == "narrow.back").unwrap();
        let lost = back.steady.overflowed as f64 / back.steady.offered as f64;
        assert!(
            lost < 0.03,
            "{mbps} Mbit/s, {delay}, {buffer} packets: {lost:.4} of the packets found the buffer full"
        );
    }
}

#[test]
fn an_estimate_follows_a_link_within_three_seconds_down_and_ten_up() {
    for (first, then) in [(10.0, 5.0), (50.0, 5.0), (5.0, 10.0)] {
        for delay in ["1 ms", "20 ms"] {
            let change = format!(
                "[[change]]\nat = \"10 s\"\nlink = \"narrow.back\"\nrate = \"{then} Mbit/s\""
            );
            let record = run(&one_link(
                &format!("{first} Mbit/s"),
                delay,
                "buffer = \"50 packets\"",
                &change,
            ));
            let settled = if then < first { 13 } else { 20 };
            for second in settled..SECONDS {
                let share = goodput(&record, second, second + 1) / then;
                assert!(
                    share > 0.8,
                    "{first} to {then} Mbit/s, {delay}: {share:.2} in second {second}"
                );
            }
        }
    }
}

#[test]
fn losses_that_less_traffic_does_not_mend_are_no_sign_of_capacity() {
    for loss in [0.01, 0.05, 0.3] {
        let record = run(&one_link(
            "10 Mbit/s",
            "10 ms",
            &format!("loss = \"{} %\"\nbuffer = \"100 packets\"", 100.0 * loss),
            "",
        ));
        let share = goodput(&record, 10, SECONDS) / (10.0 * (1.0 - loss));
        assert!(share > 0.85, "{loss}: {share:.3} of the Data that is not lost");
    }
}

/// A second node before the link, with two consumers, of which one asks a producer far beyond the
/// link.
const ROW: &str = r#"
[[link]]
name = "access"
between = ["left", "home"]
rate = "100 Mbit/s"
delay = "2 ms"
buffer = "100 packets"
[[link]]
name = "beyond"
between = ["far", "farther"]
rate = "100 Mbit/s"
delay = "40 ms"
buffer = "400 packets"
[[prefix]]
name = "/other"
at = "farther"
[[consumer]]
name = "second"
at = "left"
prefix = "/film"
start = "10 s"
[[consumer]]
name = "third"
at = "left"
prefix = "/other"
start = "20 s"
"#;

#[test]
fn links_in_a_row_leave_a_bottleneck_to_the_link_that_has_the_lowest_rate() {
    let record = run(&one_link("10 Mbit/s", "10 ms", "buffer = \"100 packets\"", ROW));
    // The link before it would see the bottleneck's queue in its own round trips, and take its part
    // of the bottleneck for its capacity.
    for flow in &record.flows {
        let share = of_flow(flow, 30, SECONDS) / (9.5 / 3.0);
        assert!((share - 1.0).abs() < 0.1, "{}: {share:.2} of a third", flow.name);
    }
    assert!(goodput(&record, 10, SECONDS) > 9.0);
}

#[test]
fn links_in_a_row_whose_estimates_are_too_low_rise_in_turns() {
    let record = run(&one_link("80 Mbit/s", "10 ms", "buffer = \"100 packets\"", ROW));
    let [first, second] = [10, 30].map(|from| goodput(&record, from, from + 10));
    assert!(first > 0.85 * 80.0 && second > 0.85 * 80.0, "{first:.1} and {second:.1} Mbit/s");
    assert!(record.flows.iter().all(|flow| of_flow(flow, 35, SECONDS) > 0.8 * 0.95 * 80.0 / 3.0));
}

#[test]
fn two_paths_whose_links_are_measured_are_both_filled() {
    let text = |capacity: &str| {
        let link = |name: &str, from: &str, to: &str, rate: u32| {
            format!(
                "[[link]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"{rate} Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"50 ms\"\n"
            )
        };
        format!(
            "duration = \"20 s\"\nwarmup = \"8 s\"\n[icn]\nlaw = \"mircc?within=bounds\"\ncapacity = \"{capacity}\"\n{}{}{}\
             [[prefix]]\nname = \"/one\"\nat = [\"near\", \"far\"]\n[[consumer]]\nat = \"home\"\nprefix = \"/one\"\n",
            link("la", "home", "middle", 20),
            link("lb", "middle", "near", 12),
            link("lc", "middle", "far", 6)
        )
    };
    let [known, measured] =
        ["known", "measured"].map(|capacity| goodput(&run(&text(capacity)), 8, 20));
    assert!(measured > 0.9 * known, "{measured:.1} of {known:.1} Mbit/s");
}
