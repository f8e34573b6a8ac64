//! Pacing rates that are derived from the round trip, and enforced.

use super::{Rule, secs, subjects};
use crate::common::{one_link, run};
use narrows_control::Basis;

/// At 200 ms, a rate for a round trip of 1 ms, which Linux assumes before the first sample, would
/// be 200 times too high.
#[test]
fn the_first_pacing_rate_follows_the_first_round_trip() {
    const RULE: Rule = Rule {
        name: "the first pacing rate is derived anew from the first round trip",
        origin: "s2n-quic #1524 and noq #800: the rate for an assumed round trip stayed until the first bandwidth sample",
        remedy: "compute the pacing rate again in on_open or at the first round trip, even if the new rate is lower",
    };
    for controller in subjects() {
        let record = run(&one_link(
            &controller.text,
            1,
            0,
            "rate = \"100 Mbit/s\"\ndelay = \"100 ms\"\nbuffer = \"2 bdp\"",
            "",
        ));
        for sample in record.flows[0]
            .samples
            .iter()
            .filter(|sample| sample.at > secs(0.21) && sample.at < secs(0.4))
        {
            let Some(pacing) = sample.pacing else { continue };
            let windows = pacing.as_bps() as f64 * 0.2 / (sample.cwnd * 1500.0 * 8.0);
            let measured = format!(
                "it paces at {pacing} at {}, which is {windows} windows per round trip instead of at most 3",
                sample.at
            );
            RULE.assert(windows <= 3.0, &controller, measured);
        }
    }
}

/// Each acknowledgement allows 32 segments at once. A controller that paces lets at most its
/// quantum queue before a fast first link, and one that does not, 32. A delay-based controller
/// keeps a window of a dozen: with less than 32 in flight, each acknowledgement waits for the
/// receiver's timer.
#[test]
fn pacing_is_enforced() {
    const RULE: Rule = Rule {
        name: "a pacing rate is enforced, with bursts of at most its quantum",
        origin: "quinn #2481, freenet-core #2674, tquic #272: the pacing rate was computed and not used; s2n-quic #1475: the \
            quantum starved the pacer",
        remedy: "return the rate in Decision::pacing, and a quantum of about 1 ms at that rate in Decision::quantum",
    };
    for controller in subjects().filter(|controller| controller.basis != Basis::Delay) {
        let link = "rate = \"50 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"2 bdp\"";
        let text = one_link(&controller.text, 20, 5, link, "[flow.transport]\nack_every = 32")
            .replace("[\"left\", \"right\"]", "[\"middle\", \"right\"]")
            + "[[link]]\nname = \"access\"\nbetween = [\"left\", \"middle\"]\nrate = \"1 Gbit/s\"\ndelay = \"1 ms\"\nbuffer = \"10 MB\"\n";
        let record = run(&text);
        let access =
            record.links.iter().find(|link| link.name == "access").expect("the first link");
        let packets = access.queueing.max().expect("packets crossed it").as_nanos() / 12_000;
        let paces = record.flows[0].samples.last().expect("a sample").pacing.is_some();
        // At 50 Mbit/s and a gain of 1.25, a quantum of 1 ms has 5 packets. C4 has 4 ms
        // (draft-huitema-ccwg-c4-spec, "Setting pacing rate, congestion window and quantum"), of a
        // rate that is up to 19/16 above the link's while it pushes: 24.7 packets.
        let most = if controller.name() == "c4" { 25 } else { 5 };
        let expected = if paces { 0..=most } else { 31..=32 };
        let measured = format!(
            "{packets} packets queue before the first link, instead of {} to {}",
            expected.start(),
            expected.end()
        );
        RULE.assert(expected.contains(&packets), &controller, measured);
    }
}
