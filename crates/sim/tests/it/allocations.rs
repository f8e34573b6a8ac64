//! A packet costs no allocation.

use crate::common::{one_link, queue_for, scenario};
use narrows_control::{ENTRIES, Entry};

/// Allocations of a run of so many seconds, and the packets it delivered.
fn cost(entry: &Entry, seconds: u32) -> (u64, u64) {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"".to_owned()
        + &queue_for(entry);
    let plan = scenario(&one_link(entry.name, seconds, 1, &link, "count = 10"));
    let mut packets = 0;
    let counted =
        allocation_counter::measure(|| packets = narrows_sim::run(&plan).expect("a run").hops);
    (counted.count_total, packets)
}

/// Allocations of an information-centric run of so many seconds, and the packets it delivered.
fn icn_cost(method: &str, seconds: u32) -> (u64, u64) {
    let link = |from: &str, to: &str| {
        format!(
            "[[link]]\nname = \"{from}{to}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"50 Mbit/s\"\ndelay = \"5 ms\"\n"
        )
    };
    let links: String = [("a", "b"), ("b", "c"), ("b", "d"), ("c", "e"), ("d", "e")]
        .map(|(from, to)| link(from, to))
        .concat();
    let ends = "[[prefix]]\nname = \"/p\"\nat = \"e\"\n[[consumer]]\nat = \"a\"\nprefix = \"/p\"\ncount = 10\n";
    let plan = scenario(&format!(
        "duration = \"{seconds} s\"\nsample = \"1 s\"\n[icn]\n{method}\n{links}{ends}"
    ));
    let mut packets = 0;
    let counted =
        allocation_counter::measure(|| packets = narrows_sim::run(&plan).expect("a run").hops);
    (counted.count_total, packets)
}

#[test]
fn a_longer_information_centric_run_allocates_no_more_than_a_shorter_one() {
    let ways = ["labels", "hashes", "random", "bloom"]
        .map(|steering| format!("steering = \"{steering}\""));
    let windows =
        ["cubic", "bbr"].map(|controller| format!("law = \"none\"\ncontroller = \"{controller}\""));
    for method in ways.into_iter().chain(windows) {
        let ((short, few), (long, many)) = (icn_cost(&method, 10), icn_cost(&method, 30));
        assert!(many > 2 * few, "{method}: {few} and {many} packets");
        let per_packet = long.saturating_sub(short) as f64 / (many - few) as f64;
        assert!(
            per_packet < 1e-3,
            "{method}: {per_packet} allocations per packet ({short}, then {long})"
        );
        println!("{method:?}: {short} allocations in 10 s, {long} in 30 s, {many} packet-hops");
    }
}

#[test]
fn a_longer_run_allocates_no_more_than_a_shorter_one() {
    for entry in ENTRIES {
        let ((short, few), (long, many)) = (cost(entry, 20), cost(entry, 60));
        assert!(many > 2 * few, "{}: {few} and {many} packets", entry.name);
        // The allocations left are series that grow, and queues and histograms that reach a new
        // size now and then.
        let per_packet = long.saturating_sub(short) as f64 / (many - few) as f64;
        assert!(
            per_packet < 1e-3,
            "{}: {per_packet} allocations per packet ({short}, then {long})",
            entry.name
        );
        println!("{}: {short} allocations in 20 s, {long} in 60 s, {many} packet-hops", entry.name);
    }
}
