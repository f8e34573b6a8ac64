//! The links of a scenario with real packets on them: no clock, no device.

use narrows_path::{Fate, Link, Packet};
use narrows_scenario::{Change, LinkId, Scenario, What};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Header};
use std::collections::BTreeSet;

/// Stands behind the last link of a route.
const END: u32 = u32::MAX;

/// What a packet carries.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// Bytes of transport payload.
    pub payload: u32,
    /// Its number, of a datagram that has one.
    pub number: Option<u64>,
}

/// A packet on its way, and where it is.
#[derive(Debug)]
pub struct Transit<P> {
    /// The packet itself.
    pub packet: P,
    /// Its flow, in the scenario's order.
    pub flow: u32,
    /// True if it goes from the flow's receiver to its sender.
    pub back: bool,
    /// What it carries.
    pub load: Load,
    /// When it entered the network.
    pub entered: Time,
    place: u32,
}

impl<P: Packet> Packet for Transit<P> {
    fn size(&self) -> Bytes {
        self.packet.size()
    }
    fn ecn(&self) -> Ecn {
        self.packet.ecn()
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.packet.set_ecn(ecn);
    }
    fn flow(&self) -> u64 {
        u64::from(self.flow) << 1 | u64::from(self.back)
    }
    fn header(&mut self) -> Option<&mut Header> {
        self.packet.header()
    }
}

/// Who is told what becomes of packets.
pub trait Watcher<P> {
    /// It has reached the other host, ideally at `at`.
    fn delivered(&mut self, at: Time, transit: Transit<P>);
    /// A link has dropped one of this flow, in this direction, that carried this.
    fn dropped(&mut self, flow: u32, back: bool, load: Load);
}

/// All links, by one clock.
pub struct Network<P> {
    pub links: Vec<Link<Transit<P>>>,
    /// When each link needs a look, the earliest first.
    agenda: BTreeSet<(Time, u32)>,
    due: Vec<Time>,
    /// Links of all routes one after another, each route ended by [`END`].
    routes: Vec<u32>,
    /// Where the routes of each flow begin, out and back.
    places: Vec<[u32; 2]>,
    /// What is yet to change, the last first.
    changes: Vec<Change>,
    /// Packets that entered, and those that left or were dropped.
    entered: u64,
    left: u64,
}

impl<P: Packet> Network<P> {
    /// The links of a scenario, empty.
    pub fn new(scenario: &Scenario) -> Network<P> {
        let mut network = Network {
            links: scenario.links.iter().map(|link| Link::new(&link.config, scenario.seed, &link.name)).collect(),
            agenda: BTreeSet::new(),
            due: vec![Time::NEVER; scenario.links.len()],
            routes: Vec::new(),
            places: Vec::new(),
            changes: scenario.changes.iter().rev().cloned().collect(),
            entered: 0,
            left: 0,
        };
        for flow in &scenario.flows {
            let places = [network.add_route(&flow.route), network.add_route(&flow.back)];
            network.places.push(places);
        }
        network
    }

    /// Adds a route. Old ones stay, for the packets that are on them.
    fn add_route(&mut self, links: &[LinkId]) -> u32 {
        let first = self.routes.len() as u32;
        self.routes.extend(links.iter().map(|id| id.0 as u32));
        self.routes.push(END);
        first
    }

    /// When it next needs a look.
    pub fn due(&self) -> Time {
        self.link_due().min(self.change_due())
    }

    fn link_due(&self) -> Time {
        self.agenda.first().map_or(Time::NEVER, |(at, _)| *at)
    }

    fn change_due(&self) -> Time {
        self.changes.last().map_or(Time::NEVER, |next| next.at)
    }

    /// Packets under way.
    pub fn inside(&self) -> u64 {
        self.entered - self.left
    }

    /// A packet enters at a host at `now`, which is not before any time it was told.
    pub fn enter(&mut self, now: Time, flow: u32, back: bool, packet: P, load: Load, watcher: &mut impl Watcher<P>) {
        let place = self.places[flow as usize][usize::from(back)];
        self.entered += 1;
        self.offer(now, Transit { packet, flow, back, load, entered: now, place }, watcher);
    }

    /// Moves everything that is due by `now`, in order of ideal time, and at one moment in the simulator's: packets arrive, then the scenario changes.
    pub fn advance(&mut self, now: Time, watcher: &mut impl Watcher<P>) {
        while self.change_due() <= now {
            let at = self.change_due();
            self.move_packets(at, watcher);
            while let Some(change) = self.changes.pop_if(|change| change.at <= at) {
                self.change(change, watcher);
            }
        }
        self.move_packets(now, watcher);
    }

    /// The same up to the moment before the scenario changes at `now`: how a sample finds the network.
    pub fn advance_to_sample(&mut self, now: Time, watcher: &mut impl Watcher<P>) {
        if now > Time::ZERO {
            self.advance(now - Span::from_nanos(1), watcher);
        }
        self.move_packets(now, watcher);
    }

    /// Packets arrive that are due by `now`.
    fn move_packets(&mut self, now: Time, watcher: &mut impl Watcher<P>) {
        while self.link_due() <= now {
            let Some((at, link)) = self.agenda.pop_first() else { break };
            self.due[link as usize] = Time::NEVER;
            while let Some((arrival, mut transit)) = self.links[link as usize].pop(at) {
                transit.place += 1;
                self.offer(arrival, transit, watcher);
            }
            self.bury(link, watcher);
            self.plan(link);
        }
    }

    /// Offers a packet to the next link of its route, or hands it over behind the last.
    fn offer(&mut self, at: Time, transit: Transit<P>, watcher: &mut impl Watcher<P>) {
        let link = self.routes[transit.place as usize];
        if link == END {
            self.left += 1;
            return watcher.delivered(at, transit);
        }
        let (flow, back, load) = (transit.flow, transit.back, transit.load);
        if let Fate::Dropped(_) = self.links[link as usize].offer(at, transit) {
            self.left += 1;
            watcher.dropped(flow, back, load);
        }
        self.bury(link, watcher);
        self.plan(link);
    }

    fn change(&mut self, change: Change, watcher: &mut impl Watcher<P>) {
        match change.what {
            What::Link(LinkId(link), what) => {
                self.links[link].change(change.at, what);
                self.bury(link as u32, watcher);
                self.plan(link as u32);
            }
            What::Route { flow, route, back } => self.places[flow.0] = [self.add_route(&route), self.add_route(&back)],
        }
    }

    /// Takes from a link what its discipline has dropped.
    fn bury(&mut self, link: u32, watcher: &mut impl Watcher<P>) {
        while let Some((transit, _)) = self.links[link as usize].take_dropped() {
            self.left += 1;
            watcher.dropped(transit.flow, transit.back, transit.load);
        }
    }

    /// Notes when a link is due.
    fn plan(&mut self, link: u32) {
        let due = self.links[link as usize].due().unwrap_or(Time::NEVER);
        let noted = std::mem::replace(&mut self.due[link as usize], due);
        if noted == due {
            return;
        }
        if noted != Time::NEVER {
            self.agenda.remove(&(noted, link));
        }
        if due != Time::NEVER {
            self.agenda.insert((due, link));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1250 bytes: 1 ms at 10 Mbit/s.
    #[derive(Debug)]
    struct Plain;

    impl Packet for Plain {
        fn size(&self) -> Bytes {
            Bytes::new(1250)
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

    #[derive(Default)]
    struct Fates {
        delivered: Vec<Time>,
        dropped: u32,
    }

    impl Watcher<Plain> for Fates {
        fn delivered(&mut self, at: Time, _: Transit<Plain>) {
            self.delivered.push(at);
        }
        fn dropped(&mut self, _: u32, _: bool, _: Load) {
            self.dropped += 1;
        }
    }

    /// The second of two links loses everything from 11 ms on. A packet that enters at zero reaches it at that very moment (1 ms of transmission, 10 ms of delay)
    /// and gets through, one that enters a nanosecond later does not.
    #[test]
    fn packets_arrive_before_the_scenario_changes() {
        let link = |name, from, to, delay| {
            format!("[[link]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"10 Mbit/s\"\ndelay = \"{delay} ms\"\n")
        };
        let text = "duration = \"1 s\"\n".to_owned()
            + &link("first", "a", "b", 10)
            + &link("second", "b", "c", 0)
            + &link("back", "c", "a", 0)
            + "[[flow]]\nfrom = \"a\"\nto = \"c\"\ncontroller = \"cubic\"\n[[change]]\nat = \"11 ms\"\nlink = \"second\"\nloss = \"100 %\"\n";
        let scenario = narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path)).unwrap();
        let change = Time::ZERO + Span::from_millis(11);
        let fates = |entered: Time, sampled: bool| {
            let (mut network, mut fates) = (Network::new(&scenario), Fates::default());
            network.enter(entered, 0, false, Plain, Load::default(), &mut fates);
            if sampled {
                network.advance_to_sample(change, &mut fates);
                assert_eq!(network.change_due(), change, "a sample comes before what changes then");
            }
            network.advance(change + Span::from_millis(10), &mut fates);
            (fates.delivered, fates.dropped)
        };
        for sampled in [false, true] {
            assert_eq!(fates(Time::ZERO, sampled), (vec![change + Span::from_millis(1)], 0));
            assert_eq!(fates(Time::from_nanos(1), sampled), (vec![], 1));
        }
    }
}
