//! A run ends soon after it is told to, also where virtual time stands still.

use crate::common::{one_link, scenario};
use narrows_scenario::Scenario;
use narrows_sim::{SimError, fluid, run_with_progress};
use narrows_units::{Span, Time};

const LINK: &str = "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"";

/// The times of which the progress callback was told, the last of which it answered with false.
fn asked(scenario: &Scenario, most: usize, run: impl Fn(&Scenario, &mut dyn FnMut(Time) -> bool) -> Option<SimError>) -> Vec<Time> {
    let mut times = Vec::new();
    let ended = run(scenario, &mut |now| {
        times.push(now);
        times.len() < most
    });
    assert_eq!(ended, Some(SimError::Stopped));
    times
}

fn simulate(scenario: &Scenario, progress: &mut dyn FnMut(Time) -> bool) -> Option<SimError> {
    run_with_progress(scenario, progress).err()
}

/// One frame of a billion datagrams, all of which leave at once.
#[test]
fn a_frame_of_a_billion_packets_can_be_stopped_while_it_leaves() {
    let flow = "workload = { rate = \"8 Gbit/s\", frame = \"1 s\" }\ntransport = { mss = \"1 B\" }";
    let text = one_link("newreno", 10, 0, &format!("{LINK}\nbuffer = \"10 packets\""), flow).replace("controller = \"newreno\"", "");
    assert_eq!(asked(&scenario(&text), 3, simulate), [Time::ZERO; 3]);
}

/// Samples are no events of the network.
#[test]
fn a_run_that_only_takes_samples_can_be_stopped() {
    let late = "start = \"999 s\"\nworkload = { size = \"1 kB\" }";
    let text = one_link("newreno", 1000, 0, LINK, late).replace("\"10 ms\"\n[[link]]", "\"1 ms\"\n[[link]]");
    let consumer = "duration = \"1000 s\"\nsample = \"1 ms\"\n[icn]\n\
                    [[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n\
                    [[prefix]]\nname = \"/p\"\nat = \"b\"\n\
                    [[consumer]]\nat = \"a\"\nprefix = \"/p\"\ncontroller = \"newreno\"\nstart = \"999 s\"\n";
    for text in [&text, consumer] {
        let times = asked(&scenario(text), 1, simulate);
        assert!(times[0] < Time::ZERO + Span::from_secs(100), "{times:?}");
    }
}

#[test]
fn a_fluid_of_short_round_trips_can_be_stopped_between_samples() {
    let text = "duration = \"1 s\"\nsample = \"1 s\"\n\
                [[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 us\"\n\
                [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"fast?alpha=20\"\n";
    let times = asked(&scenario(text), 2, |scenario, progress| fluid::run(scenario, progress).err());
    assert_eq!(times, [Time::ZERO; 2]);
}

#[test]
fn a_fluid_in_more_steps_than_there_is_room_for_is_refused() {
    let text = "duration = \"100 s\"\n\
                [[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\nrate = \"10 Mbit/s\"\ndelay = \"1 ns\"\n\
                [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"fast?alpha=20\"\n";
    let refused = fluid::run(&scenario(text), &mut |_| true).expect_err("it has no room").to_string();
    assert!(refused.contains("shortest round trip, 2 ns") && refused.contains("lengthen the delay"), "{refused}");
}
