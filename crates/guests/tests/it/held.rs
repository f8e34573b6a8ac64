//! The causes that keep a stack from sending: each shows where a scenario makes it the only one.

use crate::common::{flow, goodput, head, link, run};
use narrows_measure::FlowCounters;

/// Shares of window, pacer, flow control and application after the warm-up, and the probe timeouts.
fn shares(text: &str) -> ([f64; 4], u64) {
    let steady = run(text).flows[0].steady;
    let of = |time: fn(&FlowCounters) -> narrows_units::Span| {
        steady.blocked_share(time).expect("an open connection")
    };
    let all = [
        of(|counts| counts.blocked_window),
        of(|counts| counts.blocked_pacer),
        of(|counts| counts.blocked_flow_control),
        of(|counts| counts.blocked_application),
    ];
    (all, steady.probe_timeouts)
}

/// NewReno fills the buffer, so its window keeps it from sending. A controller that paces below the
/// rate of its link is kept by the pacer.
#[test]
fn windows_and_pacers() {
    for (controller, least) in
        [("noq:newreno", [0.5, 0.0]), ("quinn:newreno", [0.5, 0.0]), ("noq:bbr3", [0.0, 0.5])]
    {
        let ([window, pacer, flow_control, application], probes) =
            shares(&(head(12, 1) + &link("") + &flow(controller, "")));
        assert!(window >= least[0] && pacer >= least[1], "{controller}: {window:.2} {pacer:.2}");
        assert!(window + pacer > 0.999, "{controller}: {flow_control:.3} {application:.3}");
        assert_eq!(probes, 0, "{controller}");
    }
}

/// The stacks' own window of 1.25 MB carries 50 Mbit/s at most at 200 ms.
#[test]
fn flow_control() {
    for controller in ["noq:cubic?window=1.25", "quinn:cubic?window=1.25"] {
        let long = link("").replace("15 ms", "100 ms").replace("375 kB", "2500 kB");
        let text = head(24, 1) + &long + &flow(controller, "");
        let ([.., flow_control, application], _) = shares(&text);
        assert!(flow_control > 0.5, "{controller}: {flow_control:.2}");
        assert!(application < 0.001, "{controller}: {application:.3}");
        assert!(goodput(&run(&text), 0) < 50.0, "{controller}");
    }
}

#[test]
fn applications() {
    for controller in ["noq:cubic", "quinn:cubic"] {
        let rate = "workload = { rate = \"5 Mbit/s\" }";
        let ([.., flow_control, application], _) =
            shares(&(head(6, 1) + &link("") + &flow(controller, rate)));
        assert!(application > 0.9, "{controller}: {application:.2}");
        assert_eq!(flow_control, 0.0, "{controller}");
    }
}

/// A blackout of 2 s after 3 s: the probe timeout doubles from about 100 ms on, so there are some
/// five. Without the blackout the count is 0.
#[test]
fn probe_timeouts() {
    for controller in ["noq:cubic", "quinn:cubic"] {
        let outage = "[[change]]\nat = \"3 s\"\nlink = \"bottleneck\"\ndown_for = \"2 s\"\n";
        let (_, probes) = shares(&(head(12, 1) + &link("") + &flow(controller, "") + outage));
        assert!((3..=8).contains(&probes), "{controller}: {probes}");
    }
}
