//! Flows limited by their application or their receiver.

use super::{INITIAL_WITHOUT_END, Rule, largest_window, subjects, windowed};
use crate::common::{one_link, run};
use narrows_control::Basis;
use narrows_units::Span;

/// 2 Mbit/s over 20 ms are 3.5 segments. Data written during the handshake leaves at once: BBR sees
/// seven segments in the first round trip as the path's capacity, and asks for 2.89 times as many
/// and three bursts of two, rounded up to a pair.
#[test]
fn an_application_that_sends_little_does_not_grow_the_window() {
    const RULE: Rule = Rule {
        name: "a window that the application does not use does not grow",
        origin: "RFC 7661: an unused window says nothing about the path, and later allows a burst",
        remedy: "grow by Acked::window_limited segments only, and leave application-limited rate samples out of maxima",
    };
    for controller in windowed() {
        let link = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"10 bdp\"";
        let flow =
            &run(&one_link(&controller.text, 20, 5, link, "workload = { rate = \"2 Mbit/s\" }"))
                .flows[0];
        let window = largest_window(flow);
        let retransmitted = flow.total.retransmitted;
        let measured = format!(
            "its window reaches {window} segments, and it retransmits {retransmitted}, instead of at most 28 and 0"
        );
        let kept = window <= 28.0 && retransmitted == 0;
        RULE.assert_but(&INITIAL_WITHOUT_END, kept, &controller, measured);
    }
}

/// One segment every 2.3 s: the path is idle for longer than a timeout each time.
#[test]
fn a_flow_that_is_mostly_idle_neither_waits_nor_grows() {
    const RULE: Rule = Rule {
        name: "a flow that is mostly idle neither waits nor grows",
        origin: "freenet-core #2706: state reset whenever nothing was in flight; Linux 5490b32dce69: BBR stayed in PROBE_RTT \
            after idleness",
        remedy: "handle a restart from idle in on_sent with in_flight 0: pace at the bandwidth, and keep estimates",
    };
    for controller in windowed() {
        let link = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"10 bdp\"";
        let flow =
            &run(&one_link(&controller.text, 60, 5, link, "workload = { rate = \"5 kbit/s\" }"))
                .flows[0];
        let window = largest_window(flow);
        let losses = flow.total.retransmitted + flow.total.timeouts;
        let measured = format!(
            "its window reaches {window} segments instead of at most 20, with {losses} retransmissions and timeouts instead of 0"
        );
        let kept = window <= 20.0 && losses == 0;
        RULE.assert_but(&INITIAL_WITHOUT_END, kept, &controller, measured);
        // The receiver acknowledges the first segments after silence at once.
        // An acknowledgement of numbered transmissions has 12 bytes more.
        let numbered = if ["screamv2", "c4"].contains(&controller.name()) { 4_800 } else { 0 };
        let longest = flow.rtt.max();
        let expected = Span::from_nanos(20_620_800 + numbered);
        RULE.assert(
            longest == Some(expected),
            &controller,
            format!("its longest round trip is {longest:?} instead of {expected}"),
        );
    }
}

/// 13 segments fit into the receiver's window. Slow start may overshoot in the round that shows it,
/// and in the round after. SCReAMv2's reference window may be three times what is in flight, not
/// one and a half times (draft-johansson-ccwg-rfc8298bis-screamv2-01): it stops at 61.
#[test]
fn a_full_receiver_stops_growth() {
    const RULE: Rule = Rule {
        name: "a full receiver stops growth",
        origin: "RFC 9002 section 7.8 and RFC 5681 section 3.1: the window grows only while it limits the flight",
        remedy: "grow by Acked::window_limited segments only",
    };
    for controller in subjects() {
        let link = "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"10 bdp\"";
        let flow = &run(&one_link(
            &controller.text,
            20,
            2,
            link,
            "[flow.transport]\nreceive_window = \"20 kB\"",
        ))
        .flows[0];
        let window = largest_window(flow);
        let flight = flow.samples.iter().map(|sample| sample.in_flight).max();
        let most = if controller.text == "screamv2" { 5.0 * 13.0 } else { 4.0 * 13.0 };
        let grows = controller.basis != Basis::Utility && window > most;
        let measured = format!(
            "its window reaches {window} segments, and its flight {flight:?}, for a receiver of 13"
        );
        RULE.assert(!grows && flight <= Some(13), &controller, measured);
    }
}
