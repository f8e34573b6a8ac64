//! Encoders that follow the controller of their flow.

use crate::common::{one_link, run};
use narrows_measure::Record;
use narrows_measure::metrics::metric;

fn media(controller: &str, rate: &str, workload: &str) -> Record {
    let link = format!("rate = \"{rate}\"\ndelay = \"50 ms\"\nbuffer = \"300 ms\"");
    run(&one_link(
        controller,
        40,
        20,
        &link,
        &format!(
            "workload = {{ rate = \"300 kbit/s\", frame = \"40 ms\", deadline = \"400 ms\"{workload} }}"
        ),
    ))
}

fn measured(record: &Record, name: &str) -> f64 {
    (metric(name).expect("a metric").compute)(record).expect("it is defined")
}

#[test]
fn they_reach_their_greatest_rate_where_there_is_room() {
    for controller in ["screamv2", "newreno", "copa"] {
        let record = media(
            controller,
            "20 Mbit/s",
            ", min_rate = \"150 kbit/s\", max_rate = \"1.5 Mbit/s\"",
        );
        // Frames of 7500 B, 25 per second.
        let goodput = measured(&record, "goodput");
        assert!((goodput - 1.5).abs() < 0.02, "{controller}: {goodput} Mbit/s");
        assert_eq!(measured(&record, "late_frames"), 0.0, "{controller}");
    }
}

#[test]
fn they_give_way_to_the_path_and_those_that_do_not_follow_are_late() {
    let follows =
        media("screamv2", "600 kbit/s", ", min_rate = \"150 kbit/s\", max_rate = \"1.5 Mbit/s\"");
    let late = measured(&follows, "late_frames");
    let goodput = measured(&follows, "goodput");
    assert!(late < 5.0 && (0.36..0.6).contains(&goodput), "{late} % late at {goodput} Mbit/s");
    let keeps = run(&one_link(
        "screamv2",
        40,
        20,
        "rate = \"600 kbit/s\"\ndelay = \"50 ms\"\nbuffer = \"300 ms\"",
        "workload = { rate = \"1.5 Mbit/s\", frame = \"40 ms\", deadline = \"400 ms\" }",
    ));
    assert!(measured(&keeps, "late_frames") > 95.0);
}

#[test]
fn they_keep_their_least_rate() {
    let record =
        media("screamv2", "100 kbit/s", ", min_rate = \"300 kbit/s\", max_rate = \"1.5 Mbit/s\"");
    // A frame of 1500 B each 40 ms, of which the link carries a third. That of the last 400 ms is
    // not known.
    assert!(measured(&record, "late_frames") > 95.0);
}
