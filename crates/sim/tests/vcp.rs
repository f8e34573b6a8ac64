//! VCP over its routers: what the equations promise of utilisation, queue and shares.

mod common;

use common::{bottleneck, run, utilisation};

/// 150 Mbit/s, 80 ms, and `flows` that begin within 300 ms; segments of 1000 B, each acknowledged by itself.
fn dumbbell(mbps: f64, flows: u32, seconds: u32, warmup: u32, options: &str) -> String {
    format!(
        r#"
duration = "{seconds} s"
warmup = "{warmup} s"
sample = "10 ms"
transport = {{ preset = "ns2-2005" }}
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "{mbps} Mbit/s"
delay = "40 ms"
buffer = "1 bdp"
queue = "vcp{options}"
[[flow]]
name = "forth"
from = "left"
to = "right"
controller = "vcp{options}"
count = {flows}
stagger = "{} ms"
"#,
        300.0 / flows as f64
    )
}

/// The sawtooth of 0.875 under a target of 98 % averages 92 to 93 %, and the queue stays short.
#[test]
fn fifty_flows_use_as_much_as_the_sawtooth_leaves_and_lose_nothing() {
    let record = run(&dumbbell(150.0, 50, 40, 20, ""));
    let used = utilisation(&record);
    assert!((0.92..0.935).contains(&used), "utilisation {used}");
    let link = bottleneck(&record);
    assert_eq!((link.total.overflowed, link.total.dropped_early), (0, 0));
    let shares: Vec<f64> = record.flows.iter().map(|flow| flow.steady.goodput.bits() as f64 / 20e6).collect();
    let equal = used * 150.0 / 50.0 * 1000.0 / 1040.0;
    assert!(shares.iter().all(|share| (share / equal - 1.0).abs() < 0.05), "{shares:?} of {equal} Mbit/s");
}
