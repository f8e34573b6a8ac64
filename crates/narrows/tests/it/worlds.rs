//! One scenario, simulated and live: applications do the same, and their transfers take similar
//! times.

use crate::host::alone;
use narrows_measure::{FlowRecord, Record, Transfer};
use narrows_scenario::Scenario;
use narrows_units::{Span, Time};

const SCENARIO: &str = r#"
duration = "4 s"
warmup = "0 s"
seed = 5
send_overhead = false
[[link]]
name = "one"
between = ["a", "b"]
rate = "20 Mbit/s"
delay = "10 ms"
[[link]]
name = "two"
between = ["c", "d"]
rate = "10 Mbit/s"
delay = "20 ms"
[[link]]
name = "three"
between = ["e", "f"]
rate = "10 Mbit/s"
delay = "15 ms"
[[link]]
name = "four"
between = ["g", "h"]
rate = "10 Mbit/s"
delay = "100 ms"
[[flow]]
name = "arrivals"
from = "a"
to = "b"
controller = "cubic"
workload = { arrivals = "15/s", sizes = "web" }
[[flow]]
name = "size"
from = "c"
to = "d"
controller = "cubic"
workload = { size = "1 MB" }
[[flow]]
name = "requests"
from = "e"
to = "f"
controller = "newreno"
workload = { response = "50 kB", think = "100 ms" }
start = "500 ms"
[[flow]]
name = "asking"
from = "g"
to = "h"
controller = "cubic"
workload = { response = "8 kB", think = "20 ms", connections = "new" }
"#;

fn flow<'a>(record: &'a Record, name: &str) -> &'a FlowRecord {
    record.flows.iter().find(|flow| flow.name == name).expect("the flow")
}

/// Returns the transfers of a flow, sorted by start.
fn transfers(record: &Record, name: &str) -> Vec<Transfer> {
    let mut list = flow(record, name).transfers.as_ref().expect("transfers").list.clone();
    list.sort_by_key(|transfer| transfer.start);
    list
}

fn median(transfers: &[Transfer]) -> f64 {
    let mut slowdowns: Vec<f64> = transfers.iter().map(Transfer::slowdown).collect();
    slowdowns.sort_by(f64::total_cmp);
    slowdowns[slowdowns.len() / 2]
}

#[test]
fn applications_do_the_same_in_both_worlds() {
    if let Err(error) = narrows_live::ready() {
        eprintln!("skipped: {error}");
        return;
    }
    let scenario: Scenario =
        narrows_scenario::parse(SCENARIO, "test.toml", &|path| std::fs::read_to_string(path))
            .expect("a scenario");
    let _alone = alone();
    let simulated = narrows_sim::run(&scenario).expect("it runs");
    let live = narrows_live::run(&scenario, &mut |_| true).expect("it runs live");
    let late = live.emulation.as_ref().expect("a live run");
    let (late, most) = (late.late_p99, late.late_max);
    if most > Span::from_millis(100) {
        eprintln!("skipped: this machine stood still, a packet was handed over {most} late");
        return;
    }
    // Random draws do not depend on the world.
    let drawn = |record: &Record| -> Vec<(Time, u64)> {
        let all = transfers(record, "arrivals");
        let early = all.iter().filter(|transfer| transfer.start < Time::ZERO + Span::from_secs(3));
        early.map(|transfer| (transfer.start, transfer.size.get())).collect()
    };
    assert_eq!(drawn(&live), drawn(&simulated));
    assert!(drawn(&live).len() > 20);
    let begun = |record: &Record| {
        flow(record, "arrivals").transfers.as_ref().map(|transfers| transfers.begun)
    };
    assert_eq!(begun(&live), begun(&simulated));
    // Durations do depend on it: threads wake up late, and kernel and simulator differ.
    if late > Span::from_millis(5) {
        eprintln!(
            "durations are not compared: one packet in a hundred was handed over {late} late"
        );
        return;
    }
    for name in ["arrivals", "size", "requests"] {
        let (kernel, simulator) =
            (median(&transfers(&live, name)), median(&transfers(&simulated, name)));
        assert!(
            kernel > 0.8 * simulator && kernel < 2.0 * simulator,
            "{name}: slowdown {kernel} live, {simulator} simulated"
        );
    }
    // Two round trips of 200 ms, of which the first is the handshake of the client, and less than
    // 10 ms for the packets. A connection opened by the server would take half a round trip more.
    let took = |record: &Record| -> Vec<f64> {
        transfers(record, "asking").iter().map(|own| own.took.as_secs_f64()).collect()
    };
    let (kernel, simulator) = (took(&live), took(&simulated));
    assert!(simulator.len() > 7 && kernel.len() > 5, "{} {}", simulator.len(), kernel.len());
    assert!(simulator.iter().all(|took| (0.4..0.41).contains(took)), "{simulator:?}");
    assert!(kernel.iter().all(|took| *took > 0.4), "{kernel:?}");
    assert!(kernel.iter().any(|took| *took < 0.45), "{kernel:?}");
    let ended = |record: &Record| flow(record, "size").end.expect("it ends").as_secs_f64();
    assert!(
        flow(&live, "size").completed && (ended(&live) / ended(&simulated) - 1.0).abs() < 0.3,
        "{} {}",
        ended(&live),
        ended(&simulated)
    );
}
