//! Recovery from outages and from bursts of losses.

use super::{Rule, subjects, windowed};
use crate::common::{one_link, run};
use narrows_control::Basis;
use narrows_units::{Span, Time};

#[test]
fn an_outage_of_a_second_is_over_a_second_after_it() {
    const RULE: Rule = Rule {
        name: "an outage of one second is over one second after it",
        origin: "CC-Fuzz (HotNets 2022): BBR stalls after a timeout whose spurious retransmissions make it forget the bandwidth",
        remedy: "keep the bandwidth or ssthresh of before the outage over on_timeout, and slow-start back to it",
    };
    // LEDBAT++ and SCReAMv2 take the second for a queue, which halves their windows per round trip,
    // and grow slowly: by a third of a segment, and by a segment and 2 %.
    for controller in
        windowed().filter(|controller| !["ledbatpp", "screamv2"].contains(&controller.name()))
    {
        let text = one_link(
            &controller.text,
            16,
            2,
            "trace = \"outage\"\ndelay = \"20 ms\"\nbuffer = \"200 kB\"",
            "",
        );
        let steps = |_: &std::path::Path| Ok("0,20\n10,0.000001\n11,20\n".to_owned());
        let plan = narrows_scenario::parse(&text, "test.toml", &steps)
            .unwrap_or_else(|error| panic!("{}", error.short()));
        let flow = &narrows_sim::run(&plan).expect("the simulator runs it").flows[0];
        let arrived = |second: usize| flow.samples[second * 100 - 1].arrived_wire;
        let share = |from: usize, to: usize| {
            (arrived(to) - arrived(from)).bits() as f64 / (to - from) as f64 / 20e6
        };
        let first = share(11, 12);
        let later = share(12, 16);
        let timeouts = flow.total.timeouts;
        let measured = format!(
            "it uses {first} of the link in the first second and {later} later, with {timeouts} timeouts, instead of 0.7, 0.95 and at most 3"
        );
        RULE.assert(first >= 0.7 && later >= 0.95 && timeouts <= 3, &controller, measured);
    }
}

/// Bursts of some ten packets, half of them lost.
#[test]
fn a_burst_of_losses_is_one_reduction() {
    const RULE: Rule = Rule {
        name: "a burst of losses is one reduction, repaired without a timeout",
        origin: "RFC 5681 section 3.1, RFC 6582 and RFC 6675: losses of one window are one congestion event, which lowers the threshold",
        remedy: "reduce where Feedback::congestion says so, each time and nowhere else",
    };
    for controller in subjects() {
        let link = "rate = \"200 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\nloss = { to_bad = 0.0001, to_good = 0.1, loss_bad = 0.5 }";
        let flow = &run(&one_link(&controller.text, 60, 10, link, "")).flows[0];
        assert!(
            flow.total.dropped > 5 * flow.total.recoveries,
            "{controller}: the path has no bursts of losses"
        );
        RULE.assert(
            flow.total.timeouts == 0,
            &controller,
            format!("it has {} timeouts", flow.total.timeouts),
        );
        let thresholds: Vec<(Time, f64)> =
            flow.samples.iter().filter_map(|sample| Some((sample.at, sample.ssthresh?))).collect();
        // Vegas lowers it with its window, by a segment per round trip.
        if controller.text == "vegas" {
            continue;
        }
        let falls: Vec<(Time, f64)> = thresholds
            .windows(2)
            .filter(|pair| pair[1].1 < pair[0].1)
            .map(|pair| (pair[1].0, pair[1].1 / pair[0].1))
            .collect();
        // Other controllers may know losses that are no congestion.
        if controller.basis == Basis::Loss {
            RULE.assert(
                !falls.is_empty(),
                &controller,
                "its slow start threshold never falls".to_owned(),
            );
        }
        // Half for NewReno, less for the others; and never twice within a round trip of 20 to 40
        // ms.
        let most = if controller.basis == Basis::Delay { 0.25 } else { 0.49 };
        RULE.assert(
            falls.iter().all(|(_, ratio)| *ratio >= most),
            &controller,
            format!("it falls below {most} of before: {falls:?}"),
        );
        let apart =
            falls.windows(2).all(|pair| pair[1].0.since(pair[0].0) >= Span::from_millis(20));
        RULE.assert(apart, &controller, format!("it falls twice within a round trip: {falls:?}"));
    }
}
