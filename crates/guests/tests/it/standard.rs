//! The stacks on the standard link, beside our own implementations of the same controllers.

use crate::common::{flow, goodput, head, link, median_rtt, run, tried, utilisation};
use narrows_measure::Record;

fn alone(controller: &str) -> Record {
    run(&(head(30, 1) + &link("") + &flow(controller, "")))
}

/// Independent implementations of RFC 9438 and RFC 5681 fill the link, and their queues agree.
#[test]
fn cubic_and_newreno_of_the_stacks_have_the_queues_of_ours() {
    for (own, stacks) in
        [("cubic", ["noq:cubic", "quinn:cubic"]), ("newreno", ["noq:newreno", "quinn:newreno"])]
    {
        let own = median_rtt(&alone(own).flows[0]);
        for stack in stacks {
            let record = alone(stack);
            let used = utilisation(&record);
            assert!((99.0..=100.01).contains(&used), "{stack}: {used:.2} %");
            let rtt = median_rtt(&record.flows[0]);
            assert!((rtt / own - 1.0).abs() < 0.03, "{stack}: {rtt:.2} ms, ours {own:.2} ms");
            // A datagram of 1452 B has 28 B of headers, and QUIC some 30 B of its own.
            assert!((95.4..95.9).contains(&goodput(&record, 0)), "{}", goodput(&record, 0));
        }
    }
}

/// The defect of noq 1.2.0 to 1.4.0: `adapt_long_term_model` (bbr3/mod.rs) advances the filter of
/// the largest bandwidth at each round while `ack_phase` is `ProbeStopping`, so that it spans two
/// rounds in place of two cycles, and the estimate sinks between probes. Ours has 96.8 %.
///
/// If this fails because noq is better, the defect has been repaired: change docs/how-to/quic.md
/// too.
#[test]
fn bbr3_of_noq_1_4_0_forgets_its_bandwidth() {
    let used = utilisation(&alone("noq:bbr3"));
    assert!((81.0..89.0).contains(&used), "{used:.2} %");
    let own = utilisation(&alone("bbr3"));
    assert!(own > 95.0, "{own:.2} %");
}

/// quinn computes a pacing rate for its BBR, and does not obey it: the buffer stays full.
#[test]
fn bbr_of_quinn_0_11_19_fills_the_buffer() {
    let record = alone("quinn:bbr");
    let rtt = median_rtt(&record.flows[0]);
    assert!(rtt > 58.0, "{rtt:.2} of at most 60 ms");
    assert!(record.flows[0].total.dropped > 1_000, "{}", record.flows[0].total.dropped);
}

/// With marks of CoDel and a deep buffer nothing is dropped: ECN works in both stacks.
#[test]
fn marks_replace_drops() {
    for controller in ["noq:cubic", "quinn:cubic"] {
        let codel = link("queue = \"codel\"").replace("375 kB", "7.5 MB");
        let record = run(&(head(20, 1) + &codel + &flow(controller, "")));
        let flow = &record.flows[0];
        assert_eq!(flow.total.dropped, 0, "{controller}");
        assert!(flow.total.ce > 5 && flow.total.recoveries > 5, "{controller}: {:?}", flow.total);
        assert!(flow.total.ect0 > 100 * flow.total.ce, "{controller}: {:?}", flow.total);
    }
}

/// Reordering of 0.01 % by 3 ms: noq takes spurious reductions back, quinn never does.
#[test]
fn reordering_costs_quinn_half_of_the_link() {
    let late = link("reorder = { share = \"0.01 %\", delay = \"3 ms\" }");
    let used = |controller: &str| utilisation(&run(&(head(60, 1) + &late + &flow(controller, ""))));
    let (noq, quinn, own) = (used("noq:cubic"), used("quinn:cubic"), used("cubic"));
    assert!(noq > 99.0 && own > 99.0, "noq {noq:.2} %, ours {own:.2} %");
    assert!(quinn < 75.0, "{quinn:.2} %");
}

/// A window of 1.25 MB, the default of both stacks, is 50 Mbit/s at 200 ms.
#[test]
fn flow_control_limits_a_flow_if_asked_to() {
    let long = link("").replace("15 ms", "100 ms").replace("375 kB", "5 MB");
    for stack in ["noq:cubic", "quinn:cubic"] {
        let used = |settings: &str| {
            let controller = format!("{stack}{settings}");
            utilisation(&run(&(head(30, 1) + &long + &flow(&controller, ""))))
        };
        let (narrow, wide) = (used("?window=1.25"), used(""));
        assert!((40.0..51.0).contains(&narrow), "{stack}: {narrow:.2} %");
        assert!(wide > 90.0, "{stack}: {wide:.2} %");
    }
}

/// A stream that is read in order may have 1024 gaps: with more, both stacks close the connection
/// with an internal error (assembler.rs, `MAX_CHUNKS`). A slow start that ends with thousands of
/// losses leaves them if the window is above the stacks' own 1.25 MB.
///
/// If this fails because the connection lives, change docs/how-to/quic.md too.
#[test]
fn slow_start_on_a_long_fat_path_kills_an_ordered_stream() {
    let long = link("").replace("15 ms", "100 ms").replace("375 kB", "5 MB");
    for stack in ["noq", "quinn"] {
        let result = |settings: &str| {
            let controller = format!("{stack}:cubic?ordered&{settings}");
            tried(&(head(10, 1) + &long + &flow(&controller, "")))
                .map_err(|error| error.to_string())
        };
        let error = result("window=64").unwrap_err();
        assert!(error.contains("too many gaps in stream buffer"), "{error}");
        assert!(result("window=1.25").is_ok());
    }
}

#[test]
fn parameters_reach_the_stacks() {
    for stack in ["noq:cubic", "quinn:cubic"] {
        let counted = |settings: &str| {
            let record = run(&(head(5, 1) + &link("") + &flow(&format!("{stack}{settings}"), "")));
            let total = record.flows[0].total;
            (total.acks as f64 / total.arrived as f64, total.arrived_wire.get() / total.arrived)
        };
        let (ratio, size) = counted("");
        assert!((0.4..0.65).contains(&ratio), "{stack}: {ratio:.3} acknowledgements for a packet");
        assert!((1470..=1480).contains(&size), "{stack}: {size} B");
        let (ratio, _) = counted("?ack_every=1");
        assert!((0.95..1.05).contains(&ratio), "{stack}: {ratio:.3} acknowledgements for a packet");
        let (ratio, _) = counted("?ack_every=10");
        assert!(ratio < 0.2, "{stack}: {ratio:.3} acknowledgements for a packet");
        let (_, size) = counted("?mtu=1300");
        assert!((1318..=1328).contains(&size), "{stack}: {size} B");
    }
}
