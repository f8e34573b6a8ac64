//! A run ends soon after it is told to, also where virtual time stands still.

use crate::common::{one_link, scenario};
use narrows_measure::{FlowSample, Follower, LinkSample, Record};
use narrows_scenario::Scenario;
use narrows_sim::{Progress, SimError, run_followed, run_until, run_with_progress};
use narrows_units::{Span, Time};
use std::sync::atomic::{AtomicBool, Ordering};

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
    let text = one_link("newreno", 10, 0, &format!("{LINK}\nbuffer = \"10 packets\""), flow)
        .replace("controller = \"newreno\"", "");
    assert_eq!(asked(&scenario(&text), 3), [Time::ZERO; 3]);
}

/// Samples are no events of the network.
#[test]
fn a_run_that_only_takes_samples_can_be_stopped() {
    let late = "start = \"999 s\"\nworkload = { size = \"1 kB\" }";
    let text = one_link("newreno", 1000, 0, LINK, late)
        .replace("\"10 ms\"\n[[link]]", "\"1 ms\"\n[[link]]");
    let consumer = "duration = \"1000 s\"\nsample = \"1 ms\"\n[icn]\n\
                    [[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n\
                    [[prefix]]\nname = \"/p\"\nat = \"b\"\n\
                    [[consumer]]\nat = \"a\"\nprefix = \"/p\"\ncontroller = \"newreno\"\nstart = \"999 s\"\n";
    for text in [&text, consumer] {
        let times = asked(&scenario(text), 1);
        assert!(times[0] < Time::ZERO + Span::from_secs(100), "{times:?}");
    }
}

/// Sets a flag at the third sample.
struct Impatient<'a>(u32, &'a AtomicBool);

impl Follower for Impatient<'_> {
    fn begun(&mut self, _: Record) {}

    fn sampled(&mut self, flows: &[(usize, FlowSample)], _: &[(usize, LinkSample)]) {
        assert!(self.0 < 3, "it went on until {:?}", flows[0].1.at);
        self.0 += 1;
        self.1.store(self.0 == 3, Ordering::Relaxed);
    }
}

/// A run of fewer steps than there are between two calls of the progress callback. With a slow
/// controller it takes minutes.
#[test]
fn a_flag_ends_a_run_at_its_next_step() {
    let stop = AtomicBool::new(false);
    let mut calls = 0;
    let mut impatient = Impatient(0, &stop);
    let mut heard = |_| {
        calls += 1;
        true
    };
    let plan = scenario(&one_link("newreno", 10, 0, LINK, ""));
    let ended = run_followed(&plan, Progress::new(&mut heard, &stop), None, &mut impatient);
    assert_eq!((ended.err(), impatient.0, calls), (Some(SimError::Stopped), 3, 0));
    assert_eq!(run_until(&plan, &AtomicBool::new(true)).err(), Some(SimError::Stopped));
}
