//! VCP over its routers: what the equations promise of utilisation, queue and shares.

use crate::common::{bottleneck, run, scenario, utilisation};

/// 150 Mbit/s, 80 ms, and `flows` that begin within 300 ms; segments of 1000 B, each acknowledged
/// by itself.
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
    let shares: Vec<f64> =
        record.flows.iter().map(|flow| flow.steady.goodput.bits() as f64 / 20e6).collect();
    let equal = used * 150.0 / 50.0 * 1000.0 / 1040.0;
    assert!(
        shares.iter().all(|share| (share / equal - 1.0).abs() < 0.05),
        "{shares:?} of {equal} Mbit/s"
    );
}

/// In the authors' module the target adapts: 97.5 % wanted at this capacity, less the sawtooth.
#[test]
fn the_modules_dialect_uses_more_and_loses_nothing_either() {
    let record = run(&dumbbell(150.0, 50, 40, 20, "?dialect=ns2"));
    let used = utilisation(&record);
    assert!((0.94..0.975).contains(&used), "utilisation {used}");
    assert_eq!(bottleneck(&record).total.overflowed, 0);
}

/// One flow doubles each 2.29 s from two segments to four fifths of 450, whatever its round trip:
/// 18 s; and then adds 0.16 a round trip.
#[test]
fn a_flow_alone_doubles_each_time_that_the_factor_says() {
    let record = run(&dumbbell(45.0, 1, 30, 5, ""));
    let window = |seconds: f64| {
        let at = narrows_units::Time::ZERO + narrows_units::Span::from_secs_f64(seconds);
        record.flows[0].samples.iter().find(|sample| sample.at >= at).expect("a sample").cwnd
    };
    let doublings = (window(14.0) / window(5.0)).log2();
    assert!((doublings / (9.0 / 2.29) - 1.0).abs() < 0.05, "{doublings} doublings in 9 s");
    let before = window(24.0);
    let after = window(29.0);
    assert!(before > 0.75 * 450.0 && after < 1.25 * before, "{before}, then {after} segments");
}

/// The second of two hops is the narrow one: its code reaches the sender through the first, which
/// has less to tell, and the other way round.
#[test]
fn the_most_loaded_of_two_hops_decides() {
    for (first, second) in [("20 Mbit/s", "10 Mbit/s"), ("10 Mbit/s", "20 Mbit/s")] {
        for bits in ["", "?bits=8"] {
            let text = format!(
                r#"
duration = "60 s"
warmup = "30 s"
transport = {{ preset = "ns2-2005" }}
[[link]]
name = "one"
between = ["a", "b"]
rate = "{first}"
delay = "20 ms"
buffer = "100 packets"
queue = "vcp"
[[link]]
name = "two"
between = ["b", "c"]
rate = "{second}"
delay = "20 ms"
buffer = "100 packets"
queue = "vcp"
[[flow]]
name = "flow"
from = "a"
to = "c"
controller = "vcp{bits}"
count = 4
"#
            );
            let record = run(&text);
            let mbps =
                record.flows.iter().map(|flow| flow.steady.goodput.bits() as f64).sum::<f64>()
                    / 30e6
                    * 1.04;
            assert!((8.8..10.05).contains(&mbps), "{first}, {second}, {bits}: {mbps} Mbit/s");
            assert!(record.links.iter().all(|link| link.total.overflowed == 0));
        }
    }
}

fn refusal(queue: &str, controller: &str) -> String {
    let text = dumbbell(10.0, 1, 10, 1, "")
        .replace("queue = \"vcp\"", queue)
        .replace("controller = \"vcp\"", controller);
    narrows_sim::run(&scenario(&text)).expect_err("it is refused").to_string()
}

#[test]
fn what_does_not_speak_the_same_codes_is_refused() {
    let error = refusal("queue = \"red\"", "controller = \"vcp\"");
    assert_eq!(
        error,
        "flow \"forth\": vcp needs a load code from routers, which no router on its route provides; give the bottleneck queue = \"vcp\""
    );
    let error = refusal("queue = \"vcp\"", "controller = \"cubic?ecn=true\"");
    assert!(
        error.contains("writes load codes over that") && error.contains("set ecn=false"),
        "{error}"
    );
    let error = refusal("queue = \"vcp\"", "controller = \"vcp?codes=accecn\"");
    assert!(
        error.contains("codes=accecn")
            && error.contains("codes=paper")
            && error.contains("give both the same codes"),
        "{error}"
    );
    let text = dumbbell(10.0, 10, 30, 15, "?codes=accecn");
    assert!(utilisation(&run(&text)) > 0.9, "the other code points work as well");
    let error = refusal("queue = \"vcp\"", "controller = \"vcp-kernel\"");
    assert!(error.contains("vcp-kernel uses codes=accecn, but the queue"), "{error}");
    let text =
        dumbbell(10.0, 10, 30, 15, "").replace("controller = \"vcp\"", "controller = \"cubic\"");
    assert!(utilisation(&run(&text)) > 0.5, "traffic without codes passes");
}
