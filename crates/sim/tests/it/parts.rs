//! Parts of a network that share no link are run one after another; the record is that of all
//! together.

use crate::common::scenario;
use narrows_transport::{Observer, Seen, Sender};
use narrows_units::Time;

/// Watches, so that the whole network is run at once.
struct Watching;

impl Observer for Watching {
    fn on_packet(&mut self, _: &Seen) {}

    fn on_sender(&mut self, _: Time, _: usize, _: &Sender) {}
}

/// Three networks, their links and flows written in turn: a fast and a slow way between a and b of
/// which a flow takes one after the other, a link that loses and changes, one with connections that
/// come and go; and a link that nobody uses.
pub const MIXED: &str = r#"
duration = "6 s"
warmup = "1 s"
sample = "100 ms"
seed = 5

[[link]]
name = "fast"
between = ["a", "b"]
rate = "20 Mbit/s"
delay = "10 ms"
buffer = "30 packets"

[[link]]
name = "lossy"
between = ["c", "d"]
rate = "8 Mbit/s"
delay = "5 ms"
buffer = "20 packets"
loss = "1 %"

[[link]]
name = "idle"
between = ["g", "h"]
rate = "1 Mbit/s"
delay = "1 ms"

[[link]]
name = "slow"
between = ["a", "b"]
rate = "5 Mbit/s"
delay = "30 ms"
buffer = "20 packets"
queue = "codel"

[[link]]
name = "web"
between = ["e", "f"]
rate = "10 Mbit/s"
delay = "7 ms"
buffer = "20 packets"

[[flow]]
name = "moves"
from = "a"
to = "b"
route = ["fast"]
controller = "cubic"

[[flow]]
name = "requests"
from = "e"
to = "f"
controller = "newreno"
workload = { arrivals = "40/s", sizes = "web" }

[[flow]]
name = "bbr"
from = "c"
to = "d"
controller = "bbr"

[[flow]]
name = "stays"
from = "a"
to = "b"
route = ["slow"]
controller = "newreno"

[[flow]]
name = "reno"
from = "c"
to = "d"
controller = "newreno"
start = "500 ms"

[[flow]]
name = "datagrams"
from = "f"
to = "e"
workload = { rate = "1 Mbit/s" }

[[change]]
at = "2 s"
link = "lossy"
rate = "3 Mbit/s"

[[change]]
at = "3 s"
flow = "moves"
route = ["slow"]

[[change]]
at = "4 s"
link = "slow"
delay = "15 ms"
"#;

#[test]
fn the_record_is_that_of_the_whole_network() {
    let plan = scenario(MIXED);
    let apart = narrows_sim::run(&plan).expect("it runs in parts");
    let whole = narrows_sim::run_observed(
        &plan,
        narrows_sim::Progress::heard_by(&mut |_| true),
        &mut Watching,
    )
    .expect("it runs as a whole");
    assert_eq!(format!("{apart:#?}"), format!("{whole:#?}"));
    for (flow, plan) in apart.flows.iter().zip(plan.flows.iter()) {
        assert_eq!(flow.name, plan.name);
        assert!(flow.total.arrived > 100, "{}: {:?}", flow.name, flow.total);
    }
    assert!(
        apart.flows[1].transfers.as_ref().is_some_and(|transfers| transfers.list.len() > 50),
        "few connections came and went"
    );
}

#[test]
fn progress_goes_from_nothing_to_the_whole_duration() {
    let plan = scenario(MIXED);
    let mut times = Vec::new();
    let mut progress = |now| {
        times.push(now);
        true
    };
    narrows_sim::run_with_progress(&plan, &mut progress).expect("it runs");
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(times.last(), Some(&(Time::ZERO + plan.duration)));
    for part in 1..=3 {
        let third = Time::from_nanos(plan.duration.as_nanos() * part / 3);
        assert!(times.contains(&third), "{part} of three parts: {times:?}");
    }
}

#[test]
fn an_impossible_flow_of_the_last_part_is_refused_before_anything_is_run() {
    let endless = "[[link]]\nname = \"z\"\nbetween = [\"y\", \"z\"]\ndelay = \"1 ms\"\n[[flow]]\nfrom = \"y\"\nto = \"z\"\ncontroller = \"cubic\"\n";
    let plan = scenario(&format!("{MIXED}{endless}"));
    let result = narrows_sim::run_with_progress(&plan, &mut |_| panic!("something was run"));
    assert!(
        result.is_err_and(|error| error
            .to_string()
            .contains("nothing keeps it from sending ever more"))
    );
}
