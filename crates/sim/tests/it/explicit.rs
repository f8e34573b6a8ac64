//! Controllers that do what routers say, over these routers.

use crate::common::{bottleneck, run, scenario};
use narrows_measure::{LinkRecord, Record};
use narrows_units::{Span, Time};

/// Flows of one controller over its own router, which `queue` names: 80 ms round trip, a buffer of
/// one bandwidth-delay product.
fn over_own_router(queue: &str, seconds: u32, rate: &str, flows: &str) -> Record {
    let controller = queue.split('?').next().expect("a name");
    run(&format!(
        r#"
duration = "{seconds} s"
sample = "20 ms"
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "{rate}"
delay = "40 ms"
buffer = "1 bdp"
queue = "{queue}"
[[flow]]
name = "flow"
from = "left"
to = "right"
controller = "{controller}"
{flows}
"#
    ))
}

fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
}

/// Departed over possible bytes from `from` to `to` seconds.
fn used(link: &LinkRecord, from: f64, to: f64) -> f64 {
    let count = |seconds: f64| {
        let sample =
            link.samples.iter().rfind(|sample| sample.at <= at(seconds)).expect("a sample");
        (sample.departed_bytes.get() as f64, sample.capacity.get() as f64)
    };
    let ((departed_before, possible_before), (departed, possible)) = (count(from), count(to));
    (departed - departed_before) / (possible - possible_before)
}

/// Wire bits per second of each flow that arrive from `from` to `to` seconds.
fn rates(record: &Record, from: f64, to: f64) -> Vec<f64> {
    let count = |flow: &narrows_measure::FlowRecord, seconds: f64| {
        flow.samples
            .iter()
            .rfind(|sample| sample.at <= at(seconds))
            .map_or(0.0, |sample| sample.arrived_wire.bits() as f64)
    };
    record.flows.iter().map(|flow| (count(flow, to) - count(flow, from)) / (to - from)).collect()
}

fn jain(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

fn dropped(link: &LinkRecord) -> f64 {
    (link.total.overflowed + link.total.dropped_early) as f64 / link.total.offered as f64
}

/// The spare capacity shrinks to 0.6 of it per interval: within 20 round trips an XCP flow has the
/// link.
#[test]
fn one_flow_fills_an_idle_link_within_20_round_trips() {
    for controller in ["xcp", "rcp"] {
        let record = over_own_router(controller, 10, "10 Mbit/s", "");
        let link = bottleneck(&record);
        let aim = if controller == "xcp" { 0.95 } else { 0.95 * 0.95 };
        let reached = used(link, 1.6, 2.6);
        println!(
            "{controller}: {reached:.3}, later {:.3}, dropped {}",
            used(link, 5.0, 10.0),
            dropped(link)
        );
        assert!(reached >= aim, "{controller}: {reached}");
        assert!(
            used(link, 5.0, 10.0) >= aim && dropped(link) == 0.0,
            "{controller}: {}",
            used(link, 5.0, 10.0)
        );
    }
}

/// A gamma of 0.1 shuffles a tenth of the traffic per round trip: newcomers have their share within
/// seconds.
#[test]
fn five_xcp_flows_share_equally_within_5_seconds_of_each_start() {
    let record = over_own_router("xcp", 50, "10 Mbit/s", "count = 5\nstagger = \"10 s\"");
    for begun in 1..=5 {
        let start = 10.0 * (begun - 1) as f64;
        let rates = rates(&record, start + 5.0, start + 10.0);
        let index = jain(&rates[..begun]);
        println!(
            "{begun}: {index:.4} {rates:.0?} {:.3}",
            used(bottleneck(&record), start + 2.0, start + 10.0)
        );
        assert!(index >= 0.99, "{begun} flows: {index}, {rates:?}");
        assert!(used(bottleneck(&record), start + 2.0, start + 10.0) >= 0.92);
    }
    assert!(dropped(bottleneck(&record)) <= 1e-3, "{}", dropped(bottleneck(&record)));
}

/// Every router hands out what the others leave: the tightest one decides, and none stays idle.
#[test]
fn xcp_uses_every_link_of_a_parking_lot() {
    let link = |name: &str, from: &str, to: &str| {
        format!(
            "[[link]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"100 ms\"\nqueue = \"xcp\"\n"
        )
    };
    let flow = |name: &str, from: &str, to: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\ncontroller = \"xcp\"\ncount = 2\n"
        )
    };
    let nodes = ["a", "b", "c", "d", "e", "f"];
    let hops = nodes.windows(2).map(|pair| (format!("{}{}", pair[0], pair[1]), pair[0], pair[1]));
    let mut text = "duration = \"60 s\"\nwarmup = \"20 s\"\n".to_owned();
    text.extend(hops.clone().map(|(name, from, to)| link(&name, from, to)));
    text += &flow("long", "a", "f");
    text.extend(hops.map(|(name, from, to)| flow(&name, from, to)));
    let record = run(&text);
    for link in record.links.iter().filter(|link| !link.name.contains("back")) {
        println!("{}: {:.3} {:?}", link.name, used(link, 20.0, 60.0), link.queueing.mean());
        if link.name.len() == 2 {
            assert!(used(link, 20.0, 60.0) >= 0.85, "{}: {}", link.name, used(link, 20.0, 60.0));
            assert!(dropped(link) <= 1e-3);
        }
    }
    println!("{:.0?}", rates(&record, 20.0, 60.0));
}

/// The fixed point of the law: each of n flows has eta C / n, and nothing waits but what bursts of
/// two packets leave, which lowers the rates a little.
#[test]
fn rcp_flows_share_eta_of_the_link_without_a_queue() {
    for (count, queue) in [
        (4, "rcp"),
        (20, "rcp"),
        (4, "rcp?interval=0"),
        (4, "rcp?filter=ns2"),
        (4, "rcp?a=0.4&b=1"),
        (4, "rcp?a=0.1&b=1"),
    ] {
        let flows = format!("count = {count}\nstagger = \"100 ms\"");
        let record = over_own_router(queue, 40, "50 Mbit/s", &flows);
        let rates = rates(&record, 30.0, 40.0);
        let share = 0.95 * 50e6 / count as f64;
        let waits = bottleneck(&record).queueing.mean().expect("packets").as_millis_f64();
        println!(
            "{queue}, {count}: {:.4?} of {share}, {waits} ms",
            rates.iter().map(|rate| rate / share).collect::<Vec<_>>()
        );
        assert!(jain(&rates) > 0.9999, "{rates:?}");
        assert!(
            rates.iter().all(|rate| (0.95..1.001).contains(&(rate / share))),
            "{queue}, {count}: {rates:?}"
        );
        assert!(waits < 0.05 * 80.0, "{queue}, {count}: {waits} ms");
    }
}

#[test]
fn a_controller_without_its_router_is_refused_by_name() {
    let refused = |controller: &str, queue: &str| {
        let plan = scenario(&format!(
            "duration = \"1 s\"\n[[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\nqueue = \"{queue}\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{controller}\"\n"
        ));
        narrows_sim::run(&plan).expect_err("it cannot run").to_string()
    };
    for (controller, queue, missing) in [
        ("xcp", "fifo", "throughput feedback"),
        ("rcp", "xcp", "a rate stamped"),
        ("xcp", "rcp", "throughput feedback"),
    ] {
        let error = refused(controller, queue);
        assert!(
            error.contains(&format!("{controller} needs {missing}"))
                && error.contains(&format!("queue = \"{controller}\"")),
            "{error}"
        );
    }
}
