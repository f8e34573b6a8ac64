//! The event loop.

use crate::SimError;
use crate::agenda::Agenda;
use crate::carried::Carried;
use crate::endpoint::{Endpoint, Ends, overhead};
use crate::opening::opens;
use crate::packet::{Kind, Options, Packet};
use crate::probes::{Flows, Probes};
use crate::pulse::Pulse;
use crate::run::Progress;
use crate::source::{Source, Tally};
use narrows_measure::Record;
use narrows_path::{Fate, Link};
use narrows_scenario::{Change, LinkId, Scenario, What, Workload};
use narrows_transport::{Ack, Content, Data, Handshake, Observer, Point, Seen};
use narrows_units::{Bytes, Random, Span, Time};

/// Elements of the agenda, in this order: links, then flows, then the probes, then changes, then connections that come and go. Equal times are served in this
/// order.
pub(crate) struct World<'a, O, C> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) agenda: Agenda,
    links: Vec<Link<Packet<C>>>,
    /// The flows, in the scenario's order.
    pub(crate) sources: Vec<Source>,
    pub(crate) tallies: Vec<Tally>,
    /// The connection of each flow, in the same order, and after them those that come and go.
    pub(crate) slots: Vec<Endpoint>,
    /// Links of all routes one after another, each route ended by [`END`]; a packet knows where it is in this list.
    routes: Vec<u32>,
    /// The routes of each slot.
    pub(crate) places: Vec<Place>,
    options: Options,
    probes: Probes,
    observer: &'a mut O,
    /// Transfers that can still be listed one by one.
    pub(crate) listable: u64,
    interval: Span,
    /// What is yet to change, the last first.
    changes: Vec<Change>,
    events: u64,
    pub(crate) pulse: Pulse<'a>,
    /// Packets in the network, and how many there may be.
    in_network: u64,
    room: u64,
}

/// Most packets in the network: some gigabytes.
const ROOM: u64 = 1 << 25;

/// Where a flow's routes begin in `World::routes`, and what its headers take.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) data: u32,
    pub(crate) acks: u32,
    pub(crate) headers: u32,
}

/// Stands behind the last link of a route.
const END: u32 = u32::MAX;

/// Adds a route, and says where it begins. Old ones stay, for the packets that are on them.
fn add(routes: &mut Vec<u32>, links: &[LinkId]) -> u32 {
    let first = routes.len() as u32;
    routes.extend(links.iter().map(|id| id.0 as u32));
    routes.push(END);
    first
}

/// Elements of the agenda between the flows and the connections that come and go.
const PROBES: usize = 3;

impl<'a, O: Observer, C: Carried> World<'a, O, C> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        listable: u64,
        progress: Progress<'a>,
        observer: &'a mut O,
    ) -> Result<World<'a, O, C>, SimError> {
        let links: Vec<Link<Packet<C>>> = scenario.links.iter().map(|link| Link::new(&link.config, scenario.seed, &link.name)).collect();
        let (mut slots, mut sources) = (Vec::with_capacity(scenario.flows.len()), Vec::with_capacity(scenario.flows.len()));
        let mut routes = Vec::new();
        let mut places = Vec::new();
        for (index, flow) in scenario.flows.iter().enumerate() {
            let seed = Random::stream(scenario.seed, &format!("flow {} controller", flow.name)).bits();
            let ends = Ends::new(flow, seed)?;
            let ends = if let Workload::Arrivals(_) = flow.workload { Ends::None } else { ends };
            let random = Random::stream(scenario.seed, &format!("flow {} overhead", flow.name));
            let mut endpoint = Endpoint::new(index, ends, overhead(scenario, flow), random);
            if opens(flow) {
                endpoint.open(Handshake::new(&flow.transport), flow.start);
            }
            slots.push(endpoint);
            sources.push(Source::new(scenario, flow));
            let headers = flow.transport.headers.get() as u32;
            places.push(Place { data: add(&mut routes, &flow.route), acks: add(&mut routes, &flow.back), headers });
        }
        let tallies = vec![Tally::default(); scenario.flows.len()];
        let mut agenda = Agenda::new(links.len() + sources.len() + PROBES);
        for (index, source) in sources.iter().enumerate() {
            agenda.set(links.len() + index, source.due().min(slots[index].due()));
        }
        let probe = links.len() + sources.len();
        agenda.set(probe, Time::ZERO + scenario.interval);
        agenda.set(probe + 1, Time::ZERO + scenario.warmup);
        let changes: Vec<Change> = scenario.changes.iter().rev().cloned().collect();
        agenda.set(probe + 2, changes.last().map_or(Time::NEVER, |next| next.at));
        Ok(World {
            scenario,
            agenda,
            links,
            sources,
            tallies,
            slots,
            routes,
            places,
            options: Options::default(),
            probes: Probes::new(scenario),
            observer,
            listable,
            interval: scenario.interval,
            changes,
            events: 0,
            pulse: Pulse::new(progress),
            in_network: 0,
            room: ROOM,
        })
    }

    pub(crate) fn run(&mut self, end: Time) -> Result<(), SimError> {
        let (links, probe) = (self.links.len(), self.links.len() + self.sources.len());
        loop {
            let (now, element) = self.agenda.first();
            // First: what these end is not whole.
            if !self.pulse.goes_on(now.min(end)) {
                return Err(SimError::Stopped);
            }
            if self.is_full() {
                return Err(self.crowded(now.min(end)));
            }
            if now > end {
                return Ok(());
            }
            self.events += 1;
            if element < links {
                self.on_link(now, element);
            } else if element < probe {
                self.on_flow(now, element - links);
            } else if element >= probe + PROBES {
                let due = self.on_connection(now, element - links - PROBES);
                self.agenda.set(element, due);
            } else {
                // What does not happen in the network is no event of it.
                self.events -= 1;
                self.look(now, element - probe);
            }
        }
    }

    /// No more packets have room in the network.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.in_network > self.room
    }

    #[cold]
    fn crowded(&self, now: Time) -> SimError {
        let mut own = vec![0u64; self.sources.len()];
        self.slots.iter().for_each(|slot| own[slot.flow as usize] += u64::from(slot.in_network));
        let most = own.iter().enumerate().max_by_key(|(_, packets)| **packets).map_or(0, |(flow, _)| flow);
        SimError::Crowded { flow: self.scenario.flows[most].name.clone(), packets: self.in_network, at: now.since(Time::ZERO) }
    }

    /// What was measured.
    pub(crate) fn record(self) -> Record {
        let World { scenario, slots, sources, tallies, links, probes, events, .. } = self;
        probes.finish(scenario, (slots, sources, tallies), links, events)
    }

    /// The flows as they are.
    pub(crate) fn flows(&self) -> Flows<'_> {
        Flows { slots: &self.slots, sources: &self.sources, tallies: &self.tallies }
    }

    /// One of the elements between the flows and the connections that come and go: samples, the end of the warm-up, changes.
    fn look(&mut self, now: Time, which: usize) {
        let flows = Flows { slots: &self.slots, sources: &self.sources, tallies: &self.tallies };
        let next = match which {
            0 => {
                self.probes.sample(now, flows, &mut self.links);
                now + self.interval
            }
            1 => {
                self.probes.end_warmup(now, flows, &mut self.links);
                self.tallies.iter_mut().for_each(Tally::forget_delays);
                Time::NEVER
            }
            _ => {
                self.on_change(now);
                self.changes.last().map_or(Time::NEVER, |next| next.at)
            }
        };
        self.agenda.set(self.links.len() + self.sources.len() + which, next);
    }

    #[inline]
    pub(crate) fn element(&self, slot: usize) -> usize {
        let later = if slot < self.sources.len() { 0 } else { PROBES };
        self.links.len() + slot + later
    }

    /// Something of the network changes.
    fn on_change(&mut self, now: Time) {
        while self.pulse.goes_on(now)
            && let Some(change) = self.changes.pop_if(|next| next.at <= now)
        {
            match change.what {
                What::Link(LinkId(link), change) => {
                    self.links[link].change(now, change);
                    self.take_dropped(now, link);
                    self.agenda.set(link, self.links[link].due().unwrap_or(Time::NEVER));
                }
                What::Route { flow, route, back } => {
                    let (data, acks) = (add(&mut self.routes, &route), add(&mut self.routes, &back));
                    let connections = self.sources[flow.0].connections.iter().map(|slot| *slot as usize);
                    for slot in std::iter::once(flow.0).chain(connections) {
                        (self.places[slot].data, self.places[slot].acks) = (data, acks);
                    }
                }
            }
        }
    }

    /// Packets arrive at the far end of a link.
    fn on_link(&mut self, now: Time, link: usize) {
        loop {
            if let Some((_, packet)) = self.links[link].pop(now) {
                self.forward(now, link, packet);
            }
            self.take_dropped(now, link);
            let due = self.links[link].due().unwrap_or(Time::NEVER);
            if due > now || !self.pulse.goes_on(now) {
                return self.agenda.set(link, due);
            }
        }
    }

    /// A packet has crossed a link: on to the next, or to its endpoint.
    #[inline]
    fn forward(&mut self, now: Time, link: usize, mut packet: Packet<C>) {
        self.show(now, Point::Leaving(link), &packet);
        let slot = packet.flow as usize;
        packet.advance();
        let next = self.routes[packet.place()];
        if next != END {
            return self.offer(now, next as usize, packet);
        }
        self.show(now, if packet.kind().goes_back() { Point::Sender } else { Point::Receiver }, &packet);
        match packet.kind() {
            Kind::Data => {
                let data = packet.to_data(self.places[slot].headers);
                self.deliver_data(now, &mut packet, &data);
            }
            Kind::Ack => self.deliver_ack(now, &packet),
            Kind::Datagram => self.deliver_datagram(now, &packet, self.places[slot].headers),
            Kind::Request => self.deliver_request(now, slot, &packet),
            Kind::Opening => self.deliver_opening(now, &packet),
            Kind::Answer => self.deliver_answer(now, &packet),
        }
        self.leave(slot);
    }

    /// A packet enters the network at a host: the first link of its route.
    #[inline]
    pub(crate) fn enter(&mut self, now: Time, point: Point, packet: Packet<C>) {
        self.show(now, point, &packet);
        self.slots[packet.flow as usize].in_network += 1;
        self.in_network += 1;
        self.offer(now, self.routes[packet.place()] as usize, packet);
    }

    /// A packet of a slot is no longer in the network.
    #[inline(always)]
    fn leave(&mut self, slot: usize) {
        let endpoint = &mut self.slots[slot];
        endpoint.in_network -= 1;
        self.in_network -= 1;
        if endpoint.in_network == 0 && slot >= self.sources.len() {
            self.close_idle(slot);
        }
    }

    #[inline]
    fn offer(&mut self, now: Time, link: usize, packet: Packet<C>) {
        self.show(now, Point::Entering(link), &packet);
        let fate = self.links[link].offer(now, packet);
        self.take_dropped(now, link);
        if let Fate::Dropped(_) = fate {
            return self.bury(now, link, &packet);
        }
        let due = self.links[link].due().unwrap_or(Time::NEVER);
        self.agenda.set(link, due);
    }

    /// What the discipline of a link has dropped after accepting it.
    #[inline]
    fn take_dropped(&mut self, now: Time, link: usize) {
        while let Some((packet, _)) = self.links[link].take_dropped() {
            self.bury(now, link, &packet);
        }
    }

    /// A packet is gone.
    #[cold]
    fn bury(&mut self, now: Time, link: usize, packet: &Packet<C>) {
        self.show(now, Point::Dropped(link), packet);
        let slot = packet.flow as usize;
        let tally = &mut self.tallies[self.slots[slot].flow as usize];
        match packet.kind() {
            Kind::Ack => self.options.drop(packet),
            Kind::Request | Kind::Opening | Kind::Answer => {}
            Kind::Data => tally.dropped += 1,
            Kind::Datagram => {
                tally.dropped += 1;
                self.settle(now, slot, packet.number(), false);
            }
        }
        self.leave(slot);
    }

    #[inline]
    fn deliver_data(&mut self, now: Time, packet: &mut Packet<C>, data: &Data) {
        let slot = packet.flow as usize;
        let element = self.element(slot);
        let endpoint = &mut self.slots[slot];
        let tally = &mut self.tallies[endpoint.flow as usize];
        tally.arrived += 1;
        tally.arrived_wire += Bytes::new(packet.size as u64);
        tally.one_way.record(now.since(data.stamp));
        let Ends::Transport(ends) = &mut endpoint.ends else { unreachable!("data of a flow without a transport") };
        let receiver = &mut ends.1;
        if let Some(header) = packet.header() {
            receiver.on_signal(header.signal());
        }
        let ack = receiver.on_data(now, data, packet.ecn());
        let next = receiver.next();
        // A timer that was set and is no longer wanted expires without effect: cheaper than taking it back with every acknowledgement.
        if let Some(due) = receiver.next_timer()
            && due < self.agenda.time_of(element)
        {
            self.agenda.set(element, due);
        }
        if endpoint.ledger.awaits(next) {
            self.complete(now, slot, next);
        }
        if let Some(ack) = ack {
            self.send_ack(now, slot, ack);
        }
    }

    #[inline]
    fn send_ack(&mut self, now: Time, slot: usize, ack: Ack) {
        let place = self.places[slot];
        let endpoint = &mut self.slots[slot];
        self.tallies[endpoint.flow as usize].acks += 1;
        let Ends::Transport(ends) = &mut endpoint.ends else { unreachable!("an acknowledgement without a transport") };
        let carried = C::back(if C::ROOM { ends.1.take_signal() } else { None });
        let blocks = ends.1.blocks();
        let sack_option = if blocks.is_empty() { 0 } else { 4 + 8 * blocks.len() as u32 };
        let packet = Packet::ack(slot, place.acks, place.headers + sack_option, &ack, (blocks, carried), &mut self.options);
        self.enter(now, Point::Receiver, packet);
    }

    fn deliver_ack(&mut self, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        let endpoint = &mut self.slots[slot];
        let flow = endpoint.flow as usize;
        let Ends::Transport(ends) = &mut endpoint.ends else { unreachable!("an acknowledgement without a transport") };
        let sender = &mut ends.0;
        if let Some(signal) = packet.signal() {
            sender.on_signal(signal);
        }
        let (ack, blocks) = packet.to_ack(&self.options);
        let rtt = sender.on_ack(now, &ack, blocks);
        self.options.drop(packet);
        self.observer.on_sender(now, flow, sender);
        if let Some(rtt) = rtt {
            self.tallies[flow].rtt.record(rtt);
        }
        if sender.is_done() && slot == flow {
            self.sources[flow].application.finish(now);
        }
        let ready = sender.ready_at(now);
        endpoint.note_ready(ready);
        let due = endpoint.due();
        let element = self.element(slot);
        // A timer that moved later expires early without effect; only an earlier one needs a new place.
        if due < self.agenda.time_of(element) {
            self.agenda.set(element, due);
        }
    }

    fn deliver_datagram(&mut self, now: Time, packet: &Packet<C>, headers: u32) {
        let slot = packet.flow as usize;
        let tally = &mut self.tallies[slot];
        tally.arrived += 1;
        tally.arrived_wire += Bytes::new(packet.size as u64);
        tally.one_way.record(now.since(packet.stamp()));
        tally.datagram_goodput += Bytes::new((packet.size - headers) as u64);
        self.settle(now, slot, packet.number(), true);
    }

    /// The fate of a datagram is known.
    #[inline]
    fn settle(&mut self, now: Time, slot: usize, number: u64, arrived: bool) {
        let application = &mut self.sources[slot].application;
        application.datagram(now, &mut self.slots[slot].ledger, number, arrived, &mut self.listable);
    }

    /// A flow is due: its application, or its connection.
    fn on_flow(&mut self, now: Time, flow: usize) {
        if now >= self.sources[flow].due() {
            self.on_source(now, flow);
        }
        let due = self.on_connection(now, flow).min(self.sources[flow].due());
        self.agenda.set(self.element(flow), due);
    }

    /// One end of a connection is due. Returns when one is due again.
    #[inline]
    fn on_connection(&mut self, now: Time, slot: usize) -> Time {
        self.on_receiver(now, slot);
        let endpoint = &mut self.slots[slot];
        if let Ends::Transport(ends) = &mut endpoint.ends {
            let sender = &mut ends.0;
            if sender.next_timer().is_some_and(|due| due <= now) {
                sender.on_timer(now);
                self.observer.on_sender(now, endpoint.flow as usize, sender);
            }
            if now >= endpoint.send_at {
                endpoint.clear_ready();
                self.transmit(now, slot);
            }
        }
        let endpoint = &mut self.slots[slot];
        let ready = endpoint.ends.sender().and_then(|sender| sender.ready_at(now));
        endpoint.note_ready(ready);
        endpoint.due()
    }

    /// The host sends what the transport yields.
    #[inline]
    fn transmit(&mut self, now: Time, slot: usize) {
        let Place { data: route, headers, .. } = self.places[slot];
        if self.slots[slot].opening.is_some() {
            return self.send_syn(now, slot);
        }
        while self.pulse.goes_on(now) {
            let Some(sender) = self.slots[slot].ends.sender() else { return };
            let Some((data, ecn)) = sender.transmit(now) else { return };
            let carried = C::forth(if C::ROOM { sender.header() } else { None });
            let size = data.bytes.get() as u32 + headers;
            self.enter(now, Point::Sender, Packet::data(slot, route, size, &data, (ecn, carried)));
        }
    }

    /// Shows a packet to whoever watches.
    #[inline]
    fn show(&mut self, at: Time, point: Point, packet: &Packet<C>) {
        if !O::WATCHES {
            return;
        }
        let slot = packet.flow as usize;
        let content = match packet.kind() {
            Kind::Data => Content::Data(packet.to_data(self.places[slot].headers)),
            Kind::Ack => {
                let (ack, blocks) = packet.to_ack(&self.options);
                Content::Ack(ack, blocks)
            }
            Kind::Datagram | Kind::Request => Content::Datagram,
            // Whoever writes down packets tells of the handshake in a way of its own.
            Kind::Opening | Kind::Answer => return,
        };
        let flow = self.slots[slot].flow as usize;
        self.observer.on_packet(&Seen { at, point, flow, size: Bytes::new(packet.size.into()), ecn: packet.ecn(), content });
    }

    /// The delayed acknowledgement of a flow may be due.
    #[inline]
    fn on_receiver(&mut self, now: Time, slot: usize) {
        if let Ends::Transport(ends) = &mut self.slots[slot].ends
            && let Some(ack) = ends.1.on_timer(now)
        {
            self.send_ack(now, slot, ack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_fills_without_end_is_refused_with_what_fills_it() {
        let text = "duration = \"10 s\"\n[[link]]\nname = \"far\"\nbetween = [\"a\", \"b\"]\ndelay = \"1 s\"\n\
                    [[flow]]\nname = \"few\"\nfrom = \"a\"\nto = \"b\"\nworkload = { rate = \"1 Mbit/s\" }\n\
                    [[flow]]\nname = \"many\"\nfrom = \"a\"\nto = \"b\"\nworkload = { rate = \"1 Gbit/s\", frame = \"100 ms\" }\n";
        let scenario = narrows_scenario::parse(text, "test.toml", &|path| panic!("no trace is read from {path:?}")).unwrap();
        let (mut go_on, mut nobody) = (|_| true, ());
        let mut world = World::<(), ()>::new(&scenario, 0, &mut go_on, &mut nobody).unwrap();
        world.room = 5_000;
        // A frame is 8,633 packets, the first of which leaves with the first packet of the other flow.
        let wanted = SimError::Crowded { flow: "many".to_owned(), packets: 5_001, at: Span::ZERO };
        assert_eq!(world.run(Time::ZERO + scenario.duration), Err(wanted));
    }
}
