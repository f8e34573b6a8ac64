//! The order of what happens at one time.

use narrows_network::{Change, LinkId, Network, Routed, Visitor, What};
use narrows_path::{LinkChange, LinkConfig, LossModel, Packet, RateSource};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Header};

#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) number: u32,
    pub(crate) place: u32,
    pub(crate) size: u64,
}

/// 1 ms at 10 Mbit/s.
const SIZE: u64 = 1250;

impl Packet for Plain {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn flow(&self) -> u64 {
        0
    }
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
}

impl Routed for Plain {
    type Identity = u32;

    fn place(&self) -> u32 {
        self.place
    }
    fn advance(&mut self) {
        self.place += 1;
    }
    fn identity(&self) -> u32 {
        self.number
    }
}

/// Numbers of packets, and when they arrived or were dropped.
#[derive(Default)]
pub(crate) struct Fates {
    pub(crate) delivered: Vec<(u32, Time)>,
    pub(crate) dropped: Vec<(u32, Time)>,
}

impl Visitor<Plain> for Fates {
    fn delivered(&mut self, _: &mut Network<Plain>, at: Time, _: usize, packet: Plain) {
        self.delivered.push((packet.number, at));
    }
    fn dropped(&mut self, at: Time, _: usize, number: u32) {
        self.dropped.push((number, at));
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Links of 10 Mbit/s with these delays in milliseconds.
fn links(delays: &[u64]) -> Vec<(String, LinkConfig)> {
    let link = |delay: &u64| LinkConfig {
        rate: RateSource::Constant(Rate::from_mbps(10)),
        delay: Span::from_millis(*delay),
        ..LinkConfig::default()
    };
    delays
        .iter()
        .enumerate()
        .map(|(number, delay)| (format!("link {number}"), link(delay)))
        .collect()
}

fn network(links: &[(String, LinkConfig)]) -> Network<Plain> {
    Network::new(links.iter().map(|(name, config)| (name.as_str(), config)), 1, 0)
}

fn enter(network: &mut Network<Plain>, at: Time, flow: usize, number: u32, fates: &mut Fates) {
    let place = network.route(flow, false);
    network.enter(at, Plain { number, place, size: SIZE }, fates);
}

/// The second of two links loses everything from 11 ms on. A packet that enters at zero reaches it
/// at that very moment (1 ms of transmission, 10 ms of delay) and gets through, one that enters a
/// nanosecond later does not.
#[test]
fn packets_arrive_before_the_network_changes() {
    let change = ms(11);
    let fates = |entered: Time, sampled: bool| {
        let mut network = network(&links(&[10, 0]));
        let mut fates = Fates::default();
        network.add_flow(&[LinkId(0), LinkId(1)], &[]);
        network.set_changes(&[Change {
            at: change,
            what: What::Link(LinkId(1), LinkChange::Loss(LossModel::Independent(1.0))),
        }]);
        enter(&mut network, entered, 0, 7, &mut fates);
        if sampled {
            network.advance_to_sample(change, &mut fates);
            assert_eq!(network.change_due(), change, "a sample comes before what changes then");
        }
        network.advance(change + Span::from_millis(10), &mut fates);
        assert_eq!((network.inside(), network.due()), (0, Time::NEVER));
        (fates.delivered, fates.dropped)
    };
    for sampled in [false, true] {
        assert_eq!(fates(Time::ZERO, sampled), (vec![(7, ms(12))], vec![]));
        assert_eq!(
            fates(Time::from_nanos(1), sampled),
            (vec![], vec![(7, change + Span::from_nanos(1))])
        );
    }
}

/// Three links bring a packet each to the fourth at the same time, which takes them in the order of
/// the links' numbers, whoever entered first.
#[test]
fn of_arrivals_at_one_time_the_link_with_the_lower_number_is_first() {
    let mut network = network(&links(&[5, 5, 5, 0]));
    let mut fates = Fates::default();
    for link in 0..3 {
        network.add_flow(&[LinkId(link), LinkId(3)], &[]);
    }
    for flow in [1, 2, 0] {
        enter(&mut network, Time::ZERO, flow, flow as u32, &mut fates);
    }
    network.advance(ms(100), &mut fates);
    assert_eq!(fates.delivered, [(0, ms(7)), (1, ms(8)), (2, ms(9))]);
    assert_eq!(network.events(), 3 + 3);
}

/// A packet on the old route when it changes stays on it.
#[test]
fn packets_under_way_keep_their_route() {
    let mut network = network(&links(&[10, 0, 50]));
    let mut fates = Fates::default();
    network.add_flow(&[LinkId(0), LinkId(1)], &[]);
    network.set_changes(&[Change {
        at: ms(5),
        what: What::Route {
            flow: narrows_network::FlowId(0),
            route: vec![LinkId(2)],
            back: vec![],
        },
    }]);
    enter(&mut network, Time::ZERO, 0, 1, &mut fates);
    network.advance(ms(5), &mut fates);
    enter(&mut network, ms(5), 0, 2, &mut fates);
    network.advance(ms(100), &mut fates);
    assert_eq!(fates.delivered, [(1, ms(12)), (2, ms(56))]);
}

/// However seldom the network is told to go on, times are the same.
#[test]
fn times_do_not_depend_on_when_the_network_is_looked_at() {
    let run = |step: u64| {
        let mut network = network(&links(&[3, 4]));
        let mut fates = Fates::default();
        network.add_flow(&[LinkId(0), LinkId(1)], &[]);
        for number in 0..20 {
            enter(&mut network, ms(0), 0, number, &mut fates);
        }
        (0..200).step_by(step as usize).for_each(|at| network.advance(ms(at), &mut fates));
        network.advance(ms(200), &mut fates);
        fates.delivered
    };
    let exact = run(1);
    assert_eq!((exact.len(), exact[0], exact[19]), (20, (0, ms(9)), (19, ms(28))));
    assert_eq!((run(7), run(200)), (exact.clone(), exact));
}
