//! The forwarder without sockets and clock: faces, links, the node and its management.

use crate::config::{Config, Mircc};
use crate::departure;
use crate::event::{self, Event};
use crate::face::{Face, FaceSetup};
use crate::face_uri::{FaceUri, Remote};
use crate::link::{Received, Scratch};
use crate::link_rates::LinkRates;
use crate::management::{self, Effect, Reply};
use crate::memory::Memory;
use crate::name::PacketName;
use crate::numbers;
use crate::rib::Route;
use crate::state::State;
use narrows_icn::{CacheLimits, FaceConfig, FaceId, Hint, Neighbour, Node, NodeConfig, Packet, ProxyConfig, Seen, ShaperConfig, Spare};
use narrows_ndn::management::{FaceEventKind, FacePersistency};
use narrows_units::{Random, Rate, Span, Time};
use narrows_wire::Ecn;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// How often faces are looked after: idle ends, and rates that depend on the size of packets.
const UPKEEP: Span = Span::from_millis(100);

/// What a forwarder asks of the sockets around it.
pub trait Sockets {
    /// Sends a packet of the link on a face. It may be dropped.
    fn send(&mut self, face: FaceId, packet: &[u8]);

    /// Begins to open a face to `remote`. Its end is told by [`Forwarder::opened`] with the same ticket.
    fn open(&mut self, ticket: u64, remote: &Remote, rates: Option<LinkRates>);

    /// The face is gone.
    fn close(&mut self, face: FaceId);

    /// Octets sent on a face that its socket has not taken yet.
    fn queued(&self, face: FaceId) -> usize;

    /// Packets of this face that its socket has not taken so far.
    fn refused(&self, _face: FaceId) -> u64 {
        0
    }

    /// Something has happened that an operator may want to know.
    fn tell(&mut self, _event: &Event<'_>) {}
}

/// A forwarder. The caller passes packets of the link to [`receive`](Forwarder::receive), calls [`poll`](Forwarder::poll) at
/// [`due`](Forwarder::due), and sends on its sockets as it is told.
pub struct Forwarder {
    state: State,
    spare: Spare<PacketName>,
    scratch: Scratch,
    nonces: Random,
    labels: Random,
    used_labels: BTreeMap<FaceId, u16>,
    next_id: u64,
    management: FaceId,
    mircc: Mircc,
    upkeep: Time,
    /// Faces whose datagrams wait for their turn, and when the first of them is due.
    paced: Vec<FaceId>,
    paced_due: Time,
}

/// Why a face was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are {0} faces, which is the limit: raise faces in [tables]")]
pub struct TooManyFaces(pub usize);

impl Forwarder {
    /// A forwarder without faces to the outside. It starts at `now`, `wall_ms` milliseconds after 1970. Its random choices depend on `seed`.
    pub fn new(config: &Config, now: Time, wall_ms: u64, seed: u64) -> Forwarder {
        let tables = config.tables.clone();
        let knows_rates = config.face.iter().any(|face| face.link_rate.or(face.rate).is_some());
        let default = if knows_rates { "weighted" } else { "best-route" };
        let strategy = config.mircc.strategy.clone().map_or_else(|| default.parse().expect("a strategy of the registry"), |text| text.0);
        let mut node = Node::new(NodeConfig {
            id: Random::stream(seed, "node").bits(),
            seed,
            strategy: strategy.clone(),
            cache: CacheLimits { bytes: tables.content_store_size.0, ..CacheLimits::packets(tables.content_store) },
            pit_limit: tables.pending,
            pit_per_face: tables.pending_per_face,
            longest_lifetime: Span::from_secs(60),
            dead_nonces: true,
            ..NodeConfig::default()
        });
        let management = node.add_face(now, &FaceConfig::APPLICATION);
        for prefix in ["/localhost/nfd", "/localhop/nfd"] {
            let name: narrows_ndn::Name = prefix.parse().expect("a name");
            node.route(PacketName::new(name.as_ref()), vec![management]);
        }
        Forwarder {
            state: State::new(node, Memory::new(now, wall_ms, strategy.entry().name), tables),
            spare: Spare::default(),
            scratch: Scratch::default(),
            nonces: Random::stream(seed, "nonces"),
            labels: Random::stream(seed, "labels"),
            used_labels: BTreeMap::new(),
            next_id: numbers::FIRST,
            management,
            mircc: config.mircc.clone(),
            upkeep: now + UPKEEP,
            paced: Vec::new(),
            paced_due: Time::NEVER,
        }
    }

    /// Adds a face.
    ///
    /// # Errors
    /// There are as many faces as the configuration allows.
    pub fn add_face(&mut self, now: Time, setup: FaceSetup, sockets: &mut impl Sockets) -> Result<FaceId, TooManyFaces> {
        if self.state.ids.len() >= self.state.tables.faces {
            return Err(TooManyFaces(self.state.ids.len()));
        }
        let id = self.next_id;
        self.next_id += 1;
        let mut face = Face::new(now, id, setup);
        let (inward, out) = face.capacities();
        face.set_pace(now);
        let Neighbour { rates, nacks } = face.neighbour(now);
        let config = FaceConfig {
            capacity_in: inward,
            capacity_out: out,
            measured: face.setup.rates.is_some_and(|rates| rates.measured),
            label: self.free_label(),
            law: Some(self.mircc.law.0.clone()),
            shaper: self.mircc.shaper.then(|| ShaperConfig { limit: self.mircc.shaper_queue, ..ShaperConfig::default() }),
            rates,
            application: matches!(face.setup.remote, FaceUri::Fd(_)),
            local: face.setup.is_local,
            nacks,
            proxy: Some(ProxyConfig::default()),
            police: face.setup.police,
        };
        face.speaks = config.rates;
        face.slot = self.state.node.add_face(now, &config);
        let slot = face.slot;
        self.used_labels.insert(slot, config.label);
        let (remote, local) = (face.setup.remote.to_string(), face.setup.local.to_string());
        sockets.tell(&Event::FaceCreated { face: id, remote: &remote, local: &local });
        self.state.insert(face);
        self.announce(now, slot, FaceEventKind::Created, sockets);
        Ok(slot)
    }

    /// Removes a face, with its routes and what waits for it.
    pub fn remove_face(&mut self, now: Time, slot: FaceId, sockets: &mut impl Sockets) {
        self.announce(now, slot, FaceEventKind::Destroyed, sockets);
        let Some(face) = self.state.remove(slot) else { return };
        let (remote, traffic) = (face.setup.remote.to_string(), face.traffic);
        let (malformed, dropped) = (traffic.malformed, traffic.dropped + sockets.refused(slot));
        sockets.tell(&Event::FaceRemoved {
            face: face.id,
            remote: &remote,
            octets_in: traffic.octets_in,
            octets_out: traffic.octets_out,
            malformed,
            dropped,
        });
        self.state.rib.remove_face(face.id);
        self.state.update_fib();
        self.state.node.remove_face(now, slot);
        self.used_labels.remove(&slot);
        sockets.close(slot);
        self.drain(now, None, sockets);
    }

    /// The face to this neighbour.
    pub fn face_to(&self, remote: &FaceUri) -> Option<FaceId> {
        self.state.faces().find(|face| face.setup.remote == *remote).map(|face| face.slot)
    }

    /// The share of a face's link that headers below NDN leave for packets, by the mean size of Data that has come; 1 without a face.
    pub fn share_of_packets(&self, slot: FaceId) -> f64 {
        self.state.face(slot).map_or(1.0, Face::share_of_packets)
    }

    /// Its node, with the state of each face.
    pub fn node(&self) -> &Node<PacketName> {
        &self.state.node
    }

    /// Addresses at which faces come in, as the management tells them.
    pub fn set_channels(&mut self, local_uris: Vec<String>) {
        self.state.memory.channels = local_uris;
    }

    /// These addresses.
    pub(crate) fn channels(&self) -> &[String] {
        &self.state.memory.channels
    }

    /// Adds a route of an operator over a face.
    pub fn add_route(&mut self, prefix: &narrows_ndn::Name, slot: FaceId, cost: u64) {
        let Some(face) = self.state.face(slot).map(|face| face.id) else { return };
        let route = Route { face, origin: STATIC, cost, child_inherit: true, capture: false, expires: None };
        self.state.rib.register(PacketName::new(prefix.as_ref()), route);
        self.state.update_fib();
    }

    /// One packet of the link arrives on a face: a datagram with this ECN field, or a part of a stream.
    pub fn receive(&mut self, now: Time, slot: FaceId, ecn: Ecn, octets: &[u8], sockets: &mut impl Sockets) {
        let nonce = self.nonces.bits() as u32;
        let Some(face) = self.state.face_mut(slot) else { return };
        face.traffic.octets_in += octets.len() as u64;
        face.latest = now;
        face.egress.heard(now);
        self.paced_due = self.paced_due.min(face.egress.due());
        let id = face.id;
        let received = face.link.receive(now, ecn, octets, nonce, &mut self.spare);
        let speaks = face.link.speaks_mircc(now);
        let changed = (speaks != face.speaks).then(|| face.neighbour(now));
        face.speaks = speaks;
        let mut packet = match received {
            Ok(Received::Packet(packet)) => packet,
            Ok(Received::Nothing) => {
                // A hello shows MIRCC too.
                if let Some(neighbour) = changed {
                    self.state.node.set_neighbour(slot, neighbour);
                }
                return;
            }
            Err(_) => {
                face.traffic.malformed += 1;
                return;
            }
        };
        match &mut packet {
            Packet::Data(data) => face.on_data(data.size.get() as usize),
            Packet::Interest(interest) => {
                if let Hint::Face(named) = interest.steer.hint {
                    // A number that no face has leads nowhere.
                    let place = self.state.ids.get(&u64::from(named.0)).copied();
                    interest.steer.hint = Hint::Face(place.unwrap_or(FaceId(u32::MAX)));
                }
            }
            Packet::Nack(_) => {}
        }
        if let Some(neighbour) = changed {
            self.state.node.set_neighbour(slot, neighbour);
        }
        self.state.node.handle(now, slot, packet, &mut self.spare);
        self.drain(now, Some(id), sockets);
    }

    /// When to call [`poll`](Forwarder::poll).
    pub fn due(&self) -> Time {
        let others = self.state.rib.due().into_iter().chain(self.state.memory.stored.due());
        others.fold(self.upkeep.min(self.paced_due).min(self.state.node.due().unwrap_or(Time::NEVER)), Time::min)
    }

    /// Handles every timer that is due at `now`.
    pub fn poll(&mut self, now: Time, sockets: &mut impl Sockets) {
        self.state.node.poll(now);
        self.drain(now, None, sockets);
        if self.paced_due <= now {
            self.release_datagrams(now, sockets);
        }
        if self.state.rib.due().is_some_and(|due| due <= now) {
            self.state.rib.expire(now);
            self.state.update_fib();
        }
        self.state.memory.stored.expire(now);
        if self.upkeep <= now {
            self.upkeep = now + UPKEEP;
            self.look_after_faces(now, sockets);
        }
    }

    /// Ends faces that are idle, and follows what depends on the size of packets and on neighbours that have fallen silent.
    fn look_after_faces(&mut self, now: Time, sockets: &mut impl Sockets) {
        let slots: Vec<FaceId> = self.state.ids.values().copied().collect();
        for slot in slots {
            let seen = seen(&self.state.node, slot);
            let Some(face) = self.state.face_mut(slot) else { continue };
            if face.setup.rates.is_some() {
                face.suspicion.look(now, &seen);
            }
            face.traffic.refused = sockets.refused(slot);
            if face.ends().is_some_and(|end| end <= now) {
                self.remove_face(now, slot, sockets);
                continue;
            }
            let speaks = face.link.speaks_mircc(now);
            let changed = std::mem::replace(&mut face.speaks, speaks) != speaks;
            let is_down = face.is_down(now);
            let changes_state = std::mem::replace(&mut face.told_down, is_down) != is_down;
            face.set_pace(now);
            if let Some(hello) = face.link.hello(now).filter(|_| !face.is_broken) {
                face.traffic.octets_out += hello.len() as u64;
                sockets.send(slot, hello);
            }
            let (neighbour, known, (inward, out)) = (face.neighbour(now), face.setup.rates.is_some(), face.capacities());
            if changed {
                self.state.node.set_neighbour(slot, neighbour);
            }
            if known {
                // Nobody answers on a link that is down: its law grants the least.
                let inward = if is_down { Some(Rate::ZERO) } else { inward };
                self.state.node.set_capacity(now, slot, inward, out);
            }
            if changes_state {
                self.announce(now, slot, if is_down { FaceEventKind::Down } else { FaceEventKind::Up }, sockets);
            }
        }
        self.drain(now, None, sockets);
    }

    /// A face that [`Sockets::open`] was asked for is open, or was there already, or could not be opened: the error says why.
    pub fn opened(&mut self, now: Time, ticket: u64, face: Result<Opened, String>, sockets: &mut impl Sockets) {
        let reply = match face {
            Ok(Opened::Found(slot)) => management::faces::found(&mut self.state, ticket, slot),
            Ok(Opened::New(slot)) => management::faces::opened(&mut self.state, ticket, Ok(slot)),
            Err(error) => management::faces::opened(&mut self.state, ticket, Err(error)),
        };
        self.send_reply(now, reply, sockets);
    }

    /// Sends what the node has to send, and answers what is for the management. `incoming` is the number of the face on which the packet came
    /// that is being handled.
    fn drain(&mut self, now: Time, incoming: Option<u64>, sockets: &mut impl Sockets) {
        while let Some((slot, mut packet)) = self.state.node.action() {
            if slot == self.management {
                self.manage(now, incoming, &packet, sockets);
            } else if let Some(face) = self.state.face_mut(slot) {
                let waited = face.egress.octets() > 0;
                let (from, queued) = (incoming.unwrap_or(numbers::CONTENT_STORE), sockets.queued(slot));
                departure::send(face, now, &mut packet, from, &mut self.scratch, queued, |octets| sockets.send(slot, octets));
                if !waited && face.egress.octets() > 0 {
                    self.paced_due = self.paced_due.min(face.egress.due());
                    self.paced.push(slot);
                }
            }
            self.spare.give(packet);
        }
    }

    /// Sends the datagrams whose turn it is.
    fn release_datagrams(&mut self, now: Time, sockets: &mut impl Sockets) {
        self.paced_due = Time::NEVER;
        let (state, first) = (&mut self.state, &mut self.paced_due);
        self.paced.retain(|slot| {
            let Some(face) = state.face_mut(*slot) else { return false };
            while let Some(datagram) = face.egress.take(now) {
                sockets.send(*slot, &datagram);
            }
            *first = (*first).min(face.egress.due());
            face.egress.octets() > 0
        });
    }

    /// The neighbour of a face that is connected again when its stream has ended: a permanent one over TCP.
    pub fn reconnects(&self, slot: FaceId) -> Option<SocketAddr> {
        let setup = &self.state.face(slot)?.setup;
        match setup.remote {
            FaceUri::Tcp(peer) if setup.persistency == FacePersistency::Permanent => Some(peer),
            _ => None,
        }
    }

    /// The stream of a face has ended, and the face stays; or it has a new one.
    pub fn set_broken(&mut self, now: Time, slot: FaceId, is_broken: bool, sockets: &mut impl Sockets) {
        let Some(face) = self.state.face_mut(slot) else { return };
        face.is_broken = is_broken;
        if !is_broken {
            face.link.restart();
            face.latest = now;
        }
        self.look_after_faces(now, sockets);
    }

    /// Answers a packet for the management.
    fn manage(&mut self, now: Time, incoming: Option<u64>, packet: &Packet<PacketName>, sockets: &mut impl Sockets) {
        let Packet::Interest(interest) = packet else { return };
        let (reply, effect) = management::answer(&mut self.state, now, incoming, interest);
        self.send_reply(now, reply, sockets);
        match effect {
            Some(Effect::Open { ticket, remote, rates }) => sockets.open(ticket, &remote, rates),
            Some(Effect::Close(slot)) => self.remove_face(now, slot, sockets),
            None => {}
        }
    }

    /// Passes Data of the management to the node.
    fn send_reply(&mut self, now: Time, reply: Reply, sockets: &mut impl Sockets) {
        for data in reply {
            event::of_answer(&data, |event| sockets.tell(event));
            self.state.node.handle(now, self.management, Packet::from(data), &mut self.spare);
        }
        self.drain(now, Some(numbers::MANAGEMENT), sockets);
    }

    /// Tells of a change of a face those who follow the stream of events.
    fn announce(&mut self, now: Time, slot: FaceId, kind: FaceEventKind, sockets: &mut impl Sockets) {
        let reply = management::events::announce(&mut self.state, now, slot, kind);
        self.send_reply(now, reply, sockets);
    }

    /// A label that no face has. Those of an earlier run mean nothing, since they begin anywhere.
    fn free_label(&mut self) -> u16 {
        loop {
            let label = 1 + self.labels.below(4095) as u16;
            if self.used_labels.len() >= 4095 || !self.used_labels.values().any(|used| *used == label) {
                return label;
            }
        }
    }
}

/// A face as it shows whether the path behind it is slower than its rate.
fn seen(node: &Node<PacketName>, slot: FaceId) -> Seen {
    let face = node.face(slot);
    let counters = face.counters;
    Seen {
        sent: counters.interests_out,
        answered: counters.data_in + counters.nacks_in,
        waiting: face.waiting,
        round_trip: face.round_trip,
    }
}

/// How a face was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It is new.
    New(FaceId),
    /// There was one to this neighbour.
    Found(FaceId),
}

/// The origin of routes that an operator sets.
const STATIC: u64 = 255;
