//! A part of a run says what a run that measures only that part says.

use crate::common::{one_link, run};
use narrows_measure::metrics::metric;
use narrows_units::{Span, Time};

#[test]
fn the_part_after_a_warm_up_is_what_the_warm_up_leaves() {
    let link = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"";
    let [all, warmed] = [0, 6]
        .map(|warmup| run(&one_link("cubic", 20, warmup, link, "count = 3\nstagger = \"1 s\"")));
    let part = all.between(Time::ZERO + Span::from_secs(6), Time::ZERO + Span::from_secs(20));
    let value = |name: &str, record| metric(name).and_then(|metric| (metric.compute)(record));
    for name in ["utilisation", "goodput", "loss", "jain", "standing_queue"] {
        assert_eq!(value(name, &part), value(name, &warmed), "{name}");
        assert!(value(name, &part).is_some(), "{name}");
    }
    // Of samples every 10 ms, not of packets.
    for name in ["rtt_p50", "rtt_p95", "queueing_p50", "queueing_p95", "delay_p95"] {
        let sampled = value(name, &part).unwrap();
        let measured = value(name, &warmed).unwrap();
        assert!((sampled / measured - 1.0).abs() < 0.05, "{name}: {sampled} and {measured}");
    }
}
