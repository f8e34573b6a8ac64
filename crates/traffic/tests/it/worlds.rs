//! The same applications in a world that counts segments in virtual time and in one that counts
//! bytes and is always late: same draws, same transfers.

use crate::common::{Seen, scenario, segments, sockets};
use narrows_measure::Transfer;
use narrows_traffic::Action;
use narrows_units::{Bytes, Span, Time};

/// Flows that say themselves when they act.
const SCHEDULED: [(bool, &str); 13] = [
    (true, "workload = \"bulk\"\nstart = \"1 s\"\nstop = \"4 s\""),
    (true, "workload = { size = \"1 MB\" }\nstart = \"1500 ms\""),
    (true, "workload = { rate = \"1 Mbit/s\" }"),
    (false, "workload = { rate = \"1 Mbit/s\" }\nstop = \"5 s\""),
    (true, "workload = { on = \"700 ms\", off = \"400 ms\", draw = \"exponential\" }"),
    (true, "workload = { on = \"2 s\", off = \"1 s\" }\nstop = \"7 s\""),
    (
        true,
        "workload = { on = \"30 kB\", off = \"100 ms\", rate = \"1 Mbit/s\", draw = \"exponential\" }",
    ),
    (
        false,
        "workload = { on = \"200 ms\", off = \"100 ms\", rate = \"1 Mbit/s\", draw = \"exponential\" }\nstop = \"7 s\"",
    ),
    (
        true,
        "workload = { rate = \"2 Mbit/s\", frame = \"33 ms\", key_every = 10, key_factor = 4.0 }\nstop = \"9 s\"",
    ),
    (false, "workload = { rate = \"2 Mbit/s\", frame = \"33 ms\" }\nstop = \"9 s\""),
    (
        true,
        "workload = { rate = \"2 Mbit/s\", frame = \"33 ms\", until = \"3 s\", then = \"2 MB\" }",
    ),
    (true, "workload = { arrivals = \"20/s\", sizes = \"web\" }\nstop = \"6 s\""),
    (true, "workload = { load = \"40 %\", sizes = [[\"1 kB\", 0.5], [\"50 kB\", 1.0]] }"),
];

/// Flows that wait for what they sent.
const WAITING: [&str; 5] = [
    "workload = { on = \"30 kB\", off = \"200 ms\", draw = \"exponential\" }",
    "workload = { response = \"web\", request = \"4 kB\", think = \"100 ms\", draw = \"exponential\" }",
    "workload = { response = [[\"1 kB\", 0.5], [\"50 kB\", 1.0]] }\nstop = \"6 s\"",
    "workload = { on = \"30 kB\", off = \"200 ms\", draw = \"exponential\", connections = \"new\" }",
    "workload = { response = \"web\", think = \"100 ms\", draw = \"exponential\", connections = \"new\" }\nstop = \"8 s\"",
];

fn list(seen: &Seen) -> &[Transfer] {
    seen.transfers.as_ref().map_or(&[], |transfers| &transfers.list)
}

/// Those that began before the last half second, in order of start and size, and how long they
/// would take alone.
fn by_start(seen: &Seen) -> Vec<(Time, Bytes, Span)> {
    let before = Time::ZERO + Span::from_millis(9_500);
    let mut all: Vec<_> = list(seen)
        .iter()
        .map(|done| (done.start, done.size, done.ideal))
        .filter(|(start, ..)| *start < before)
        .collect();
    all.sort();
    all
}

#[test]
fn what_has_a_schedule_does_the_same_at_the_same_times_in_both_worlds() {
    for (tcp, flow) in SCHEDULED {
        let plan = scenario(tcp, flow);
        let exact = segments::run(&plan);
        for seed in 0..5 {
            let late = sockets::run(&plan, seed);
            // Transfers due before the end and not yet seen then are the only difference there can
            // be.
            let both = exact.actions.len().min(late.actions.len());
            assert!(
                both > 0 && exact.actions.len() - both <= 40,
                "{flow}: {both} of {}",
                exact.actions.len()
            );
            assert_eq!(exact.actions[..both], late.actions[..both], "{flow}");
            if plan.flows[0].stop.is_some() {
                assert_eq!(
                    (exact.actions.len(), exact.finished_at),
                    (late.actions.len(), late.finished_at),
                    "{flow}"
                );
            }
            assert_eq!(exact.completed, late.completed, "{flow}");
        }
    }
}

#[test]
fn transfers_with_a_schedule_are_the_same_in_both_worlds() {
    for (tcp, flow) in SCHEDULED.iter().filter(|(_, flow)| {
        ["{ size", "frame", "arrivals", "{ load"].iter().any(|key| flow.contains(key))
    }) {
        let plan = scenario(*tcp, flow);
        let exact = segments::run(&plan);
        let late = sockets::run(&plan, 1);
        assert_eq!(by_start(&exact), by_start(&late), "{flow}");
        assert!(!list(&exact).is_empty(), "{flow}");
        let exact = exact.transfers.as_ref().unwrap();
        let late = late.transfers.as_ref().unwrap();
        assert_eq!((exact.begun, exact.lost), (late.begun, late.lost), "{flow}");
    }
}

#[test]
fn bursts_by_time_carry_what_each_world_sent() {
    for (_, flow) in SCHEDULED
        .iter()
        .filter(|(tcp, flow)| *tcp && flow.contains("on = ") && !flow.contains("rate"))
    {
        let plan = scenario(true, flow);
        for seen in [segments::run(&plan), sockets::run(&plan, 2)] {
            let cuts: Vec<Time> = seen
                .actions
                .iter()
                .filter_map(
                    |action| if let Action::Cut { start } = action { Some(*start) } else { None },
                )
                .collect();
            let starts: Vec<Time> = list(&seen).iter().map(|burst| burst.start).collect();
            // A burst too short for a world to send anything of it does not exist there.
            assert!(
                starts.len() > 2 && starts.iter().all(|start| cuts.contains(start)),
                "{flow}: {starts:?} of {cuts:?}"
            );
            let carried: u64 = list(&seen).iter().map(|burst| burst.size.get()).sum();
            assert!(carried <= seen.delivered && seen.delivered <= seen.written, "{flow}");
            if plan.flows[0].stop.is_some() {
                assert_eq!((carried, seen.delivered), (seen.written, seen.written), "{flow}");
            }
        }
    }
}

#[test]
fn what_waits_draws_the_same_sizes_and_pauses_in_both_worlds() {
    for flow in WAITING {
        let plan = scenario(true, flow);
        let exact = segments::run(&plan);
        let pauses = |seen: &Seen| -> Vec<Span> {
            list(seen)
                .windows(2)
                .map(|two| two[1].start.since(two[0].start + two[0].took))
                .collect()
        };
        let sizes =
            |seen: &Seen| -> Vec<Bytes> { list(seen).iter().map(|done| done.size).collect() };
        for seed in 0..5 {
            let late = sockets::run(&plan, seed);
            let both = list(&exact).len().min(list(&late).len());
            assert!(both > 20, "{flow}: {both}");
            assert_eq!(sizes(&exact)[..both], sizes(&late)[..both], "{flow}");
            assert_eq!(pauses(&exact)[..both - 1], pauses(&late)[..both - 1], "{flow}");
            assert_eq!(exact.finished_at, late.finished_at, "{flow}");
        }
    }
}

#[test]
fn a_transfer_alone_takes_its_ideal_time_where_nothing_is_late() {
    for flow in [
        "workload = { size = \"100 kB\" }",
        "workload = { on = \"10 kB\", off = \"500 ms\" }",
        "workload = { response = \"20 kB\" }",
        "workload = { response = \"20 kB\", connections = \"new\" }",
    ] {
        let seen = segments::run(&scenario(true, flow));
        assert!(!list(&seen).is_empty(), "{flow}");
        assert!(
            list(&seen).iter().all(|done| done.took == done.ideal),
            "{flow}: {:?}",
            list(&seen)
        );
    }
}

#[test]
fn frames_with_dropped_datagrams_are_lost_in_both_worlds() {
    // 8250 B, six datagrams: of 23 datagrams one is dropped.
    let plan =
        scenario(false, "workload = { rate = \"2 Mbit/s\", frame = \"33 ms\" }\nstop = \"5 s\"");
    let frames = 152;
    let broken = (0..frames)
        .filter(|frame| (frame * 6..frame * 6 + 6).any(crate::common::dropped))
        .count() as u64;
    let counted = (0..frames).filter(|frame| frame * 33 >= 1_000);
    let lost = counted
        .clone()
        .filter(|frame| (frame * 6..frame * 6 + 6).any(crate::common::dropped))
        .count() as u64;
    for seen in [segments::run(&plan), sockets::run(&plan, 4)] {
        let transfers = seen.transfers.unwrap();
        assert_eq!((transfers.begun, transfers.lost), (counted.clone().count() as u64, lost));
        assert_eq!(transfers.list.len() as u64, frames - broken);
        assert!(transfers.late >= transfers.lost);
    }
}
