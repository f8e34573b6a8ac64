//! The event loop of an information-centric network.

use super::build;
use super::contents::{Contents, Draws};
use super::ideal::Ideal;
use super::instance::ConsumerInstance;
use super::parcel::{Parcel, Parcels};
use super::probes::Probes;
use crate::agenda::Agenda;
use crate::error::SimError;
use crate::pulse::Pulse;
use crate::run::Progress;
use narrows_icn::{FaceId, Interned, Node, Packet, Producer};
use narrows_measure::{ConsumerCounters, FlowCounters, Histogram, Record, Transfers};
use narrows_path::{Fate, Link, LinkChange};
use narrows_scenario::{Change, Icn, LinkId, NodeId, PrefixId, Scenario, What};
use narrows_units::{Bytes, Rate, Span, Time};
use std::collections::BTreeMap;

/// Runs an information-centric scenario to its end.
pub(crate) fn run(scenario: &Scenario, icn: &Icn, progress: Progress<'_>) -> Result<Record, SimError> {
    let mut world = build::world(scenario, icn, Pulse::new(progress))?;
    world.run(Time::ZERO + scenario.duration)?;
    Ok(Probes::finish(world))
}

/// Elements of the agenda, in this order: links, nodes, request processes, then samples, the end of the warm-up and changes, then consumers. Equal times are served
/// in this order.
pub(crate) struct World<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) icn: &'a Icn,
    pub(crate) agenda: Agenda,
    pub(crate) links: Vec<Link<Parcel>>,
    /// The rate of each link, and whether it has an outage.
    pub(crate) capacities: Vec<Rate>,
    pub(crate) down: Vec<bool>,
    /// Where packets of each link arrive.
    pub(crate) far_ends: Vec<(usize, FaceId)>,
    pub(crate) nodes: Vec<Node<Interned>>,
    /// Where packets go that leave by the faces of each node.
    pub(crate) targets: Vec<Vec<FaceTarget>>,
    pub(crate) producers: Vec<Producer<Interned>>,
    pub(crate) parcels: Parcels,
    pub(crate) contents: Contents,
    pub(crate) processes: Vec<Draws>,
    /// Consumers: first those of the scenario, then those of request processes, whose places are taken again.
    pub(crate) instances: Vec<ConsumerInstance>,
    /// Those of each node that are free.
    pub(crate) free: Vec<Vec<usize>>,
    pub(crate) tallies: Vec<Tally>,
    pub(crate) probes: Probes,
    /// What is yet to change, the last first.
    pub(crate) changes: Vec<Change>,
    pub(crate) listable: u64,
    pub(crate) events: u64,
    /// The ways from nodes to producers, of those of which a content has come.
    pub(crate) ideals: BTreeMap<(NodeId, PrefixId), Ideal>,
    pub(crate) pulse: Pulse<'a>,
}

/// Where packets go that leave by a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaceTarget {
    /// A link, by its number, on which packets leave.
    Link(usize),
    /// A consumer, by its place.
    Consumer(usize),
    /// A producer, by the number of its prefix.
    Producer(usize),
}

/// What is counted of a flow beside what its consumers at work count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Of consumers that have finished.
    pub(crate) gone: FlowCounters,
    pub(crate) gone_asking: ConsumerCounters,
    /// Packets dropped on links.
    pub(crate) dropped: u64,
    pub(crate) rtt: Histogram,
    pub(crate) transfers: Option<Transfers>,
    /// The content of a flow with a single one is there.
    pub(crate) finished: Option<Time>,
    /// The goodput when its consumer was stopped.
    pub(crate) stopped_with: Option<Bytes>,
    /// Consumers at work.
    pub(crate) working: u32,
}

/// Elements of the agenda between the request processes and the consumers.
pub(crate) const PROBES: usize = 3;

impl World<'_> {
    fn run(&mut self, end: Time) -> Result<(), SimError> {
        let (links, nodes, processes) = (self.links.len(), self.nodes.len(), self.processes.len());
        loop {
            let (now, element) = self.agenda.first();
            // First: what this ends is not whole.
            if !self.pulse.goes_on(now.min(end)) {
                return Err(SimError::Stopped);
            }
            if now > end {
                return Ok(());
            }
            self.events += 1;
            if element < links {
                self.on_link(now, element);
            } else if element < links + nodes {
                let node = element - links;
                self.nodes[node].poll(now);
                self.drain(now, node);
            } else if element < links + nodes + processes {
                self.on_process(now, element - links - nodes);
            } else if element < links + nodes + processes + PROBES {
                // What does not happen in the network is no event of it.
                self.events -= 1;
                self.look(now, element - links - nodes - processes);
            } else {
                self.on_instance(now, element - self.first_instance());
            }
        }
    }

    /// The element of the agenda that the first consumer is.
    pub(crate) fn first_instance(&self) -> usize {
        self.links.len() + self.nodes.len() + self.processes.len() + PROBES
    }

    /// Packets arrive at the far end of a link.
    fn on_link(&mut self, now: Time, link: usize) {
        let (node, face) = self.far_ends[link];
        loop {
            if let Some((_, parcel)) = self.links[link].pop(now)
                && let Some(packet) = self.parcels.open(parcel)
            {
                self.nodes[node].handle(now, face, packet);
                self.drain(now, node);
            }
            self.take_dropped(link);
            let due = self.links[link].due().unwrap_or(Time::NEVER);
            if due > now || !self.pulse.goes_on(now) {
                return self.agenda.set(link, due);
            }
        }
    }

    /// A node has something to do: its packets leave on links, or reach its consumers and producers.
    pub(crate) fn drain(&mut self, now: Time, node: usize) {
        while self.pulse.goes_on(now)
            && let Some((face, packet)) = self.nodes[node].action()
        {
            match self.targets[node][face.0 as usize] {
                FaceTarget::Link(link) => self.offer(now, link, packet),
                FaceTarget::Consumer(place) => self.deliver(now, place, packet),
                FaceTarget::Producer(prefix) => {
                    let producer = &mut self.producers[prefix];
                    producer.handle(now, packet);
                    while let Some(data) = producer.data(now) {
                        self.nodes[node].handle(now, face, Packet::Data(data));
                    }
                }
            }
        }
        let due = self.nodes[node].due().unwrap_or(Time::NEVER);
        self.agenda.set(self.links.len() + node, due);
    }

    fn offer(&mut self, now: Time, link: usize, packet: Packet<Interned>) {
        let flow = self.contents.owner(packet.name()).unwrap_or(u32::MAX);
        let parcel = self.parcels.post(packet, flow);
        let fate = self.links[link].offer(now, parcel);
        self.take_dropped(link);
        if let Fate::Dropped(_) = fate {
            return self.on_drop(parcel);
        }
        let due = self.links[link].due().unwrap_or(Time::NEVER);
        self.agenda.set(link, due);
    }

    /// What the discipline of a link has dropped after accepting it.
    fn take_dropped(&mut self, link: usize) {
        while let Some((parcel, _)) = self.links[link].take_dropped() {
            self.on_drop(parcel);
        }
    }

    fn on_drop(&mut self, parcel: Parcel) {
        if let Some(packet) = self.parcels.open(parcel)
            && let Some(flow) = self.contents.owner(packet.name())
        {
            self.tallies[flow as usize].dropped += 1;
        }
    }

    /// Data or a Nack reaches a consumer.
    fn deliver(&mut self, now: Time, place: usize, mut packet: Packet<Interned>) {
        let instance = &mut self.instances[place];
        match &mut packet {
            Packet::Data(data) => data.rates = data.rates.min(instance.most),
            Packet::Nack(nack) => nack.rates = nack.rates.min(instance.most),
            Packet::Interest(_) => {}
        }
        instance.consumer.handle(now, packet);
        if let Some(rtt) = instance.consumer.take_rtt() {
            self.tallies[instance.flow].rtt.record(rtt);
        }
        self.ask(now, place);
    }

    /// A consumer sends what it has to send, and is done if it has everything. Its node is drained by the caller.
    fn ask(&mut self, now: Time, place: usize) {
        let instance = &mut self.instances[place];
        let node = &mut self.nodes[instance.node];
        while self.pulse.goes_on(now)
            && let Some(interest) = instance.consumer.interest()
        {
            node.handle(now, instance.face, Packet::Interest(interest));
        }
        if !instance.over && instance.consumer.finished() {
            self.finish(now, place);
        }
        let due = self.instances[place].due();
        self.agenda.set(self.first_instance() + place, due);
    }

    fn on_instance(&mut self, now: Time, place: usize) {
        let instance = &mut self.instances[place];
        if now >= instance.stop {
            instance.consumer.stop();
            self.tallies[instance.flow].stopped_with = Some(instance.consumer.counters().goodput);
            instance.stop = Time::NEVER;
        }
        instance.consumer.poll(now);
        let node = instance.node;
        self.ask(now, place);
        self.drain(now, node);
    }

    /// One of the elements between the request processes and the consumers: samples, the end of the warm-up, changes.
    fn look(&mut self, now: Time, which: usize) {
        let next = match which {
            0 => {
                self.sample(now);
                now + self.scenario.interval
            }
            1 => {
                self.end_warmup(now);
                Time::NEVER
            }
            _ => {
                self.on_change(now);
                self.changes.last().map_or(Time::NEVER, |next| next.at)
            }
        };
        self.agenda.set(self.first_instance() - PROBES + which, next);
    }

    /// Something of the network changes.
    fn on_change(&mut self, now: Time) {
        while self.pulse.goes_on(now)
            && let Some(change) = self.changes.pop_if(|next| next.at <= now)
        {
            let What::Link(LinkId(link), change) = change.what else { continue };
            self.links[link].change(now, change);
            self.take_dropped(link);
            self.agenda.set(link, self.links[link].due().unwrap_or(Time::NEVER));
            match change {
                LinkChange::Rate(rate) => self.capacities[link] = rate,
                LinkChange::Down => self.down[link] = true,
                LinkChange::Up => self.down[link] = false,
                _ => continue,
            }
            self.tell_capacity(now, link);
        }
    }

    /// The nodes at both ends of a link hear of its rate.
    fn tell_capacity(&mut self, now: Time, link: usize) {
        let Some(face) = self.icn.faces.iter().find(|face| face.leaving.0 == link) else { return };
        let rate = |link: usize| Some(if self.down[link] { Rate::ZERO } else { self.capacities[link] });
        for (leaving, coming) in [(link, face.coming.0), (face.coming.0, link)] {
            // What arrives on the other direction arrives at the end where this one leaves.
            let (node, id) = self.far_ends[coming];
            let (coming, leaving) = (rate(coming), rate(leaving));
            self.nodes[node].set_capacity(now, id, coming, leaving);
        }
    }
}

impl World<'_> {
    /// A content of a request process is asked for.
    fn on_process(&mut self, now: Time, number: usize) {
        let process = &self.icn.requests[number];
        let first = self.first_flow_of(number);
        let draws = &mut self.processes[number];
        let request = draws.next(process, &mut self.contents, first as u32);
        let next = now + Span::from_secs_f64(draws.wait(process));
        let next = if process.stop.is_some_and(|stop| next >= stop) { Time::NEVER } else { next };
        self.agenda.set(self.links.len() + self.nodes.len() + number, next);
        let place = build::spawn(self, now, number, request, first + request.at);
        self.on_instance(now, place);
    }

    /// The flow of a request process's first node.
    pub(crate) fn first_flow_of(&self, number: usize) -> usize {
        self.icn.consumers.len() + self.icn.requests[..number].iter().map(|process| process.at.len()).sum::<usize>()
    }
}
