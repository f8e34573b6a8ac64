//! A run ends soon after it is told to, also where virtual time stands still.

use crate::common::{one_link, scenario};
use narrows_scenario::Scenario;
use narrows_sim::{SimError, run_with_progress};
use narrows_units::{Span, Time};

const LINK: &str = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"";

/// The times of which the progress callback was told, the last of which it answered with false.
fn asked(scenario: &Scenario, most: usize) -> Vec<Time> {
    let mut times = Vec::new();
    let ended = run_with_progress(scenario, &mut |now| {
        times.push(now);
        times.len() < most
    });
    assert_eq!(ended.err(), Some(SimError::Stopped));
    times
}

/// One frame of a billion datagrams, all of which leave at once.
#[test]
fn a_frame_of_a_billion_packets_can_be_stopped_while_it_leaves() {
    let flow = "workload = { rate = \"8 Gbit/s\", frame = \"1 s\" }\ntransport = { mss = \"1 B\" }";
    let text = one_link("newreno", 10, 0, &format!("{LINK}\nbuffer = \"10 packets\""), flow).replace("controller = \"newreno\"", "");
    assert_eq!(asked(&scenario(&text), 3), [Time::ZERO; 3]);
}

/// Samples are no events of the network.
#[test]
fn a_run_that_only_takes_samples_can_be_stopped() {
    let late = "start = \"999 s\"\nworkload = { size = \"1 kB\" }";
    let text = one_link("newreno", 1000, 0, LINK, late).replace("\"10 ms\"\n[[link]]", "\"1 ms\"\n[[link]]");
    let consumer = "duration = \"1000 s\"\nsample = \"1 ms\"\n[icn]\n\
                    [[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n\
                    [[prefix]]\nname = \"/p\"\nat = \"b\"\n\
                    [[consumer]]\nat = \"a\"\nprefix = \"/p\"\ncontroller = \"newreno\"\nstart = \"999 s\"\n";
    for text in [&text, consumer] {
        let times = asked(&scenario(text), 1);
        assert!(times[0] < Time::ZERO + Span::from_secs(100), "{times:?}");
    }
}
