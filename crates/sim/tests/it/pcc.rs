//! PCC in user space: what its papers say of it on simple networks.

use crate::common::{one_link, run, utilisation};
use narrows_measure::Record;
use narrows_measure::metrics::metric;

/// The path of the papers: 100 Mbit/s, 30 ms.
fn path(buffer: &str) -> String {
    format!("rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"{buffer}\"")
}

fn of(record: &Record, name: &str) -> f64 {
    (metric(name).expect("a metric").compute)(record).expect("a value")
}

#[test]
fn vivace_fills_a_link_and_leaves_its_buffer_empty() {
    let record = run(&one_link("vivace", 20, 5, &path("750 kB"), ""));
    assert!(utilisation(&record) >= 0.85, "utilisation {}", utilisation(&record));
    assert!(of(&record, "queueing_p95") <= 5.0, "{} ms of queueing", of(&record, "queueing_p95"));
}

/// Goodputs of the flows since the warm-up, in Mbit/s of payload, by the order of the scenario.
fn goodputs(record: &Record, seconds: f64) -> Vec<f64> {
    record.flows.iter().map(|flow| flow.steady.goodput.bits() as f64 / seconds / 1e6).collect()
}

#[test]
fn two_vivace_flows_share_equally_over_60_seconds() {
    let index = |seed: u32| {
        of(
            &run(&(format!("seed = {seed}\n")
                + &one_link("vivace", 60, 0, &path("750 kB"), "count = 2"))),
            "jain",
        )
    };
    let mean = (1..=5).map(index).sum::<f64>() / 5.0;
    assert!(mean >= 0.95, "Jain {mean}");
}

#[test]
fn allegro_does_not_mind_a_random_loss_of_1_percent() {
    let link = path("750 kB") + "\nloss = { probability = 0.01 }";
    let record = run(&one_link("allegro", 20, 5, &link, ""));
    assert!(goodputs(&record, 15.0)[0] >= 80.0, "{:?}", goodputs(&record, 15.0));
}

#[test]
fn the_released_code_fills_a_link() {
    let record = run(&one_link("vivace-nsdi18", 20, 5, &path("750 kB"), ""));
    assert!(utilisation(&record) >= 0.9, "utilisation {}", utilisation(&record));
}

/// Goodputs of a flow of the first controller and one of the second beside it, from 20 to 60 s.
fn beside(one: &str, other: &str) -> Vec<f64> {
    let other = format!(
        "[[flow]]\nname = \"other\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"{other}\""
    );
    goodputs(&run(&one_link(one, 60, 20, &path("375 kB"), &other)), 40.0)
}

#[test]
fn a_scavenger_takes_an_idle_link_and_leaves_it_to_others() {
    let alone = run(&one_link("vivace?utility=scavenger", 60, 20, &path("375 kB"), ""));
    assert!(utilisation(&alone) >= 0.75, "utilisation {} alone", utilisation(&alone));
    for other in ["cubic", "vivace"] {
        let shares = beside("vivace?utility=scavenger", other);
        assert!(shares[1] >= 4.0 * shares[0] && shares[1] >= 75.0, "beside {other}: {shares:?}");
    }
}

#[test]
fn shares_are_in_proportion_to_weights() {
    let ratio = |weight: u32| {
        let shares = beside(
            &format!("vivace?utility=proportional&weight={weight}"),
            "vivace?utility=proportional",
        );
        assert!(shares[0] + shares[1] >= 85.0, "{shares:?}");
        shares[0] / shares[1]
    };
    let ratios = [1, 2, 4].map(ratio);
    assert!(
        (0.8..=1.25).contains(&ratios[0])
            && (1.6..=2.4).contains(&ratios[1])
            && (2.0..=4.8).contains(&ratios[2]),
        "{ratios:?}"
    );
}

/// Percentiles 50 and 95 of the queueing delay from 20 to 60 s, in ms.
fn queue_at(target: u32, link: &str, flows: u32) -> (f64, f64) {
    let controller = format!("vivace?utility=latency-target&target_ms={target}");
    let record = run(&one_link(&controller, 60, 20, link, &format!("count = {flows}")));
    assert!(utilisation(&record) >= 0.98, "utilisation {}", utilisation(&record));
    (of(&record, "queueing_p50"), of(&record, "queueing_p95"))
}

#[test]
fn a_latency_target_is_kept_from_a_tenth_of_the_round_trip_to_more_than_all_of_it() {
    for target in [3, 5, 10, 20, 40] {
        let (median, high) = queue_at(target, &path("750 kB"), 1);
        let target = target as f64;
        assert!(
            (0.9 * target..=1.1 * target).contains(&median) && high <= 1.3 * target + 1.0,
            "{target} ms: {median} and {high} ms"
        );
    }
    let (median, high) =
        queue_at(10, "rate = \"20 Mbit/s\"\ndelay = \"30 ms\"\nbuffer = \"300 kB\"", 1);
    assert!((8.5..=11.0).contains(&median) && high <= 14.0, "{median} and {high} ms");
}

#[test]
fn flows_that_share_a_latency_target_stay_near_it() {
    let (median, high) = queue_at(10, &path("750 kB"), 2);
    assert!((9.0..=15.0).contains(&median) && high <= 30.0, "{median} and {high} ms");
}

/// Bursts make slopes of the round trip that outweigh losses: without the price of slopes the rate
/// stays.
#[test]
fn vivaces_rate_wanders_where_acknowledgements_come_in_bursts_by_its_price_of_delay() {
    let with = |controller: &str, seed: u32| {
        let link = "rate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"\nback = { aggregate = \"40 ms\" }";
        let record = run(&(format!("seed = {seed}\n") + &one_link(controller, 60, 20, link, "")));
        (utilisation(&record), of(&record, "loss"))
    };
    for seed in 1..=3 {
        let priced = with("vivace", seed);
        let free = with("vivace?b=0", seed);
        assert!(priced.0 < 0.8 || priced.1 > 15.0, "seed {seed}: {priced:?}");
        assert!(free.0 > 0.95 && free.1 < 15.0, "seed {seed}: {free:?}");
    }
}
