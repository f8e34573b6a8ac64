//! Growth by the segments acknowledged, however few the acknowledgements.

use super::{Rule, climbs, windowed};
use crate::common::{one_link, run, utilisation};
use narrows_control::Basis;
use narrows_measure::Record;

/// The time at which 80 % of `mbps` arrived over 100 ms for the first time, in seconds.
fn time_to_fill(record: &Record, mbps: f64) -> f64 {
    let rate = |pair: &[narrows_measure::FlowSample]| {
        (pair[10].arrived_wire - pair[0].arrived_wire).bits() as f64 / 1e5
    };
    let full = record.flows[0].samples.windows(11).find(|samples| rate(samples) >= 0.8 * mbps);
    full.map_or(f64::INFINITY, |samples| samples.last().expect("samples").at.as_secs_f64())
}

/// 833 segments to fill from 10: between 6 and 7 doublings of 100 ms. A delay-based controller
/// takes the wait for acknowledgements of eight segments for queue.
#[test]
fn slow_start_doubles_each_round_trip() {
    const RULE: Rule = Rule {
        name: "slow start doubles each round trip, however few the acknowledgements",
        origin: "RFC 5681 section 3.1: a segment for each segment acknowledged; s2n-quic #458 and #474, quinn #975: slow start was linear because \"window limited\" was judged per \
            acknowledgement of a batch",
        remedy: "grow by a segment for each segment acknowledged, and judge per segment, when it is sent, whether the window limited it: Acked::window_limited",
    };
    for controller in windowed().filter(|controller| !climbs(controller)) {
        // Vegas takes the wait for eight segments for two of them queued, which end its slow start.
        let bunches = if controller.text == "vegas" { &[1, 2][..] } else { &[1, 2, 8] };
        for &ack_every in bunches {
            let link = "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nbuffer = \"2 bdp\"";
            let record = run(&one_link(
                &controller.text,
                3,
                0,
                link,
                &format!("[flow.transport]\nack_every = {ack_every}"),
            ));
            let time = time_to_fill(&record, 100.0);
            let latest = if controller.basis == Basis::Delay && ack_every > 2 { 1.3 } else { 1.0 };
            let measured = format!(
                "it fills the path after {time} s with ack_every = {ack_every}, not in 0.7 to {latest} s"
            );
            RULE.assert((0.7..=latest).contains(&time), &controller, measured);
        }
    }
}

/// Follows the kernel's table, which grows the window once per acknowledgement, as its registry
/// entry says.
const PER_ACKNOWLEDGEMENT: &str = "hstcp?profile=linux";

/// The windows have some 80 segments or more: to a receiver that waits for eight paced ones the
/// round trip is a tenth longer. A delay-based controller takes that for queue.
#[test]
fn growth_counts_segments() {
    const RULE: Rule = Rule {
        name: "growth counts segments, not acknowledgements",
        origin: "quiche #2691: growth in the wrong unit; RFC 3465 and RFC 9438 section 4.3: growth in proportion to the \
            segments acknowledged",
        remedy: "add growth for all of Feedback::acked, and carry fractions of a segment over to the next acknowledgement",
    };
    for controller in windowed().filter(|controller| controller.basis != Basis::Delay) {
        let [each, eighth] = [1, 8].map(|ack_every| {
            let link = "rate = \"200 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"\nloss = { every = 4000 }";
            utilisation(&run(&one_link(&controller.text, 40, 10, link, &format!("[flow.transport]\nack_every = {ack_every}"))))
        });
        let measured = format!(
            "it uses {each} of the link with an acknowledgement per segment, and {eighth} with one per eight"
        );
        let kept = (0.85..=1.1).contains(&(eighth / each));
        RULE.assert_but(&[PER_ACKNOWLEDGEMENT], kept, &controller, measured);
    }
}
