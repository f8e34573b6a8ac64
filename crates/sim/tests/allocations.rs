//! A packet costs no allocation.

mod common;

use common::{one_link, queue_for, scenario};
use narrows_control::registry::{ENTRIES, Entry};

/// Allocations of a run of so many seconds, and the packets it delivered.
fn cost(entry: &Entry, seconds: u32) -> (u64, u64) {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"1 bdp\"".to_owned() + &queue_for(entry);
    let plan = scenario(&one_link(entry.name, seconds, 1, &link, "count = 10"));
    let mut packets = 0;
    let counted = allocation_counter::measure(|| packets = narrows_sim::run(&plan).expect("a run").hops);
    (counted.count_total, packets)
}

#[test]
fn a_longer_run_allocates_no_more_than_a_shorter_one() {
    for entry in ENTRIES {
        let ((short, few), (long, many)) = (cost(entry, 20), cost(entry, 60));
        assert!(many > 2 * few, "{}: {few} and {many} packets", entry.name);
        // What is left are series that grow, and queues and histograms that reach a new size now and then.
        let per_packet = long.saturating_sub(short) as f64 / (many - few) as f64;
        assert!(per_packet < 1e-3, "{}: {per_packet} allocations per packet ({short}, then {long})", entry.name);
        println!("{}: {short} allocations in 20 s, {long} in 60 s, {many} packet-hops", entry.name);
    }
}
