//! Links and routes, and the order in which things happen on them.

use crate::{Agenda, Change, Crossing, LinkId, Routed, What};
use narrows_measure::LinkRecord;
use narrows_path::{Fate, Link, LinkChange, LinkConfig, LinkProbe};
use narrows_units::{Span, Time};

/// Hears of packets. `()` hears nothing, and costs nothing.
///
/// All times are ideal: they do not depend on when the network was told to go on.
pub trait Visitor<P: Routed>: Sized {
    /// A packet has crossed the last link of its route, `link`, at `at`. What it makes its receiver send may enter the network at once.
    fn delivered(&mut self, network: &mut Network<P>, at: Time, link: usize, packet: P) {
        let _ = (network, at, link, packet);
    }

    /// `link` has dropped a packet.
    fn dropped(&mut self, at: Time, link: usize, packet: P::Identity) {
        let _ = (at, link, packet);
    }

    /// A packet comes to a link or has crossed it.
    #[inline(always)]
    fn seen(&mut self, at: Time, crossing: Crossing, packet: &P) {
        let _ = (at, crossing, packet);
    }

    /// A link has changed.
    fn changed(&mut self, at: Time, link: usize, change: LinkChange) {
        let _ = (at, link, change);
    }

    /// False to stop in the middle of what happens at one time; the network is not to be used afterwards.
    #[inline(always)]
    fn goes_on(&mut self, at: Time) -> bool {
        let _ = at;
        true
    }
}

impl<P: Routed> Visitor<P> for () {}

/// Links, by one clock.
///
/// What happens at one time happens in this order: packets arrive at the far ends of links, by the links' numbers; then the network changes. Between the two its driver
/// may look at it, see [`advance_to_sample`](Network::advance_to_sample).
#[derive(Debug)]
pub struct Network<P> {
    links: Vec<Link<P>>,
    /// When each link wants to be looked at.
    agenda: Agenda,
    /// Links of all routes one after another, each route ended by [`END`].
    routes: Vec<u32>,
    /// Where the routes of each flow begin: out and back.
    places: Vec<[u32; 2]>,
    /// Changes to come, the last first.
    changes: Vec<Change>,
    probes: Vec<LinkProbe>,
    inside: u64,
    events: u64,
}

/// Stands behind the last link of a route.
const END: u32 = u32::MAX;

impl<P: Routed> Network<P> {
    /// The links of these names, empty. Their names and `seed` fix their random draws; `samples` are expected.
    pub fn new<'a>(links: impl IntoIterator<Item = (&'a str, &'a LinkConfig)>, seed: u64, samples: usize) -> Network<P> {
        let links: Vec<Link<P>> = links.into_iter().map(|(name, config)| Link::new(config, seed, name)).collect();
        Network {
            agenda: Agenda::new(links.len()),
            probes: links.iter().map(|_| LinkProbe::new(samples)).collect(),
            links,
            routes: Vec::new(),
            places: Vec::new(),
            changes: Vec::new(),
            inside: 0,
            events: 0,
        }
    }

    /// Adds a flow with its routes out and back, numbered from 0.
    pub fn add_flow(&mut self, route: &[LinkId], back: &[LinkId]) {
        let places = [self.add_route(route), self.add_route(back)];
        self.places.push(places);
    }

    /// What is to change, in order of time.
    pub fn set_changes(&mut self, changes: &[Change]) {
        self.changes = changes.iter().rev().cloned().collect();
    }

    /// Adds a route, and says where it begins. Old ones stay, for the packets that are on them.
    fn add_route(&mut self, links: &[LinkId]) -> u32 {
        let first = self.routes.len() as u32;
        self.routes.extend(links.iter().map(|id| id.0 as u32));
        self.routes.push(END);
        first
    }

    /// Where the route of a flow begins now: of data, or of what comes `back`.
    #[inline]
    pub fn route(&self, flow: usize, back: bool) -> u32 {
        self.places[flow][usize::from(back)]
    }

    /// Packets under way.
    #[inline]
    pub fn inside(&self) -> u64 {
        self.inside
    }

    /// How often packets have arrived somewhere: what the network cost.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// When packets arrive next at the far end of a link, [`Time::NEVER`] if none does.
    #[inline]
    pub fn arrival_due(&self) -> Time {
        self.agenda.first().0
    }

    /// When the network changes next, [`Time::NEVER`] if it does not.
    pub fn change_due(&self) -> Time {
        self.changes.last().map_or(Time::NEVER, |next| next.at)
    }

    /// When something happens next, [`Time::NEVER`] if nothing does.
    pub fn due(&self) -> Time {
        self.arrival_due().min(self.change_due())
    }

    /// A packet enters at the beginning of its route at `now`, which is not before any time that the network was told.
    #[inline]
    pub fn enter<V: Visitor<P>>(&mut self, now: Time, packet: P, visitor: &mut V) {
        self.inside += 1;
        self.offer(now, self.routes[packet.place() as usize] as usize, packet, visitor);
    }

    /// Does what happens by `now`, in order of time.
    pub fn advance<V: Visitor<P>>(&mut self, now: Time, visitor: &mut V) {
        while self.change_due() <= now {
            let at = self.change_due();
            self.arrive_by(at, visitor);
            self.change(at, visitor);
        }
        self.arrive_by(now, visitor);
    }

    /// The same up to the moment before the network changes at `now`: how a sample finds it.
    pub fn advance_to_sample<V: Visitor<P>>(&mut self, now: Time, visitor: &mut V) {
        if now > Time::ZERO {
            self.advance(now - Span::from_nanos(1), visitor);
        }
        self.arrive_by(now, visitor);
    }

    fn arrive_by<V: Visitor<P>>(&mut self, now: Time, visitor: &mut V) {
        while self.arrival_due() <= now {
            self.arrive(visitor);
        }
    }

    /// The packets that arrive next at the far end of a link: on to the next, or to their receivers.
    #[inline]
    pub fn arrive<V: Visitor<P>>(&mut self, visitor: &mut V) {
        let (now, link) = self.agenda.first();
        self.events += 1;
        loop {
            if let Some((_, packet)) = self.links[link].pop(now) {
                self.forward(now, link, packet, visitor);
            }
            self.take_dropped(now, link, visitor);
            let due = self.links[link].due().unwrap_or(Time::NEVER);
            if due > now || !visitor.goes_on(now) {
                return self.agenda.set(link, due);
            }
        }
    }

    /// The network changes as it is to by `now`.
    pub fn change<V: Visitor<P>>(&mut self, now: Time, visitor: &mut V) {
        while visitor.goes_on(now)
            && let Some(change) = self.changes.pop_if(|next| next.at <= now)
        {
            match change.what {
                What::Link(LinkId(link), change) => {
                    self.links[link].change(now, change);
                    self.take_dropped(now, link, visitor);
                    self.note(link);
                    visitor.changed(now, link, change);
                }
                What::Route { flow, route, back } => self.places[flow.0] = [self.add_route(&route), self.add_route(&back)],
            }
        }
    }

    /// A packet has crossed a link.
    #[inline]
    fn forward<V: Visitor<P>>(&mut self, now: Time, link: usize, mut packet: P, visitor: &mut V) {
        visitor.seen(now, Crossing::Leaving(link), &packet);
        packet.advance();
        let next = self.routes[packet.place() as usize];
        if next != END {
            return self.offer(now, next as usize, packet, visitor);
        }
        self.inside -= 1;
        visitor.delivered(self, now, link, packet);
    }

    #[inline]
    fn offer<V: Visitor<P>>(&mut self, now: Time, link: usize, packet: P, visitor: &mut V) {
        visitor.seen(now, Crossing::Entering(link), &packet);
        let identity = packet.identity();
        let fate = self.links[link].offer(now, packet);
        self.take_dropped(now, link, visitor);
        if let Fate::Dropped(_) = fate {
            self.inside -= 1;
            return visitor.dropped(now, link, identity);
        }
        self.note(link);
    }

    /// Notes when a link wants to be looked at.
    #[inline]
    fn note(&mut self, link: usize) {
        let due = self.links[link].due().unwrap_or(Time::NEVER);
        self.agenda.set(link, due);
    }

    /// Packets that the discipline of a link has dropped after accepting them.
    #[inline]
    fn take_dropped<V: Visitor<P>>(&mut self, now: Time, link: usize, visitor: &mut V) {
        while let Some((packet, _)) = self.links[link].take_dropped() {
            self.inside -= 1;
            visitor.dropped(now, link, packet.identity());
        }
    }

    /// Takes a sample of every link at `now`.
    pub fn sample(&mut self, now: Time) {
        for (link, probe) in self.links.iter_mut().zip(&mut self.probes) {
            probe.sample(now, link);
        }
    }

    /// The warm-up is over at `now`: counts from here on are the steady ones.
    pub fn end_warmup(&mut self, now: Time) {
        for (link, probe) in self.links.iter_mut().zip(&mut self.probes) {
            probe.end_warmup(now, link);
        }
    }

    /// The records of all links at `end`: for each its name, its configuration, and whether nothing has changed its rate.
    pub fn finish<'a>(mut self, end: Time, plans: impl IntoIterator<Item = (&'a str, &'a LinkConfig, bool)>) -> Vec<LinkRecord> {
        let links = self.links.iter_mut().zip(self.probes).zip(plans);
        links.map(|((link, probe), (name, config, constant))| probe.finish(end, link, name, config, constant)).collect()
    }
}
