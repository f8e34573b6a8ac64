//! A packet costs no allocation.

mod common;

use common::{one_link, scenario};
use narrows_control::registry::ENTRIES;

/// Allocations of a run of so many seconds, and the packets it delivered.
fn cost(controller: &str, seconds: u32) -> (u64, u64) {
    let plan = scenario(&one_link(controller, seconds, 1, "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"", "count = 10"));
    let mut packets = 0;
    let counted = allocation_counter::measure(|| packets = narrows_sim::run(&plan).expect("a run").hops);
    (counted.count_total, packets)
}

#[test]
fn a_longer_run_allocates_no_more_than_a_shorter_one() {
    for entry in ENTRIES {
        let ((short, few), (long, many)) = (cost(entry.name, 20), cost(entry.name, 60));
        assert!(many > 2 * few, "{}: {few} and {many} packets", entry.name);
        // What is left are series that grow, and queues and histograms that reach a new size now and then.
        let per_packet = long.saturating_sub(short) as f64 / (many - few) as f64;
        assert!(per_packet < 1e-3, "{}: {per_packet} allocations per packet ({short}, then {long})", entry.name);
        println!("{}: {short} allocations in 20 s, {long} in 60 s, {many} packet-hops", entry.name);
    }
}
