//! A follower of a run hears of every sample that its record has, and changes nothing.

use crate::common::{one_link, scenario};
use crate::{icn_invariants, parts};
use narrows_measure::{FlowSample, Follower, LinkSample, Record};
use narrows_scenario::Scenario;

/// Writes down what it hears.
#[derive(Default)]
struct Heard {
    blank: Option<Record>,
    flows: Vec<Vec<FlowSample>>,
    links: Vec<Vec<LinkSample>>,
}

impl Follower for Heard {
    fn begun(&mut self, record: Record) {
        self.flows = vec![Vec::new(); record.flows.len()];
        self.links = vec![Vec::new(); record.links.len()];
        assert!(self.blank.replace(record).is_none(), "a run begins once");
    }

    fn sampled(&mut self, flows: &[(usize, FlowSample)], links: &[(usize, LinkSample)]) {
        flows.iter().for_each(|(flow, sample)| self.flows[*flow].push(*sample));
        links.iter().for_each(|(link, sample)| self.links[*link].push(*sample));
    }
}

fn follow(plan: &Scenario) {
    let alone = narrows_sim::run(plan).expect("it runs");
    let mut heard = Heard::default();
    let followed = narrows_sim::run_followed(
        plan,
        narrows_sim::Progress::heard_by(&mut |_| true),
        None,
        &mut heard,
    )
    .expect("it runs");
    assert_eq!(format!("{alone:?}"), format!("{followed:?}"));
    let blank = heard.blank.expect("it has begun");
    assert!(alone.flows[0].samples.len() > 20);
    for ((flow, blank), samples) in alone.flows.iter().zip(&blank.flows).zip(heard.flows) {
        assert_eq!(flow.samples, samples, "{}", flow.name);
        assert_eq!(
            (&flow.name, &flow.controller, &flow.route, flow.base_rtt),
            (&blank.name, &blank.controller, &blank.route, blank.base_rtt)
        );
    }
    for ((link, blank), samples) in alone.links.iter().zip(&blank.links).zip(heard.links) {
        assert_eq!(link.samples, samples, "{}", link.name);
        assert_eq!(
            (&link.name, link.rate, link.buffer, &link.nature),
            (&blank.name, blank.rate, blank.buffer, &blank.nature)
        );
    }
    assert_eq!(
        (alone.duration, alone.interval, &alone.changes),
        (blank.duration, blank.interval, &blank.changes)
    );
    assert_eq!(alone.icn.is_some(), blank.icn.is_some());
}

#[test]
fn a_chain_that_looks_ahead_is_followed() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"20 packets\"\nloss = \"1 %\"";
    ["newreno", "bbr"]
        .iter()
        .for_each(|controller| follow(&scenario(&one_link(controller, 5, 1, link, ""))));
}

#[test]
fn parts_are_followed_with_the_numbers_of_the_whole() {
    follow(&scenario(parts::MIXED));
}

#[test]
fn an_information_centric_network_is_followed() {
    let network = icn_invariants::network("buffer = \"60 packets\"");
    let consumers = icn_invariants::CONSUMERS;
    follow(&scenario(&format!("{network}[icn]\n{consumers}")));
}

#[test]
fn a_run_so_far_has_the_counts_of_its_samples() {
    let link = "rate = \"10 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"20 packets\"";
    let whole = narrows_sim::run(&scenario(&one_link("cubic", 6, 0, link, ""))).expect("it runs");
    let half = whole.so_far(narrows_units::Time::ZERO + whole.duration / 2);
    let last = half.links[0].samples.last().expect("samples");
    assert_eq!(
        (half.duration, half.part, last.at.since(narrows_units::Time::ZERO)),
        (whole.duration, None, whole.duration / 2)
    );
    assert_eq!(
        (half.links[0].steady.departed_bytes, half.links[0].capacity),
        (last.departed_bytes, Some(last.capacity))
    );
    let last = half.flows[0].samples.last().expect("samples");
    assert_eq!(half.flows[0].steady.goodput, last.goodput);
}
