//! Flows over networks that change during the run.

mod common;

use common::run;
use narrows_measure::Record;
use narrows_units::{Bytes, Time};

/// One CUBIC flow over 10 Mbit/s and 40 ms, with changes.
fn changing(duration: u64, changes: &str) -> Record {
    run(&format!(
        "duration = \"{duration} s\"\nsample = \"100 ms\"\nsend_overhead = false\n\
         [[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nbuffer = \"1 bdp\"\n\
         {changes}\n[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n"
    ))
}

/// What the first link sent and could have sent between two times, in bytes.
fn sent(record: &Record, from: u64, to: u64) -> (u64, u64) {
    let at = |seconds: u64| record.links[0].samples.iter().find(|sample| sample.at >= Time::from_nanos(seconds * 1_000_000_000)).unwrap();
    let (from, to) = (at(from), at(to));
    ((to.departed_bytes - from.departed_bytes).get(), (to.capacity - from.capacity).get())
}

#[test]
fn the_capacity_follows_steps_of_the_rate() {
    let steps = "[[change]]\nlink = \"l\"\nrate = \"2 Mbit/s\"\nat = \"10 s\"\nevery = \"20 s\"\n\
                 [[change]]\nlink = \"l\"\nrate = \"10 Mbit/s\"\nat = \"20 s\"\nevery = \"20 s\"\n";
    let record = changing(40, steps);
    let link = &record.links[0];
    // 20 s at 10 Mbit/s and 20 s at 2 Mbit/s.
    assert_eq!(link.capacity, Some(Bytes::new(30_000_000)));
    assert_eq!(link.rate, None);
    for (from, to, capacity) in [(2, 10, 10_000_000), (11, 20, 2_250_000), (25, 30, 6_250_000), (31, 40, 2_250_000)] {
        let (sent, possible) = sent(&record, from, to);
        assert_eq!(possible, capacity, "{from} to {to} s");
        assert!(sent <= possible && sent as f64 > 0.95 * possible as f64, "{sent} of {possible} from {from} to {to} s");
    }
}

#[test]
fn nothing_crosses_a_link_that_is_down() {
    let record = changing(20, "[[change]]\nlink = \"l\"\nat = \"5 s\"\ndown_for = \"3 s\"\n");
    assert_eq!(sent(&record, 5, 8), (0, 0));
    assert_eq!(record.links[0].capacity, Some(Bytes::new(17 * 1_250_000)));
    let (sent, possible) = sent(&record, 10, 20);
    assert!(sent as f64 > 0.9 * possible as f64, "{sent} of {possible} after the outage");
}
