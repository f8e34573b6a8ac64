//! Known properties of BBR version 3, beside version 1 and CUBIC.
//! `docs/reference/controllers/bbr3.md` has the numbers.

use crate::common::{bottleneck, median, one_link, run, utilisation};
use narrows_measure::Record;
use narrows_units::Time;

const PROFILES: [&str; 2] = ["bbr3", "bbr3?profile=linux"];
const DEEP: &str = "rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"10 bdp\"";

/// The queue since the warm-up, averaged over time, in BDPs of 500 kB.
fn mean_queue(record: &Record) -> f64 {
    let steady = bottleneck(record)
        .samples
        .iter()
        .filter(|sample| sample.at.since(Time::ZERO) > record.warmup);
    let (sum, count) =
        steady.fold((0, 0), |(sum, count), sample| (sum + sample.queue.get(), count + 1));
    sum as f64 / count as f64 / 500e3
}

/// Arrived over what a path of 100 Mbit/s that loses each packet with probability `p` can deliver.
fn share_of_possible(controller: &str, p: f64) -> f64 {
    let of_seed = |seed: u32| {
        let text = format!("seed = {seed}\n")
            + &one_link(controller, 60, 10, &format!("{DEEP}\nloss = {{ probability = {p} }}"), "");
        run(&text).flows[0].steady.arrived_wire.bits() as f64 / 50.0 / 100e6 / (1.0 - p)
    };
    median((1..=3).map(of_seed).collect())
}

/// The shares of 100 Mbit/s and 40 ms that two flows get, the second of which starts at `start`;
/// counted over the second half of 120 s.
fn shares(controllers: [&str; 2], buffer: &str, start: &str, seed: u32) -> [f64; 2] {
    let link = format!("rate = \"100 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"{buffer}\"");
    let [first, second] = controllers;
    let text = format!("seed = {seed}\n")
        + &one_link(first, 120, 60, &link, "")
        + &format!(
            "[[flow]]\nname = \"other\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"{second}\"\nstart = \"{start}\"\n"
        );
    let record = run(&text);
    [0, 1].map(|flow| record.flows[flow].steady.arrived_wire.bits() as f64 / 60.0 / 100e6)
}

#[test]
fn one_flow_fills_a_path_with_a_deep_buffer_and_leaves_it_nearly_empty() {
    for controller in PROFILES {
        let record = run(&one_link(controller, 60, 5, DEEP, ""));
        let used = utilisation(&record);
        let queue = mean_queue(&record);
        assert!(used >= 0.95, "{controller}: utilisation {used}");
        assert!(queue <= 0.15, "{controller}: a queue of {queue} BDP");
        assert_eq!(record.flows[0].total.retransmitted, 0, "{controller}");
    }
}

/// Five seconds after the last shorter round trip: after the end of one ProbeRTT, unless the queue
/// left by a later probe for bandwidth makes for a shorter one.
#[test]
fn the_window_falls_to_half_a_product_every_five_to_eight_seconds() {
    for controller in PROFILES {
        let record = run(&one_link(controller, 60, 5, DEEP, ""));
        // 333 packets and what acknowledgements delay.
        let low = 160.0..=172.0;
        let dips: Vec<f64> = record.flows[0]
            .samples
            .windows(2)
            .filter(|pair| !low.contains(&pair[0].cwnd) && low.contains(&pair[1].cwnd))
            .map(|pair| pair[1].at.as_secs_f64())
            .filter(|at| *at > 1.0)
            .collect();
        assert!((7..=11).contains(&dips.len()), "{controller}: {dips:?}");
        assert!((5.0..5.2).contains(&dips[0]), "{controller}: {dips:?}");
        assert!(
            dips.windows(2).all(|pair| (5.2..=8.5).contains(&(pair[1] - pair[0]))),
            "{controller}: {dips:?}"
        );
    }
}

/// A round may lose 2 % before probing stops; below that, each round without probing gives way by
/// what it lost, for up to 63 rounds or 3 s.
#[test]
fn throughput_stands_random_loss_of_one_percent_and_falls_beyond_two() {
    for controller in PROFILES {
        let shares =
            [0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.10].map(|p| share_of_possible(controller, p));
        assert!(shares[..3].iter().all(|share| *share >= 0.75), "{controller}: {shares:?}");
        assert!(
            shares[3] <= 0.6 && shares[4] <= 0.2 && shares[5] <= 0.06 && shares[6] <= 0.03,
            "{controller}: {shares:?}"
        );
        assert!(shares.windows(2).all(|pair| pair[1] < pair[0]), "{controller}: {shares:?}");
    }
}

#[test]
fn at_five_percent_loss_version_1_gets_all_version_3_little_and_cubic_less() {
    let [first, third, kernel, cubic] = ["bbr", "bbr3", "bbr3?profile=linux", "cubic"]
        .map(|controller| share_of_possible(controller, 0.05));
    assert!(first >= 0.95 && first > 10.0 * third, "{first} and {third}");
    assert!(third > cubic && kernel > cubic, "{third}, {kernel} and {cubic}");
}

#[test]
fn with_a_buffer_of_one_bdp_version_3_leaves_more_to_cubic_than_version_1() {
    let taken = |controller| {
        median((1..=3).map(|seed| shares([controller, "cubic"], "1 bdp", "0 s", seed)[0]).collect())
    };
    let first = taken("bbr");
    for controller in PROFILES {
        let third = taken(controller);
        assert!(third <= first - 0.05, "{controller} takes {third}, version 1 {first}");
    }
}

#[test]
fn two_flows_converge() {
    for controller in PROFILES {
        for buffer in ["0.2 bdp", "1 bdp", "10 bdp"] {
            let shares: Vec<[f64; 2]> =
                (1..=3).map(|seed| shares([controller; 2], buffer, "5 s", seed)).collect();
            // The bound is ours; of the eighteen runs one has 0.58 and 0.40, the others are closer.
            assert!(
                shares.iter().flatten().all(|share| (0.38..=0.62).contains(share)),
                "{controller}, {buffer}: {shares:?}"
            );
        }
    }
}

/// 2 ms, so that marks are heeded; CoDel marks what waited longer than 0.5 ms.
#[test]
fn the_kernels_version_answers_marks_and_so_loses_nothing() {
    let flows = |controller: &str| {
        let link = "rate = \"100 Mbit/s\"\ndelay = \"1 ms\"\nbuffer = \"50 bdp\"\nqueue = \"codel?target=0.5&interval=2\"";
        let record = run(&one_link(controller, 30, 5, link, "count = 4"));
        (
            utilisation(&record),
            mean_queue(&record) * 20.0,
            record.flows.iter().map(|flow| flow.total.retransmitted).sum::<u64>(),
        )
    };
    let (used, queue, retransmitted) = flows("bbr3?profile=linux&ecn");
    assert!(used >= 0.95 && queue <= 1.5, "utilisation {used}, a queue of {queue} BDP");
    assert_eq!(retransmitted, 0);
    assert!(flows("bbr3?profile=linux").2 > 1_000);
}
