//! The nodes of an information-centric network, with their consumers and producers.

use super::instance::ConsumerInstance;
use super::parcel::Parcel;
use super::probes::Probes;
use crate::event_loop::Elements;
use crate::pulse::Pulse;
use narrows_icn::{FaceId, Interned, InternedContent, Node, Packet, Producer, Spare};
use narrows_measure::{ConsumerCounters, FlowCounters, Histogram, Transfers};
use narrows_network::{Agenda, Network, Visitor};
use narrows_path::LinkChange;
use narrows_scenario::{Icn, Ideal, NodeId, PrefixId, Scenario};
use narrows_traffic::{ContentId, Contents, Requests};
use narrows_units::{Bytes, Rate, Time};
use std::collections::BTreeMap;

/// The nodes, with what stands at them.
pub(crate) struct Nodes<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) icn: &'a Icn,
    pub(crate) agenda: Agenda,
    /// The rate of each link, and whether it has an outage.
    pub(crate) capacities: Vec<Rate>,
    pub(crate) down: Vec<bool>,
    /// The law counts Data that wait on a link: there is no shaper that would hold their Interests.
    pub(crate) data_queue: bool,
    /// Where packets of each link arrive.
    pub(crate) far_ends: Vec<(usize, FaceId)>,
    pub(crate) forwarders: Vec<Node<Interned>>,
    /// Where packets go that leave by the faces of each node.
    pub(crate) targets: Vec<Vec<FaceTarget>>,
    pub(crate) producers: Vec<Producer<Interned>>,
    pub(crate) spare: Spare<Interned>,
    pub(crate) contents: Contents,
    pub(crate) requests: Requests<'a>,
    /// Consumers: first those of the scenario, then those of request processes, whose places are
    /// taken again.
    pub(crate) instances: Vec<ConsumerInstance>,
    /// Those of each node that are free.
    pub(crate) free: Vec<Vec<usize>>,
    pub(crate) tallies: Vec<Tally>,
    pub(crate) probes: Probes,
    pub(crate) listable: u64,
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

/// Counts of a flow beside the counts of its consumers at work.
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

impl Visitor<Parcel> for Nodes<'_> {
    #[inline]
    fn delivered(&mut self, network: &mut Network<Parcel>, now: Time, link: usize, parcel: Parcel) {
        let (node, face) = self.far_ends[link];
        self.forwarders[node].handle(now, face, parcel.open(), &mut self.spare);
        self.drain(network, now, node);
    }

    fn dropped(&mut self, _at: Time, _link: usize, flow: u32) {
        if let Some(tally) = self.tallies.get_mut(flow as usize) {
            tally.dropped += 1;
        }
    }

    fn changed(&mut self, now: Time, link: usize, change: LinkChange) {
        match change {
            LinkChange::Rate(rate) => self.capacities[link] = rate,
            LinkChange::Down => self.down[link] = true,
            LinkChange::Up => self.down[link] = false,
            _ => return,
        }
        self.tell_capacity(now, link);
    }

    #[inline(always)]
    fn goes_on(&mut self, now: Time) -> bool {
        self.pulse.goes_on(now)
    }
}

impl Nodes<'_> {
    /// The elements of the agenda: nodes, then the requests, then consumers.
    #[inline(always)]
    pub(crate) fn elements(&self) -> Elements {
        Elements::new(self.forwarders.len() + 1)
    }

    /// The element of the agenda that the requests are.
    #[inline(always)]
    pub(crate) fn requests_element(&self) -> usize {
        self.forwarders.len()
    }

    /// A node is due.
    pub(crate) fn on_node(&mut self, network: &mut Network<Parcel>, now: Time, node: usize) {
        if self.data_queue {
            self.tell_data_waiting(network, now, node);
        }
        self.forwarders[node].poll(now);
        self.drain(network, now, node);
    }

    /// Tells a node how much Data waits for it on its links.
    fn tell_data_waiting(&mut self, network: &mut Network<Parcel>, now: Time, node: usize) {
        for (link, (_, face)) in
            self.far_ends.iter().enumerate().filter(|(_, (end, _))| *end == node)
        {
            self.forwarders[node].set_data_waiting(*face, network.waiting(now, link));
        }
    }

    /// A node has something to do: its packets leave on links, or reach its consumers and
    /// producers.
    pub(super) fn drain(&mut self, network: &mut Network<Parcel>, now: Time, node: usize) {
        while self.pulse.goes_on(now)
            && let Some((face, packet)) = self.forwarders[node].action()
        {
            match self.targets[node][face.0 as usize] {
                FaceTarget::Link(link) => self.send(network, now, link, packet),
                FaceTarget::Consumer(place) => self.deliver(now, place, packet),
                FaceTarget::Producer(prefix) => {
                    let producer = &mut self.producers[prefix];
                    producer.handle(now, &packet);
                    self.spare.give(packet);
                    while let Some(data) = producer.data(now) {
                        let answer = self.spare.data(data);
                        self.forwarders[node].handle(now, face, answer, &mut self.spare);
                    }
                }
            }
        }
        let due = self.forwarders[node].due().unwrap_or(Time::NEVER);
        // Few packets change when a node is due.
        if due != self.agenda.time_of(node) {
            self.agenda.set(node, due);
        }
    }

    /// A packet leaves its node on a link.
    #[inline]
    fn send(
        &mut self,
        network: &mut Network<Parcel>,
        now: Time,
        link: usize,
        packet: Packet<Interned>,
    ) {
        let content = packet.name().content_id().map(|InternedContent { prefix, content }| {
            ContentId { prefix: PrefixId(prefix as usize), number: content }
        });
        let flow = content.and_then(|content| self.contents.owner(content)).unwrap_or(u32::MAX);
        network.enter(now, Parcel::new(packet, flow, network.route(link, false)), self);
    }

    /// The nodes at both ends of a link hear of its rate.
    fn tell_capacity(&mut self, now: Time, link: usize) {
        let Some(face) = self.icn.faces.iter().find(|face| face.leaving.0 == link) else { return };
        let rate =
            |link: usize| Some(if self.down[link] { Rate::ZERO } else { self.capacities[link] });
        for (leaving, coming) in [(link, face.coming.0), (face.coming.0, link)] {
            // Packets that arrive in the other direction arrive at the end where this one leaves.
            let (node, id) = self.far_ends[coming];
            let coming = rate(coming);
            let leaving = rate(leaving);
            self.forwarders[node].set_capacity(now, id, coming, leaving);
        }
    }
}
