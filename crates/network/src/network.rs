//! Links and routes, and the order in which things happen on them.

use crate::later_drops::{Drops, LaterDrop};
use crate::routes::{Next, Routes};
use crate::{Agenda, Change, LinkEvent, LinkId, Routed, What};
use narrows_measure::{LinkRecord, LinkSample};
use narrows_path::{DropReason, Fate, Link, LinkChange, LinkConfig, LinkProbe};
use narrows_units::{Bytes, Rate, Span, Time};

/// Hears of packets. `()` hears nothing, and costs nothing.
///
/// All times are ideal: they do not depend on when the network was told to go on.
pub trait Visitor<P: Routed>: Sized {
    /// A packet has crossed the last link of its route, `link`, at `at`. The packets that it makes
    /// its receiver send may enter the network at once.
    fn delivered(&mut self, network: &mut Network<P>, at: Time, link: usize, packet: P) {
        let _ = (network, at, link, packet);
    }

    /// True of a visitor that wants to know what is [coming](Visitor::coming).
    #[inline(always)]
    fn wants_coming(&self) -> bool {
        false
    }

    /// A packet comes to the end of the link on which one is being delivered, after so many
    /// `others`. It may cross further links.
    #[inline(always)]
    fn coming(&self, others: usize, packet: &P) {
        let _ = (others, packet);
    }

    /// `link` has dropped a packet.
    fn dropped(&mut self, at: Time, link: usize, packet: P::Identity) {
        let _ = (at, link, packet);
    }

    /// A packet comes to a link or has crossed it. A network that [looks
    /// ahead](Network::look_ahead) tells some of it before its time.
    #[inline(always)]
    fn seen(&mut self, at: Time, crossing: LinkEvent, packet: &P) {
        let _ = (at, crossing, packet);
    }

    /// A link has changed.
    fn changed(&mut self, at: Time, link: usize, change: LinkChange) {
        let _ = (at, link, change);
    }

    /// False to stop in the middle of what happens at one time; the network is not to be used
    /// afterwards.
    #[inline(always)]
    fn goes_on(&mut self, at: Time) -> bool {
        let _ = at;
        true
    }
}

impl<P: Routed> Visitor<P> for () {}

/// So many packets are told before they come to the end of a link.
const COMING: usize = 3;

/// Links, by one clock.
///
/// Events of one time come in this order: packets arrive at the far ends of links, by the
/// links' numbers; then the network changes. Between the two its driver may look at it, see
/// [`advance_to_sample`](Network::advance_to_sample).
pub struct Network<P: Routed> {
    links: Vec<Link<P>>,
    /// When each link wants to be looked at.
    agenda: Agenda,
    routes: Routes,
    /// Changes to come, the last first.
    changes: Vec<Change>,
    drops: Drops<P::Identity>,
    probes: Vec<LinkProbe>,
    inside: u64,
    events: u64,
}

impl<P: Routed> Network<P> {
    /// The links of these names, empty. Their names and `seed` fix their random draws; `samples`
    /// are expected.
    pub fn new<'a>(
        links: impl IntoIterator<Item = (&'a str, &'a LinkConfig)>,
        seed: u64,
        samples: usize,
    ) -> Network<P> {
        let links: Vec<Link<P>> =
            links.into_iter().map(|(name, config)| Link::new(config, seed, name)).collect();
        Network {
            agenda: Agenda::new(links.len()),
            probes: links.iter().map(|_| LinkProbe::new(samples)).collect(),
            links,
            routes: Routes::default(),
            changes: Vec::new(),
            drops: Drops::default(),
            inside: 0,
            events: 0,
        }
    }

    /// Adds a flow with its routes out and back, numbered from 0.
    pub fn add_flow(&mut self, route: &[LinkId], back: &[LinkId]) {
        self.routes.add_flow(route, back);
    }

    /// Sets the pending changes, in time order.
    pub fn set_changes(&mut self, changes: &[Change]) {
        self.changes = changes.iter().rev().cloned().collect();
    }

    /// From now on, until which nothing has entered, packets are offered early to links that get
    /// all they get from a single other link: their crossing of such a chain of links is computed
    /// at once, and only its end is an event. Times, drops and records are the same. Not for a
    /// visitor that wants to hear in order of time what links [see](Visitor::seen).
    pub fn look_ahead(&mut self) {
        self.routes.look_ahead(&self.changes, self.links.iter().map(Link::looks_ahead).collect());
    }

    /// Where the route of a flow begins now: of data, or of what comes `back`.
    #[inline]
    pub fn route(&self, flow: usize, back: bool) -> u32 {
        self.routes.place(flow, back)
    }

    /// The rate of each link at `now`, `None` where it is not limited. A recorded rate counts by
    /// its mean over the `window` before.
    pub fn rates(&self, now: Time, window: Span) -> Vec<Option<Rate>> {
        self.links.iter().map(|link| link.rate(now, window)).collect()
    }

    /// The links that a flow's data cross now, in order.
    pub fn links_of(&self, flow: usize) -> impl Iterator<Item = usize> {
        self.routes.links(self.routes.place(flow, false))
    }

    /// Checks that each link is looked at when it wants to be, that changes are in order, and that
    /// drops to come are of packets under way. For tests.
    ///
    /// # Panics
    ///
    /// One of these does not hold.
    pub fn check(&self) {
        self.agenda.check();
        for (number, link) in self.links.iter().enumerate() {
            let due = link.due().unwrap_or(Time::NEVER);
            assert_eq!(self.agenda.time_of(number), due, "link {number}");
        }
        assert!(self.changes.is_sorted_by(|later, sooner| later.at >= sooner.at), "changes");
        assert!(self.drops.len() as u64 <= self.inside, "more drops to come than packets inside");
    }

    /// Packets under way.
    #[inline]
    pub fn inside(&self) -> u64 {
        self.inside
    }

    /// How often the network had to act: when packets arrived at the end of a link, or of several
    /// that are crossed at once.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// When packets arrive next at the far end of a link or are dropped, [`Time::NEVER`] if none
    /// is.
    #[inline]
    pub fn arrival_due(&self) -> Time {
        self.agenda.first().0.min(self.drops.due())
    }

    /// When the network changes next, [`Time::NEVER`] if it does not.
    pub fn change_due(&self) -> Time {
        self.changes.last().map_or(Time::NEVER, |next| next.at)
    }

    /// When something happens next, [`Time::NEVER`] if nothing does.
    pub fn due(&self) -> Time {
        self.arrival_due().min(self.change_due())
    }

    /// A packet enters at the beginning of its route at `now`, which is not before any time that
    /// the network was told.
    #[inline]
    pub fn enter<V: Visitor<P>>(&mut self, now: Time, packet: P, visitor: &mut V) {
        debug_assert!(
            self.routes.at(packet.place()) != Next::Host,
            "a packet enters at the end of its route"
        );
        self.inside += 1;
        self.forward(now, packet, visitor);
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

    /// The packets that arrive next at the far end of a link: on to the next, or to their
    /// receivers.
    #[inline]
    pub fn arrive<V: Visitor<P>>(&mut self, visitor: &mut V) {
        let (now, link) = self.agenda.first();
        if self.drops.due() <= now {
            return self.drop_due(visitor);
        }
        self.events += 1;
        loop {
            if let Some((_, mut packet)) = self.links[link].pop(now) {
                visitor.seen(now, LinkEvent::Leaving(link), &packet);
                packet.advance();
                if self.routes.at(packet.place()) == Next::Host {
                    self.inside -= 1;
                    if visitor.wants_coming() {
                        self.tell_coming(link, visitor);
                    }
                    visitor.delivered(self, now, link, packet);
                } else {
                    self.forward(now, packet, visitor);
                }
            }
            self.take_dropped(now, link, visitor);
            let due = self.links[link].due().unwrap_or(Time::NEVER);
            if due > now || !visitor.goes_on(now) {
                return self.agenda.set(link, due);
            }
        }
    }

    /// Tells which packets come to the end of a link after the one that is delivered.
    fn tell_coming<V: Visitor<P>>(&self, link: usize, visitor: &V) {
        for others in 0..COMING {
            if let Some(packet) = self.links[link].coming(others) {
                visitor.coming(others, packet);
            }
        }
    }

    /// The time of a drop has come.
    #[cold]
    fn drop_due<V: Visitor<P>>(&mut self, visitor: &mut V) {
        let Some(LaterDrop { at, link, why, identity, .. }) = self.drops.pop() else { return };
        debug_assert!(self.inside > 0, "a packet is dropped that is not in the network");
        self.links[link].drop_due(why);
        self.inside -= 1;
        visitor.dropped(at, link, identity);
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
                What::Route { flow, route, back } => self.routes.change(flow.0, &route, &back),
            }
        }
    }

    /// A packet comes to the next link of its route, and past those that can be told of it early.
    #[inline]
    fn forward<V: Visitor<P>>(&mut self, now: Time, mut packet: P, visitor: &mut V) {
        let mut at = now;
        let (Next::Link(mut place) | Next::Early(mut place)) = self.routes.at(packet.place())
        else {
            return;
        };
        loop {
            visitor.seen(at, LinkEvent::Entering(place), &packet);
            let link = &mut self.links[place];
            if !link.knows_departure(at) {
                return self.enqueue(now, place, packet, visitor);
            }
            let arrival = match link.admit(now, at, packet.size()) {
                Ok(arrival) => arrival,
                Err(why) => return self.dropped(now, at, place, (why, packet.identity()), visitor),
            };
            let Next::Early(next) = self.routes.at(packet.place() + 1) else {
                if link.carry(arrival, packet) {
                    self.note(place);
                }
                return;
            };
            link.pass(arrival);
            visitor.seen(arrival, LinkEvent::Leaving(place), &packet);
            packet.advance();
            (at, place) = (arrival, next);
        }
    }

    /// A packet comes to a link whose discipline chooses.
    #[inline(never)]
    fn enqueue<V: Visitor<P>>(&mut self, now: Time, link: usize, packet: P, visitor: &mut V) {
        let identity = packet.identity();
        let fate = self.links[link].offer(now, packet);
        self.take_dropped(now, link, visitor);
        if let Fate::Dropped(why) = fate {
            return self.dropped(now, now, link, (why, identity), visitor);
        }
        self.note(link);
    }

    /// A link drops a packet at `at`.
    #[cold]
    fn dropped<V: Visitor<P>>(
        &mut self,
        now: Time,
        at: Time,
        link: usize,
        (why, identity): (DropReason, P::Identity),
        visitor: &mut V,
    ) {
        if at > now {
            return self.drops.push(at, link, why, identity);
        }
        self.inside -= 1;
        visitor.dropped(at, link, identity);
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

    /// Bytes that wait on a link at `now`, the packet in transmission not counted.
    pub fn waiting(&mut self, now: Time, link: usize) -> Bytes {
        self.links[link].settle(now);
        self.links[link].waiting().0
    }

    /// Takes a sample of every link at `now`.
    pub fn sample(&mut self, now: Time) {
        for (link, probe) in self.links.iter_mut().zip(&mut self.probes) {
            probe.sample(now, link);
        }
    }

    /// The latest sample of each link, with the link's number.
    pub fn latest_samples(&self) -> impl Iterator<Item = (usize, LinkSample)> {
        self.probes.iter().enumerate().filter_map(|(link, probe)| Some((link, *probe.latest()?)))
    }

    /// The warm-up is over at `now`: counts from here on are the steady ones.
    pub fn end_warmup(&mut self, now: Time) {
        for (link, probe) in self.links.iter_mut().zip(&mut self.probes) {
            probe.end_warmup(now, link);
        }
    }

    /// The records of all links at `end`: for each its name, its configuration, and whether nothing
    /// has changed its rate.
    pub fn finish<'a>(
        mut self,
        end: Time,
        plans: impl IntoIterator<Item = (&'a str, &'a LinkConfig, bool)>,
    ) -> Vec<LinkRecord> {
        let links = self.links.iter_mut().zip(self.probes).zip(plans);
        links
            .map(|((link, probe), (name, config, constant))| {
                probe.finish(end, link, name, config, constant)
            })
            .collect()
    }
}
