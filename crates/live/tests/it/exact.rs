//! Losses, marks and arrival times of datagrams on emulated links equal the links' own model. Times
//! are asserted only as exactly as a busy machine allows; measurements/live.md has the times of an
//! idle one.

use crate::common::turn;
use narrows_live::trial::{Datagrams, Trial, trial};
use narrows_measure::LinkRecord;
use narrows_path::{Fate, Link, Packet};
use narrows_scenario::Scenario;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;
use std::io::Write;

/// Time from the last datagram to the end of a trial.
const MARGIN: Span = Span::from_millis(300);

fn scenario(keys: &str) -> Scenario {
    let text = format!(
        "name = \"trial\"\nduration = \"2500 ms\"\nseed = 7\n[[link]]\nname = \"link\"\nbetween = [\"left\", \"right\"]\n{keys}\n\
         [[flow]]\nname = \"flow\"\nfrom = \"left\"\nto = \"right\"\nworkload = {{ rate = \"1 Mbit/s\" }}\n"
    );
    narrows_scenario::parse(&text, "trial.toml", &|path| std::fs::read_to_string(path)).unwrap()
}

/// Runs the trial. Returns `None` and prints the reason if nothing can run live here.
fn tried(scenario: &Scenario, datagrams: Datagrams) -> Option<Trial> {
    let _turn = turn();
    if let Err(error) = narrows_live::ready() {
        // Not by eprintln!, whose output the harness hides when a test passes.
        writeln!(std::io::stderr(), "skipped: {error}").ok();
        return None;
    }
    // A trial during which the machine stood still shows nothing.
    let end = Time::ZERO + scenario.duration;
    let still = |trial: &Trial| {
        trial.emulation.late_max > MARGIN
            || trial.sent.last().is_none_or(|last| *last + MARGIN > end)
    };
    let mut trials = (0..5).map(|_| trial(scenario, datagrams, &mut |_| true).unwrap());
    Some(
        trials
            .find(|trial| !still(trial))
            .expect("the machine stood still during each of 5 trials"),
    )
}

fn datagrams(count: u64, size: u64, gap: Span) -> Datagrams {
    Datagrams {
        count,
        size: Bytes::new(size),
        gap,
        burst: 1,
        ecn: Ecn::Ect0,
        start: Time::ZERO + Span::from_millis(20),
    }
}

/// Number and size of a datagram in the links' model.
struct Model(u64, Bytes);

impl Packet for Model {
    fn size(&self) -> Bytes {
        self.1
    }
    fn ecn(&self) -> Ecn {
        Ecn::Ect0
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn flow(&self) -> u64 {
        0
    }
    fn header(&mut self) -> Option<&mut narrows_wire::Header> {
        None
    }
}

/// Returns the expected arrival time of each datagram, by number, if it enters the link at the
/// moment when it was sent. `None` if it is lost.
fn expected(scenario: &Scenario, trial: &Trial, size: u64) -> Vec<Option<Time>> {
    let mut link = Link::new(&scenario.links[0].config, scenario.seed, &scenario.links[0].name);
    let mut times = vec![None; trial.sent.len()];
    let mut changes = scenario.changes.iter().peekable();
    let mut pop = |link: &mut Link<Model>, until: Time| {
        while let Some((at, packet)) = link.pop(until) {
            times[packet.0 as usize] = Some(at);
        }
    };
    for (number, sent) in trial.sent.iter().enumerate() {
        while let Some(change) = changes.next_if(|change| change.at <= *sent) {
            pop(&mut link, change.at);
            if let narrows_scenario::What::Link(narrows_scenario::LinkId(0), what) = &change.what {
                link.change(change.at, *what);
            }
        }
        pop(&mut link, *sent);
        let _: Fate = link.offer(*sent, Model(number as u64, Bytes::new(size)));
    }
    pop(&mut link, Time::NEVER);
    times
}

fn forward(trial: &Trial) -> &LinkRecord {
    &trial.links[0]
}

#[test]
fn the_datagrams_that_a_seeded_loss_model_takes_are_lost_and_no_others() {
    for loss in ["\"5 %\"", "{ every = 7 }", "{ to_bad = 0.02, to_good = 0.3 }"] {
        let scenario = scenario(&format!("rate = \"100 Mbit/s\"\ndelay = \"5 ms\"\nloss = {loss}"));
        let Some(trial) = tried(&scenario, datagrams(3_000, 100, Span::from_micros(500))) else {
            return;
        };
        let arrived: Vec<u64> = trial.arrivals.iter().map(|arrival| arrival.number).collect();
        let times = expected(&scenario, &trial, 100);
        let should: Vec<u64> = (0..)
            .zip(&times)
            .filter(|(_, time)| time.is_some())
            .map(|(number, _)| number)
            .collect();
        assert_eq!(trial.sent.len(), 3_000);
        assert!(
            arrived == should,
            "{loss}: {} arrived, {} should have, or others",
            arrived.len(),
            should.len()
        );
        assert_eq!(forward(&trial).total.lost, 3_000 - arrived.len() as u64);
        assert!(arrived.len() < 2_990, "{loss} lost next to nothing");
        assert_eq!(trial.emulation.spoiled + trial.emulation.refused + trial.emulation.overrun, 0);
    }
}

#[test]
fn every_mark_of_the_queue_is_seen_at_the_receivers_socket() {
    let scenario = scenario("rate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nqueue = \"step?threshold=5\"");
    let Some(trial) = tried(&scenario, datagrams(300, 1_500, Span::from_millis(1))) else { return };
    let marked =
        trial.arrivals.iter().filter(|arrival| arrival.ecn == Ecn::Ce as u8).count() as u64;
    let unmarked =
        trial.arrivals.iter().filter(|arrival| arrival.ecn == Ecn::Ect0 as u8).count() as u64;
    assert_eq!(marked, forward(&trial).total.marked);
    assert_eq!(marked + unmarked, 300);
    assert!(marked > 50 && unmarked > 0, "{marked} marked, {unmarked} not");
    assert_eq!(trial.emulation.spoiled, 0, "checksums follow the marks");
}

#[test]
fn what_a_full_buffer_does_not_take_is_lost_and_counted() {
    let scenario = scenario("rate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nbuffer = \"10 packets\"");
    let Some(trial) = tried(&scenario, datagrams(400, 1_500, Span::from_micros(600))) else {
        return;
    };
    let lost = forward(&trial).total.overflowed;
    assert_eq!(trial.arrivals.len() as u64 + lost, 400);
    assert!(lost > 100, "twice the rate was offered, {lost} were lost");
}

#[test]
fn datagrams_arrive_when_the_link_says_and_none_before() {
    let scenario = scenario("rate = \"20 Mbit/s\"\ndelay = \"20 ms\"");
    let Some(trial) = tried(&scenario, datagrams(1_000, 1_500, Span::from_millis(2))) else {
        return;
    };
    let times = expected(&scenario, &trial, 1_500);
    assert_eq!(trial.arrivals.len(), 1_000);
    let error = |arrival: &narrows_live::trial::Arrival| {
        let ideal = times[arrival.number as usize].expect("nothing is lost here");
        arrival.arrived.since(Time::ZERO).as_nanos() as i64
            - ideal.since(Time::ZERO).as_nanos() as i64
    };
    let mut errors: Vec<i64> = trial.arrivals.iter().map(error).collect();
    errors.sort_unstable();
    // The kernel stamps arrivals by the realtime clock, which may be slewed against the monotonic
    // one.
    assert!(errors[0] > -100_000, "one came {} ns early", -errors[0]);
    let issues = trial.emulation.validity_issues();
    if !issues.is_empty() {
        return eprintln!("skipped how late they are: {}", issues.join("; "));
    }
    assert!(errors[500] < 1_000_000, "half of them came more than {} ns late", errors[500]);
}

#[test]
fn a_link_sends_at_its_rate_and_at_the_new_one_from_the_moment_of_a_change() {
    let change = "[[change]]\nat = \"1 s\"\nlink = \"link\"\nrate = \"20 Mbit/s\"\n";
    let scenario = scenario(&format!("rate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n{change}"));
    // The offered rate is 24 Mbit/s, so there is always a packet to send.
    let Some(trial) = tried(&scenario, datagrams(4_000, 1_500, Span::from_micros(500))) else {
        return;
    };
    let rate = |from: Span, to: Span| {
        let within = |arrival: &&narrows_live::trial::Arrival| {
            (Time::ZERO + from..Time::ZERO + to).contains(&arrival.arrived)
        };
        trial.arrivals.iter().filter(within).count() as f64 * 1_500.0 * 8.0
            / (to - from).as_secs_f64()
            / 1e6
    };
    let (before, after) = (
        rate(Span::from_millis(100), Span::from_millis(1_000)),
        rate(Span::from_millis(1_040), Span::from_millis(2_000)),
    );
    assert!((before / 10.0 - 1.0).abs() < 0.02, "{before} Mbit/s of 10");
    assert!((after / 20.0 - 1.0).abs() < 0.02, "{after} Mbit/s of 20");
}
