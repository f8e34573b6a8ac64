//! PCC in user space: what its papers say of it on simple networks.

mod common;

use common::{one_link, run, utilisation};
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
