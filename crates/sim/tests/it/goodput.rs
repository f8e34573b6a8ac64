//! Goodput is of one time: what arrives while a flow runs, over the time in which it runs.

use crate::common::{bottleneck, one_link, run};
use narrows_measure::Record;
use narrows_measure::metrics::{flow_goodput, metric};
use narrows_units::{Span, Time};

const DEEP: &str = "rate = \"1 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"10 MB\"";

fn goodput(record: &Record, flow: usize) -> f64 {
    flow_goodput(record, &record.flows[flow]).expect("it ran")
}

fn after(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

/// Data that waits when the flow is stopped arrives later, and is no part of its goodput while it
/// ran.
#[test]
fn a_stopped_flow_has_no_more_than_its_link() {
    let datagrams = "stop = \"4 s\"\nworkload = { rate = \"10 Mbit/s\" }";
    let udp = one_link("none", 60, 1, DEEP, datagrams).replace("controller = \"none\"", "");
    for text in [udp, one_link("cubic", 60, 1, DEEP, "stop = \"4 s\"")] {
        let record = run(&text);
        let own = goodput(&record, 0);
        let all =
            metric("goodput").and_then(|metric| (metric.compute)(&record)).expect("of a flow");
        assert!((0.9..=1.0).contains(&own), "{own}");
        let late = record.flows[0].steady.late_goodput;
        assert!(late.get() > 50_000, "the queue drains: {late}");
        let both = own * 3.0 + late.bits() as f64 / 1e6;
        assert!((all * 59.0 - both).abs() < 1e-6, "{all} of the run holds what came later");
        // For a part, to the samples.
        let part = record.between(after(2), after(30));
        assert!((0.9..=1.0).contains(&goodput(&part, 0)), "{}", goodput(&part, 0));
    }
}

#[test]
fn a_stopped_consumer_has_no_more_than_its_link() {
    let asks = "duration = \"20 s\"\nwarmup = \"1 s\"\n[icn]\n\
                [[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"10 MB\"\n\
                [[prefix]]\nname = \"/p\"\nat = \"b\"\n\
                [[consumer]]\nat = \"a\"\nprefix = \"/p\"\ncontroller = \"cubic\"\nstop = \"4 s\"\n";
    let record = run(asks);
    let own = goodput(&record, 0);
    assert!((0.9..=1.0).contains(&own), "{own}");
    assert!(record.flows[0].steady.late_goodput.get() > 10_000, "{:?}", record.flows[0].steady);
}

/// Data that came before the warm-up was over and waited for a gap to be filled is not delivered
/// after it a second time.
#[test]
fn data_that_waits_for_a_gap_counts_when_it_arrives() {
    let link = "rate = \"60 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 bdp\"\nloss = \"2 %\"";
    for warmup in 1..8 {
        let record = run(&one_link("allegro", 12, warmup, link, ""));
        let steady = &record.flows[0].steady;
        assert!(
            steady.goodput <= steady.arrived_wire,
            "warm-up {warmup}: {} of {}",
            steady.goodput,
            steady.arrived_wire
        );
        assert!(goodput(&record, 0) <= 60.0);
        assert!(steady.arrived_wire <= bottleneck(&record).capacity.expect("it has a rate"));
        // Each segment once: what arrived without what had arrived before.
        let fresh = (steady.arrived - steady.duplicates) * record.flows[0].mss.get();
        assert_eq!(steady.goodput.get(), fresh);
    }
}
