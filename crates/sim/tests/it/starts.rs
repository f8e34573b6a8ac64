//! How connections start on a path with a drop-tail buffer: at which window slow start ends, why,
//! and at which cost.
//!
//! The base: 50 Mbit/s, 100 ms, so that a bandwidth-delay product (BDP) is 416.7 packets.

use crate::common::{bottleneck, one_link, scenario};
use narrows_control::CaState;
use narrows_measure::Record;
use narrows_sim::Progress;
use narrows_transport::{Observer, Seen, Sender};
use narrows_units::Time;

const BDP: f64 = 416.67;

/// The end of a start.
#[derive(Clone, Copy, Debug)]
struct End {
    /// 1 heuristic, 2 loss, 3 mark, 4 timeout, 5 limited.
    exit: f64,
    /// The window just before, in segments.
    window: f64,
}

/// Watches a sender for the end of its start.
#[derive(Default)]
struct Watch {
    end: Option<End>,
    /// The window at the latest look.
    window: f64,
    /// The window when the recovery that ended the start was over.
    recovered: Option<f64>,
    /// The largest window and flight, and the phases that were seen.
    largest: f64,
    most_in_flight: u32,
    phases: Vec<f64>,
}

impl Observer for Watch {
    fn on_packet(&mut self, _seen: &Seen) {}

    fn on_sender(&mut self, _at: Time, _flow: usize, sender: &Sender) {
        let (mut cwnd, mut exit, mut phase) = (0.0, 0.0, 0.0);
        sender.controller().inspect(&mut |name, value| match name {
            "cwnd" => cwnd = value,
            "start_exit" => exit = value,
            "start_phase" => phase = value,
            _ => {}
        });
        if self.phases.last() != Some(&phase) {
            self.phases.push(phase);
        }
        let ended = exit != 0.0 && self.end.is_none();
        if ended {
            let window = if exit == 1.0 { cwnd } else { self.window };
            self.end = Some(End { exit, window });
        }
        if self.end.is_some() && self.recovered.is_none() && sender.ca_state() == CaState::Open {
            self.recovered = Some(cwnd);
        }
        self.window = cwnd;
        self.largest = self.largest.max(cwnd);
        self.most_in_flight = self.most_in_flight.max(sender.in_flight());
    }
}

/// One flow of `controller` on the base path with a buffer of `buffer` BDP, for `seconds`.
fn on_base(controller: &str, buffer: f64, seconds: u32, flow: &str) -> (Watch, Record) {
    let link = format!("rate = \"50 Mbit/s\"\ndelay = \"50 ms\"\nbuffer = \"{buffer} bdp\"");
    watched(&one_link(controller, seconds, 0, &link, flow))
}

fn watched(text: &str) -> (Watch, Record) {
    let mut watch = Watch::default();
    let text = format!("send_overhead = false\n{text}");
    let record =
        narrows_sim::run_observed(&scenario(&text), Progress::heard_by(&mut |_| true), &mut watch)
            .expect("it runs");
    (watch, record)
}

/// Asserts that a number is near another, to this part of it.
#[track_caller]
fn near(value: f64, expected: f64, part: f64) {
    assert!((value - expected).abs() <= part * expected, "{value}, not {expected}");
}

/// Drops over a BDP.
fn drops(record: &Record) -> f64 {
    bottleneck(record).total.overflowed as f64 / BDP
}

#[test]
fn slow_start_without_more_goes_to_twice_what_the_path_holds() {
    for buffer in [1.0, 4.0, 10.0] {
        for controller in ["newreno?start=classic", "newreno?start=classic&profile=rfc5681"] {
            let (watch, record) = on_base(controller, buffer, 8, "");
            let end = watch.end.unwrap_or_else(|| panic!("{controller} at {buffer} BDP"));
            assert_eq!(end.exit, 2.0, "a loss");
            near(end.window / BDP, 2.0 * (1.0 + buffer), 0.03);
            near(watch.recovered.unwrap() / BDP, 1.0 + buffer, 0.03);
            near(drops(&record) / (1.0 + buffer), 1.0, 0.03);
        }
    }
}

#[test]
fn hystart_ends_slow_start_at_1_28_bdp_under_any_controller() {
    for controller in [
        "cubic?start=hystart",
        "newreno?start=hystart",
        "newreno?start=hystart&profile=rfc5681",
        "hstcp?start=hystart",
        "dctcp?start=hystart",
    ] {
        for buffer in [1.0, 4.0] {
            let (watch, record) = on_base(controller, buffer, 1, "");
            let end = watch.end.unwrap_or_else(|| panic!("{controller} at {buffer} BDP"));
            assert_eq!((end.exit, drops(&record)), (1.0, 0.0), "{controller}");
            near(end.window / BDP, 1.28, 0.05);
        }
    }
}

#[test]
fn hystart_plus_plus_ends_slow_start_at_9_4_bdp_or_by_a_loss() {
    for controller in [
        "cubic?profile=rfc9438&start=hystart++",
        "cubic?profile=rfc9438&start=hystart++&css=mended",
        "cubic?start=hystart++",
    ] {
        let (watch, record) = on_base(controller, 10.0, 4, "");
        let end = watch.end.unwrap();
        assert_eq!((end.exit, drops(&record)), (1.0, 0.0), "{controller}");
        near(end.window / BDP, 9.4, 0.05);
        assert_eq!(watch.phases[..3], [1.0, 2.0, 0.0]);
        let (watch, _) = on_base(controller, 4.0, 4, "");
        let end = watch.end.unwrap();
        assert_eq!(end.exit, 2.0, "{controller}");
        near(end.window / BDP, 6.24, 0.05);
    }
}

/// With two BDP of buffer SEARCH still comes before the loss is known, and after it has happened.
#[test]
fn search_ends_slow_start_at_5_to_6_bdp() {
    for (options, buffer, least, most) in [
        ("", 8.0, 5.1, 5.8),
        ("&search_threshold=0.35", 8.0, 6.4, 6.9),
        ("&search_version=3", 8.0, 6.4, 6.8),
        ("", 2.0, 5.1, 5.8),
    ] {
        for controller in ["cubic", "newreno", "newreno?profile=rfc5681"] {
            let mark = if controller.contains('?') { '&' } else { '?' };
            let text = format!("{controller}{mark}start=search{options}");
            let (watch, record) = on_base(&text, buffer, 2, "");
            let end = watch.end.unwrap();
            assert_eq!(end.exit, 1.0, "{text}");
            let window = end.window / BDP;
            assert!((least..=most).contains(&window), "{text}: {window}");
            assert_eq!(drops(&record) > 1.0, buffer < 3.0, "{text}: {}", drops(&record));
        }
    }
    let (watch, _) = on_base("cubic?start=search", 1.0, 2, "");
    assert_eq!(watch.end.unwrap().exit, 2.0, "a smaller buffer loses first");
}

#[test]
fn a_drain_leads_to_the_paths_capacity() {
    for drain in ["sixteenth", "third"] {
        let text = format!("newreno?start=search&drain={drain}");
        let (watch, record) = on_base(&text, 8.0, 4, "");
        assert_eq!(watch.phases, [1.0, 3.0, 0.0], "{drain}");
        let threshold = record.flows[0].samples.last().unwrap().ssthresh.unwrap();
        near(threshold / BDP, 1.0, 0.1);
    }
}

#[test]
fn starts_that_double_need_835_ms_to_four_fifths_of_the_rate() {
    for controller in ["newreno?start=classic", "cubic?start=hystart", "cubic?start=search"] {
        let (_, record) = on_base(controller, 2.0, 2, "");
        near(time_to_80(&record).unwrap(), 0.835, 0.05);
    }
}

/// The first time at which the goodput of the latest round trip is 80 % of the rate.
fn time_to_80(record: &Record) -> Option<f64> {
    let samples = &record.flows[0].samples;
    let full = 50e6 / 8.0 * 0.1 * 1448.0 / 1500.0;
    let fast = |samples: &&[narrows_measure::FlowSample]| {
        (samples[10].goodput - samples[0].goodput).get() as f64 >= 0.8 * full
    };
    samples.windows(11).find(fast).map(|samples| samples[10].at.as_secs_f64())
}

/// 691 segments over a link that is no limit: each round is a round trip, and pacing of the last
/// one is less than half of it.
#[test]
fn rapid_start_saves_two_rounds_of_seven() {
    let rounds = |controller: &str, initial: u32| {
        let link = "rate = \"100 Gbit/s\"\ndelay = \"50 ms\"\nbuffer = \"100 MB\"";
        let flow = format!(
            "workload = {{ size = \"{} B\" }}\n[flow.transport]\ninitial_window = {initial}",
            691 * 1448
        );
        let (_, record) = watched(&one_link(controller, 5, 0, link, &flow));
        let took = record.flows[0].transfers.as_ref().unwrap().list[0].took;
        // The handshake takes one round trip, and the last delivery half of one.
        1 + ((took.as_secs_f64() - 0.15) / 0.1 + 1e-3) as u32
    };
    assert_eq!(rounds("newreno?start=classic", 10), 7);
    assert_eq!(rounds("newreno?start=rapid", 10), 5);
    assert_eq!(rounds("newreno?start=rapid", 20), 4);
}

/// β (1 + B) BDP, whatever the window before was.
#[test]
fn the_first_reduction_of_rapid_start_leaves_beta_of_what_was_delivered() {
    for (controller, beta) in [
        ("newreno", 0.5),
        ("newreno?profile=rfc5681", 0.5),
        ("cubic", 0.7),
        ("cubic?profile=rfc9438", 0.7),
    ] {
        for buffer in [1.0, 2.0] {
            let mark = if controller.contains('?') { '&' } else { '?' };
            let text = format!("{controller}{mark}start=rapid&rapid_threshold=off");
            let (watch, _) = on_base(&text, buffer, 4, "");
            let end = watch.end.unwrap();
            assert_eq!(end.exit, 2.0);
            assert!(end.window / BDP > 2.2 * (1.0 + buffer), "{text}: {}", end.window / BDP);
            near(watch.recovered.unwrap() / BDP, beta * (1.0 + buffer), 0.05);
        }
    }
}

/// With numbered transmissions a loss is known at once, and what leaves in recovery may be lost and
/// reduce again: not here.
#[test]
fn rapid_start_leaves_as_much_with_numbered_transmissions() {
    let flow = "[flow.transport]\nacks = \"numbered\"";
    let (watch, _) = on_base("newreno?start=rapid&rapid_threshold=off", 1.0, 4, flow);
    assert_eq!(watch.end.unwrap().exit, 2.0);
    near(watch.recovered.unwrap() / BDP, 1.0, 0.05);
}

/// A transfer over 50 Mbit/s and 600 ms, with this line for the flow.
fn over_geo(controller: &str, size: &str, saved: &str) -> (Watch, Record) {
    let link = "rate = \"50 Mbit/s\"\ndelay = \"300 ms\"\nbuffer = \"1 bdp\"";
    let flow = format!("workload = {{ size = \"{size}\" }}\n{saved}");
    watched(&one_link(controller, 40, 0, link, &flow))
}

fn took(record: &Record) -> f64 {
    record.flows[0].transfers.as_ref().unwrap().list[0].took.as_secs_f64()
}

const SAVED: &str = "saved = { rtt = \"600 ms\", window = 2500 }";

#[test]
fn a_saved_path_halves_the_time_over_a_satellite() {
    for controller in ["cubic?resume", "newreno?resume", "cubic?resume&profile=rfc9438"] {
        let took = |size: &str, saved: &str| took(&over_geo(controller, size, saved).1);
        let large = took("5.3 MB", SAVED) / took("5.3 MB", "");
        assert!(large <= 0.55, "{controller}: {large}");
        let small = took("1 MB", SAVED) / took("1 MB", "");
        assert!((0.28..=0.48).contains(&small), "{controller}: {small}");
    }
    let (watch, _) = over_geo("cubic?resume", "5.3 MB", SAVED);
    assert_eq!(watch.phases[..4], [4.0, 5.0, 6.0, 1.0]);
}

#[test]
fn a_saved_path_of_another_round_trip_or_of_long_ago_is_not_used() {
    for saved in [
        "saved = { rtt = \"1300 ms\", window = 2500 }",
        "saved = { rtt = \"59 ms\", window = 2500 }",
        "saved = { rtt = \"600 ms\", window = 2500, age = \"11 min\" }",
        "saved = { rtt = \"600 ms\", window = 15 }",
    ] {
        let (watch, _) = over_geo("cubic?resume", "5.3 MB", saved);
        assert!(!watch.phases.contains(&5.0), "{saved}: {:?}", watch.phases);
    }
}

/// The jump is to twice what the path holds: half of it is lost, and nothing more.
#[test]
fn a_jump_that_was_too_much_is_taken_back_before_more_is_lost() {
    let saved = "saved = { rtt = \"600 ms\", window = 20000 }";
    let (watch, record) = over_geo("cubic?resume", "40 MB", saved);
    let place = watch.phases.iter().position(|phase| *phase == 7.0).expect("a safe retreat");
    assert_eq!(watch.phases[..place], [4.0, 5.0, 6.0]);
    let dropped = bottleneck(&record).total.overflowed;
    assert!((4_000..=10_000).contains(&dropped), "{dropped}");
}

/// The second transfer gets what the first has found, and takes less than half of its time.
#[test]
fn a_connection_resumes_from_what_the_one_before_has_saved() {
    let mean = |reconnect: &str| {
        let link = "rate = \"50 Mbit/s\"\ndelay = \"300 ms\"\nbuffer = \"1 bdp\"";
        let flow = format!(
            "workload = {{ arrivals = \"0.05/s\", sizes = \"5.3 MB\", reconnect = \"{reconnect}\" }}"
        );
        let (_, record) = watched(&one_link("cubic?resume", 400, 0, link, &flow));
        let list = &record.flows[0].transfers.as_ref().unwrap().list;
        assert!(list.len() > 10, "{}", list.len());
        let took: Vec<f64> = list.iter().map(|transfer| transfer.took.as_secs_f64()).collect();
        crate::common::median(took)
    };
    let anew = mean("new");
    let saved = mean("saved");
    assert!(saved < 0.7 * anew, "{saved} s, {anew} s");
}

/// Bursts of ten segments are never more than ten in flight.
#[test]
fn a_window_that_nobody_uses_grows_by_its_rule() {
    let largest = |growth: &str, profile: &str| {
        let link = "rate = \"50 Mbit/s\"\ndelay = \"25 ms\"\nbuffer = \"8 bdp\"";
        let controller = format!("newreno?profile={profile}&start=classic&growth={growth}");
        let flow = "workload = { on = \"14480 B\", off = \"100 ms\" }";
        watched(&one_link(&controller, 20, 0, link, flow)).0.largest
    };
    for profile in ["linux", "rfc5681"] {
        assert_eq!(largest("rate-limited", profile), 20.0, "twice the largest flight");
        assert!(largest("free", profile) > 1_000.0);
        // 10 acknowledged per round trip are half of 20, and the next ten make 30 at most.
        assert!((20.0..=30.0).contains(&largest("newcwv", profile)));
    }
    assert_eq!(largest("used", "linux"), 20.0, "half of the window is enough");
    assert_eq!(largest("used", "rfc5681"), 10.0);
}
