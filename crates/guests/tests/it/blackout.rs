//! A link that carries nothing for a while.

use crate::common::{flow, head, link, run};

/// The network is down for `down` seconds from 10 s on.
fn network(controller: &str, down: u32, seconds: u32) -> String {
    let change =
        |at: u32, key: &str| format!("[[change]]\nat = \"{at} s\"\nlink = \"bottleneck\"\n{key}\n");
    let changes = change(10, "loss = \"100 %\"") + &change(10 + down, "loss = \"0 %\"");
    head(seconds, 1) + &link("") + &flow(controller, "") + &changes
}

/// The least share of the rate before that a flow has 8 to 11.5 s after the blackout. NewReno grows
/// from its least window by a packet for each round trip; BBR of quinn had 38 of 96 Mbit/s after
/// 12 s.
fn least_after(controller: &str) -> f64 {
    match controller {
        "noq:newreno" | "quinn:newreno" | "quinn:bbr" => 0.3,
        _ => 0.8,
    }
}

#[test]
fn flows_go_on_within_8_seconds_at_the_rate_of_before() {
    for entry in narrows_guests::entries() {
        for down in [5, 12] {
            let record = run(&network(entry.name, down, 10 + down + 12));
            let samples = &record.flows[0].samples;
            let at = |second: f64| {
                samples.iter().find(|sample| sample.at.as_secs_f64() >= second).expect("a sample")
            };
            let rate = |from: f64, to: f64| {
                (at(to).goodput - at(from).goodput).get() as f64 * 8e-6 / (to - from)
            };
            let before = rate(6.0, 9.5);
            let again = f64::from(10 + down + 8);
            let after = rate(again, again + 3.5);
            let least = least_after(entry.name);
            assert!(after > least * before, "{}, {down} s: {before:.1}, {after:.1}", entry.name);
        }
    }
}

/// Both stacks have an idle timeout of 30 s: the flow ends, and the run goes on. TCP waits for its
/// backed-off retransmission timer, and sends again.
#[test]
fn a_blackout_of_40_seconds_ends_a_flow() {
    for stack in ["noq", "quinn"] {
        let beside = flow("cubic", "");
        let record = run(&(network(&format!("{stack}:cubic"), 40, 120) + &beside));
        let guest = &record.flows[0];
        let end = guest.end.expect("the flow has ended").as_secs_f64();
        assert!((40.0..42.0).contains(&end) && !guest.completed, "{stack}: {end:.2} s");
        let sent = |flow: usize| {
            let samples = &record.flows[flow].samples;
            samples[samples.len() - 1].sent - samples[samples.len() * 6 / 7].sent
        };
        assert!(sent(0) == 0 && sent(1) > 1_000, "{stack}: {} and {}", sent(0), sent(1));
    }
}
