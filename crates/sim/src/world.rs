//! The event loop.

use crate::agenda::Agenda;
use crate::endpoint::{Endpoint, Ends};
use crate::packet::{Kind, Options, Packet};
use crate::probes::Probes;
use narrows_control::registry::Need;
use narrows_flow::{Ack, Content, Data, Observer, Point, Seen};
use narrows_measure::Record;
use narrows_path::{Fate, Link, LinkChange, LossModel, RateSource};
use narrows_scenario::{Change, Flow, LinkId, Scenario, What, Workload};
use narrows_units::{Bytes, Rate, Span, Time};
use thiserror::Error;

/// The signals that the simulator offers to controllers.
pub const OFFERS: &[Need] = &[Need::RateSample, Need::Pacing, Need::EcnCounts, Need::Tags];

/// A scenario that the simulator cannot run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SimError {
    /// A controller needs a signal that this network does not give.
    #[error("flow \"{flow}\": {controller} needs {signal}, which the simulated network does not offer; choose another controller")]
    Missing {
        /// The flow.
        flow: String,
        /// Its controller.
        controller: String,
        /// What it needs.
        signal: Need,
    },
    /// A controller cannot be made with these parameters.
    #[error("flow \"{flow}\": {problem}")]
    Controller {
        /// The flow.
        flow: String,
        /// What is wrong.
        problem: String,
    },
    /// The run would not end.
    #[error("flow \"{flow}\": {problem}; {remedy}")]
    Endless {
        /// The flow.
        flow: String,
        /// Why.
        problem: &'static str,
        /// What would end it.
        remedy: &'static str,
    },
    /// The caller asked to stop.
    #[error("stopped before the end")]
    Stopped,
}

/// Called now and then with the virtual time reached; answers whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(Time) -> bool;

/// Runs a scenario to its end.
pub fn run(scenario: &Scenario) -> Result<Record, SimError> {
    run_with_progress(scenario, &mut |_| true)
}

/// Runs a scenario to its end, or until `progress` answers false ([`SimError::Stopped`]).
pub fn run_with_progress(scenario: &Scenario, progress: Progress<'_>) -> Result<Record, SimError> {
    run_observed(scenario, progress, &mut ())
}

/// The same, watched by `observer`: its record is that of an unwatched run.
pub fn run_observed<O: Observer>(scenario: &Scenario, progress: Progress<'_>, observer: &mut O) -> Result<Record, SimError> {
    let mut world = World::new(scenario, observer)?;
    world.run(Time::ZERO + scenario.duration, progress)?;
    let World { flows, links, probes, events, .. } = world;
    Ok(probes.finish(scenario, flows, links, events))
}

/// Elements of the agenda, in this order: links, then flows, then the probes, then changes. Equal times are served in this order.
struct World<'o, O> {
    agenda: Agenda,
    links: Vec<Link<Packet>>,
    flows: Vec<Endpoint>,
    /// Links of all routes one after another, each route ended by [`END`]; a packet knows where it is in this list.
    routes: Vec<u32>,
    places: Vec<Place>,
    options: Options,
    probes: Probes,
    observer: &'o mut O,
    interval: Span,
    /// What is yet to change, the last first.
    changes: Vec<Change>,
    events: u64,
}

/// Where a flow's routes begin in `World::routes`, and what its headers take.
#[derive(Clone, Copy)]
struct Place {
    data: u32,
    acks: u32,
    headers: u32,
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

/// Events between two calls of the progress callback.
const PROGRESS_EVERY: u64 = 1 << 16;

impl<'o, O: Observer> World<'o, O> {
    fn new(scenario: &Scenario, observer: &'o mut O) -> Result<World<'o, O>, SimError> {
        let links: Vec<Link<Packet>> = scenario.links.iter().map(|link| Link::new(&link.config, scenario.seed, &link.name)).collect();
        let mut flows = Vec::with_capacity(scenario.flows.len());
        let mut routes = Vec::new();
        let mut places = Vec::new();
        for flow in &scenario.flows {
            check_limited(scenario, flow)?;
            let overhead = if scenario.send_overhead { packet_time(scenario, flow) } else { Span::ZERO };
            flows.push(Endpoint::new(scenario, flow, overhead, OFFERS)?);
            let headers = flow.transport.headers.get() as u32;
            places.push(Place { data: add(&mut routes, &flow.route), acks: add(&mut routes, &flow.back), headers });
        }
        let mut agenda = Agenda::new(links.len() + flows.len() + 3);
        for (index, flow) in flows.iter().enumerate() {
            agenda.set(links.len() + index, flow.due());
        }
        let probe = links.len() + flows.len();
        agenda.set(probe, Time::ZERO + scenario.interval);
        agenda.set(probe + 1, Time::ZERO + scenario.warmup);
        let changes: Vec<Change> = scenario.changes.iter().rev().cloned().collect();
        agenda.set(probe + 2, changes.last().map_or(Time::NEVER, |next| next.at));
        Ok(World {
            agenda,
            links,
            flows,
            routes,
            places,
            options: Options::default(),
            probes: Probes::new(scenario),
            observer,
            interval: scenario.interval,
            changes,
            events: 0,
        })
    }

    fn run(&mut self, end: Time, progress: Progress<'_>) -> Result<(), SimError> {
        let (links, probe) = (self.links.len(), self.links.len() + self.flows.len());
        loop {
            let (now, element) = self.agenda.first();
            if now > end {
                return Ok(());
            }
            self.events += 1;
            if self.events.is_multiple_of(PROGRESS_EVERY) && !progress(now) {
                return Err(SimError::Stopped);
            }
            if element < links {
                self.on_link(now, element);
            } else if element < probe {
                self.on_flow(now, element - links);
            } else if element == probe {
                self.probes.sample(now, &self.flows, &mut self.links);
                self.agenda.set(probe, now + self.interval);
            } else if element == probe + 1 {
                self.probes.end_warmup(now, &mut self.flows, &mut self.links);
                self.agenda.set(element, Time::NEVER);
            } else {
                self.on_change(now);
                self.agenda.set(element, self.changes.last().map_or(Time::NEVER, |next| next.at));
            }
        }
    }

    #[inline]
    fn element(&self, flow: usize) -> usize {
        self.links.len() + flow
    }

    /// Something of the network changes.
    fn on_change(&mut self, now: Time) {
        while let Some(change) = self.changes.pop_if(|next| next.at <= now) {
            match change.what {
                What::Link(LinkId(link), change) => {
                    self.links[link].change(now, change);
                    self.take_dropped(now, link);
                    self.agenda.set(link, self.links[link].due().unwrap_or(Time::NEVER));
                }
                What::Route { flow, route, back } => {
                    let place = &mut self.places[flow.0];
                    (place.data, place.acks) = (add(&mut self.routes, &route), add(&mut self.routes, &back));
                }
            }
        }
    }

    /// Packets arrive at the far end of a link.
    fn on_link(&mut self, now: Time, link: usize) {
        loop {
            let popped = self.links[link].pop(now);
            self.take_dropped(now, link);
            if let Some((_, packet)) = popped {
                self.forward(now, link, packet);
            }
            let due = self.links[link].due().unwrap_or(Time::NEVER);
            if due > now {
                return self.agenda.set(link, due);
            }
        }
    }

    /// A packet has crossed a link: on to the next, or to its endpoint.
    #[inline]
    fn forward(&mut self, now: Time, link: usize, mut packet: Packet) {
        self.show(now, Point::Link(link), &packet);
        packet.place += 1;
        let next = self.routes[packet.place as usize];
        if next != END {
            return self.offer(now, next as usize, packet);
        }
        self.show(now, if packet.kind == Kind::Ack { Point::Sender } else { Point::Receiver }, &packet);
        match packet.kind {
            Kind::Data => self.deliver_data(now, &packet, &packet.to_data(self.places[packet.flow as usize].headers)),
            Kind::Ack => self.deliver_ack(now, &packet),
            Kind::Datagram => self.deliver_datagram(now, &packet),
        }
    }

    /// A packet leaves its host, on the route that begins at `place`.
    #[inline]
    fn launch(&mut self, now: Time, place: u32, mut packet: Packet) {
        packet.place = place;
        self.offer(now, self.routes[place as usize] as usize, packet);
    }

    #[inline]
    fn offer(&mut self, now: Time, link: usize, packet: Packet) {
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
    fn bury(&mut self, now: Time, link: usize, packet: &Packet) {
        self.show(now, Point::Dropped(link), packet);
        if packet.kind == Kind::Ack {
            self.options.drop(packet);
        } else {
            self.flows[packet.flow as usize].tally.dropped += 1;
        }
    }

    #[inline]
    fn deliver_data(&mut self, now: Time, packet: &Packet, data: &Data) {
        let flow = packet.flow as usize;
        let element = self.element(flow);
        let endpoint = &mut self.flows[flow];
        endpoint.tally.arrived += 1;
        endpoint.tally.arrived_wire += Bytes::new(packet.size as u64);
        endpoint.tally.one_way.record(now.since(data.stamp));
        let Ends::Transport(ends) = &mut endpoint.ends else { unreachable!("data of a flow without a transport") };
        let receiver = &mut ends.1;
        let ack = receiver.on_data(now, data, packet.ecn);
        let next = receiver.next();
        // A timer that was set and is no longer wanted expires without effect: cheaper than taking it back with every acknowledgement.
        if let Some(due) = receiver.next_timer()
            && due < self.agenda.time_of(element)
        {
            self.agenda.set(element, due);
        }
        if next >= endpoint.awaited {
            endpoint.complete(now, next);
        }
        if let Some(ack) = ack {
            self.send_ack(now, flow, ack);
        }
    }

    #[inline]
    fn send_ack(&mut self, now: Time, flow: usize, ack: Ack) {
        let place = self.places[flow];
        let endpoint = &mut self.flows[flow];
        endpoint.tally.acks += 1;
        let Ends::Transport(ends) = &endpoint.ends else { unreachable!("an acknowledgement without a transport") };
        let blocks = ends.1.blocks();
        let sack_option = if blocks.is_empty() { 0 } else { 4 + 8 * blocks.len() as u32 };
        let packet = Packet::ack(flow, place.headers + sack_option, &ack, blocks, &mut self.options);
        self.show(now, Point::Receiver, &packet);
        if self.routes[place.acks as usize] == END {
            self.show(now, Point::Sender, &packet);
            return self.deliver_ack(now, &packet);
        }
        self.launch(now, place.acks, packet);
    }

    fn deliver_ack(&mut self, now: Time, packet: &Packet) {
        let flow = packet.flow as usize;
        let endpoint = &mut self.flows[flow];
        let Ends::Transport(ends) = &mut endpoint.ends else { unreachable!("an acknowledgement without a transport") };
        let sender = &mut ends.0;
        let (ack, blocks) = packet.to_ack(&self.options);
        let rtt = sender.on_ack(now, &ack, blocks);
        self.options.drop(packet);
        self.observer.on_sender(now, flow, sender);
        if let Some(rtt) = rtt {
            endpoint.tally.rtt.record(rtt);
        }
        if endpoint.finished_at.is_none() && sender.is_done() {
            endpoint.finished_at = Some(now);
            endpoint.completed = matches!(endpoint.workload, Workload::Size(_));
        }
        let ready = sender.ready_at(now);
        endpoint.note_ready(ready);
        let due = endpoint.due();
        let element = self.element(flow);
        // A timer that moved later expires early without effect; only an earlier one needs a new place.
        if due < self.agenda.time_of(element) {
            self.agenda.set(element, due);
        }
    }

    fn deliver_datagram(&mut self, now: Time, packet: &Packet) {
        let endpoint = &mut self.flows[packet.flow as usize];
        let tally = &mut endpoint.tally;
        tally.arrived += 1;
        tally.arrived_wire += Bytes::new(packet.size as u64);
        tally.one_way.record(now.since(packet.stamp()));
        if let Ends::Datagrams { payload, .. } = endpoint.ends {
            tally.datagram_goodput += payload;
        }
    }

    /// One end of a flow is due.
    fn on_flow(&mut self, now: Time, flow: usize) {
        self.on_receiver(now, flow);
        let endpoint = &mut self.flows[flow];
        if !endpoint.started && now >= endpoint.start {
            endpoint.begin(now);
        }
        if now >= endpoint.stop && endpoint.finished_at.is_none() {
            endpoint.finished_at = Some(now);
            endpoint.next_write = Time::NEVER;
            if let Ends::Transport(ends) = &mut endpoint.ends {
                ends.0.stop();
            }
        }
        if now >= endpoint.next_write {
            self.write(now, flow);
        }
        let endpoint = &mut self.flows[flow];
        if let Ends::Transport(ends) = &mut endpoint.ends {
            let sender = &mut ends.0;
            if sender.next_timer().is_some_and(|due| due <= now) {
                sender.on_timer(now);
                self.observer.on_sender(now, flow, sender);
            }
            if now >= endpoint.send_at {
                endpoint.clear_ready();
                self.transmit(now, flow);
            }
        }
        let endpoint = &mut self.flows[flow];
        let ready = endpoint.sender().and_then(|sender| sender.ready_at(now));
        endpoint.note_ready(ready);
        let due = endpoint.due();
        self.agenda.set(self.element(flow), due);
    }

    /// The workload produces a segment.
    fn write(&mut self, now: Time, flow: usize) {
        let endpoint = &mut self.flows[flow];
        endpoint.advance_write();
        match &mut endpoint.ends {
            Ends::Transport(ends) => ends.0.write(1),
            Ends::Datagrams { payload, headers } => {
                let size = (payload.get() + headers.get()) as u32;
                endpoint.tally.datagrams_sent += 1;
                let packet = Packet::datagram(flow, size, now);
                self.show(now, Point::Sender, &packet);
                self.launch(now, self.places[flow].data, packet);
            }
        }
    }

    /// The host sends what the transport yields.
    #[inline]
    fn transmit(&mut self, now: Time, flow: usize) {
        let Place { data: route, headers, .. } = self.places[flow];
        loop {
            let Ends::Transport(ends) = &mut self.flows[flow].ends else { unreachable!("sending without a transport") };
            let Some((data, ecn)) = ends.0.transmit(now) else { return };
            let size = data.bytes.get() as u32 + headers;
            let packet = Packet::data(flow, size, &data, ecn);
            self.show(now, Point::Sender, &packet);
            self.launch(now, route, packet);
        }
    }

    /// Shows a packet to whoever watches.
    #[inline]
    fn show(&mut self, at: Time, point: Point, packet: &Packet) {
        if !O::WATCHES {
            return;
        }
        let flow = packet.flow as usize;
        let content = match packet.kind {
            Kind::Data => Content::Data(packet.to_data(self.places[flow].headers)),
            Kind::Ack => {
                let (ack, blocks) = packet.to_ack(&self.options);
                Content::Ack(ack, blocks)
            }
            Kind::Datagram => Content::Datagram,
        };
        self.observer.on_packet(&Seen { at, point, flow, size: Bytes::new(packet.size.into()), ecn: packet.ecn, content });
    }

    /// The delayed acknowledgement of a flow may be due.
    #[inline]
    fn on_receiver(&mut self, now: Time, flow: usize) {
        if let Ends::Transport(ends) = &mut self.flows[flow].ends
            && let Some(ack) = ends.1.on_timer(now)
        {
            self.send_ack(now, flow, ack);
        }
    }
}

/// Refuses what no simulation ends: a flow whose packets take no time, or one that nothing keeps from sending ever more.
fn check_limited(scenario: &Scenario, flow: &Flow) -> Result<(), SimError> {
    let config = |id: &LinkId| &scenario.links[id.0].config;
    let rated = |id: &LinkId| config(id).rate != RateSource::Unlimited;
    let delays = |id: &LinkId| {
        let never = |change: &Change| change.what == What::Link(*id, LinkChange::Delay(Span::ZERO));
        !config(id).delay.is_zero() && !scenario.changes.iter().any(never)
    };
    let refuse = |problem, remedy| Err(SimError::Endless { flow: flow.name.clone(), problem, remedy });
    if flow.controller.is_none() {
        return Ok(());
    }
    let later = scenario.changes.iter().filter_map(|change| match &change.what {
        What::Route { flow: changed, route, back } if scenario.flows[changed.0].name == flow.name => Some((route, back)),
        _ => None,
    });
    let routes: Vec<_> = std::iter::once((&flow.route, &flow.back)).chain(later).collect();
    if routes.iter().any(|(route, back)| route.iter().chain(*back).all(|id| !delays(id) && !rated(id))) {
        return refuse("its packets take no time on their way", "give one of its links a delay or a rate");
    }
    let endless = flow.workload == Workload::Bulk && flow.transport.receive_window.is_none();
    if endless && routes.iter().any(|(route, _)| route.iter().all(|id| !rated(id) && config(id).loss == LossModel::None)) {
        return refuse(
            "nothing keeps it from sending ever more, because no link of its route has a rate",
            "give one a rate, or the flow a size or a receive_window",
        );
    }
    Ok(())
}

/// One full packet's time on the slowest link of a flow's route.
fn packet_time(scenario: &Scenario, flow: &Flow) -> Span {
    let size = flow.transport.mss + flow.transport.headers;
    let time = |rate: Rate| if rate.is_zero() { Span::ZERO } else { rate.time_for(size) };
    let of_link = |source: &RateSource| match source {
        RateSource::Unlimited => Span::ZERO,
        RateSource::Constant(rate) => time(*rate),
        RateSource::Trace(trace) => time(trace.long_run_rate(scenario.duration)),
    };
    flow.route.iter().map(|id| of_link(&scenario.links[id.0].config.rate)).max().unwrap_or(Span::ZERO)
}
