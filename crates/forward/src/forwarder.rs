//! The forwarder without sockets and clock: faces, links, the node and its management.

use crate::config::{Config, Mircc, Tables};
use crate::departure;
use crate::event::{self, Event};
use crate::face::{Face, FaceSetup, FaceTraffic};
use crate::face_uri::{FaceUri, Remote};
use crate::handover::{Handover, What};
use crate::link::{Received, Scratch};
use crate::link_rates::LinkRates;
use crate::management::{self, Effect, Reply};
use crate::memory::{Memory, Settings};
use crate::name::PacketName;
use crate::numbers;
use crate::rib::Route;
use crate::shard::{NewFace, Shard, TableChange, Tally};
use crate::sharding::{COMPONENTS, FIRST, Sharding};
use crate::shared::Shared;
use crate::state::State;
use narrows_icn::{
    CacheLimits, FaceConfig, FaceCounters, FaceId, Hint, Neighbour, Node, NodeConfig, Packet, ProxyConfig, Seen, ShaperConfig, Spare,
};
use narrows_ndn::management::{FaceEventKind, FacePersistency};
use narrows_units::{Random, Rate, Span, Time};
use narrows_wire::Ecn;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

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
///
/// Several that run on a thread each are made by [`sharded`](Forwarder::sharded). After each of these calls the caller takes what one hands over to
/// the others from [`handed_over`](Forwarder::handed_over), and passes it to their [`take`](Forwarder::take).
pub struct Forwarder {
    state: State,
    /// What it knows of other threads, if there are some.
    sharding: Option<Box<Sharding>>,
    /// Faces of this thread that the first one has removed, and whose sockets are still open.
    closing: Vec<FaceId>,
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
    /// A forwarder of one thread without faces to the outside. It starts at `now`, `wall_ms` milliseconds after 1970. Its random choices depend on
    /// `seed`.
    pub fn new(config: &Config, now: Time, wall_ms: u64, seed: u64) -> Forwarder {
        Forwarder::of_thread(config, now, wall_ms, seed, None)
    }

    /// The same on as many threads as the configuration says: that of the first thread, which has the management, and to which faces are added, and
    /// those of the others. The first locks others while it answers commands; no other locks any but itself.
    pub fn sharded(config: &Config, now: Time, wall_ms: u64, seed: u64) -> (Forwarder, Vec<Arc<Shared<Forwarder>>>) {
        if config.tables.threads <= 1 {
            return (Forwarder::new(config, now, wall_ms, seed), Vec::new());
        }
        let mut all = Sharding::of(config.tables.threads, seed)
            .map(|sharding| Forwarder::of_thread(config, now, wall_ms, seed, Some(Box::new(sharding))));
        let mut first = all.next().expect("at least one thread");
        let others: Vec<Arc<Shared<Forwarder>>> = all.map(|other| Arc::new(Shared::new(other))).collect();
        first.state.others = others.iter().map(|other| other.clone() as Arc<dyn Shard>).collect();
        (first, others)
    }

    fn of_thread(config: &Config, now: Time, wall_ms: u64, seed: u64, sharding: Option<Box<Sharding>>) -> Forwarder {
        let (threads, own) = sharding.as_ref().map_or((1, FIRST), |sharding| (sharding.threads(), sharding.own()));
        let own_seed = seed.wrapping_add(own as u64);
        let tables = Tables { threads, ..config.tables.clone() };
        let knows_rates = config.face.iter().any(|face| face.link_rate.or(face.rate).is_some());
        let default = if knows_rates { "weighted" } else { "best-route" };
        let strategy = config.mircc.strategy.clone().map_or_else(|| default.parse().expect("a strategy of the registry"), |text| text.0);
        let mut node = Node::new(NodeConfig {
            id: Random::stream(seed, "node").bits(),
            seed: own_seed,
            strategy: strategy.clone(),
            cache: CacheLimits { bytes: tables.content_store_size.0, ..CacheLimits::packets(tables.content_store) },
            pit_limit: tables.pending.div_ceil(threads),
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
            sharding,
            closing: Vec::new(),
            spare: Spare::default(),
            scratch: Scratch::default(),
            nonces: Random::stream(own_seed, "nonces"),
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

    /// Adds a face, whose socket this thread reads and writes.
    ///
    /// # Errors
    /// There are as many faces as the configuration allows.
    pub fn add_face(&mut self, now: Time, setup: FaceSetup, sockets: &mut impl Sockets) -> Result<FaceId, TooManyFaces> {
        self.add_face_at(now, setup, FIRST, sockets)
    }

    /// The same, for a socket that `thread` reads and writes, counted from 0: the first one.
    ///
    /// # Errors
    /// There are as many faces as the configuration allows.
    pub fn add_face_at(&mut self, now: Time, setup: FaceSetup, thread: usize, sockets: &mut impl Sockets) -> Result<FaceId, TooManyFaces> {
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
        if let Some(sharding) = &mut self.sharding {
            sharding.insert(slot, id, thread);
            let new = NewFace { slot, id, owner: thread, setup: &face.setup, config: &config };
            self.state.others.iter().for_each(|other| other.add_face(now, &new));
        }
        let (remote, local) = (face.setup.remote.to_string(), face.setup.local.to_string());
        sockets.tell(&Event::FaceCreated { face: id, remote: &remote, local: &local });
        self.state.insert(face);
        self.announce(now, slot, FaceEventKind::Created, sockets);
        Ok(slot)
    }

    /// Removes a face, with its routes and what waits for it.
    pub fn remove_face(&mut self, now: Time, slot: FaceId, sockets: &mut impl Sockets) {
        self.announce(now, slot, FaceEventKind::Destroyed, sockets);
        let Some(traffic) = self.state.face(slot).map(|face| self.state.traffic_of(face)) else { return };
        let Some(face) = self.state.remove(slot) else { return };
        let remote = face.setup.remote.to_string();
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
        self.state.others.iter().for_each(|other| other.remove_face(now, slot));
        if let Some(sharding) = &mut self.sharding {
            sharding.remove(slot);
        }
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
                    self.set_neighbour(slot, neighbour);
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
            self.set_neighbour(slot, neighbour);
        }
        if let Some(sharding) = &mut self.sharding {
            let (thread, copied) = sharding.thread_of(&packet);
            if copied {
                sharding.outboxes[FIRST].push(Handover { slot, id, what: What::Copy(packet.clone()) });
            }
            if thread != sharding.own() {
                return sharding.outboxes[thread].push(Handover { slot, id, what: What::Came(packet) });
            }
        }
        self.handle(now, slot, id, packet, sockets);
    }

    /// Passes a packet that came on the face with this number to the node.
    fn handle(&mut self, now: Time, slot: FaceId, id: u64, packet: Packet<PacketName>, sockets: &mut impl Sockets) {
        self.state.node.handle(now, slot, packet, &mut self.spare);
        self.drain(now, Some(id), sockets);
    }

    /// The neighbour on a face of this thread understands this from now on.
    fn set_neighbour(&mut self, slot: FaceId, neighbour: Neighbour) {
        self.state.node.set_neighbour(slot, neighbour);
        if let Some(sharding) = &mut self.sharding
            && let Some(id) = sharding.id(slot)
        {
            sharding.tell_all(|| Handover { slot, id, what: What::Understands(neighbour) });
        }
    }

    /// Takes what another thread hands over.
    pub fn take(&mut self, now: Time, Handover { slot, id, what }: Handover, sockets: &mut impl Sockets) {
        let Some(sharding) = self.sharding.as_ref().filter(|sharding| sharding.id(slot) == Some(id)) else {
            // The face is gone.
            return;
        };
        match what {
            What::Came(packet) => self.handle(now, slot, id, packet, sockets),
            What::Copy(Packet::Data(data)) if self.state.node.awaits(now, &data) => {
                self.handle(now, slot, id, Packet::Data(data), sockets);
            }
            What::Copy(_) => {}
            What::Leaves(packet, from) if sharding.owns(slot) => self.depart(now, slot, from, packet, sockets),
            What::Leaves(..) => {}
            What::Understands(neighbour) => self.state.node.set_neighbour(slot, neighbour),
            What::Announce(kind) => self.announce(now, slot, kind, sockets),
        }
    }

    /// What is to be handed over to each thread, the first one first; nothing without other threads.
    pub fn handed_over(&mut self) -> &mut [Vec<Handover>] {
        self.sharding.as_mut().map_or(&mut [], |sharding| &mut sharding.outboxes)
    }

    /// So many packets for other threads were dropped, because too many waited for them.
    pub fn count_lost(&mut self, packets: u64) {
        self.state.lost += packets;
    }

    /// Faces of this thread that the first one has removed since the last call: their sockets are to be closed.
    pub(crate) fn closing(&mut self) -> Vec<FaceId> {
        std::mem::take(&mut self.closing)
    }

    /// The number of a face to the outside.
    pub(crate) fn number_of(&self, slot: FaceId) -> Option<u64> {
        self.sharding.as_ref()?.id(slot)
    }

    /// True if the socket of a face is for this thread.
    fn owns(&self, slot: FaceId) -> bool {
        self.sharding.as_ref().is_none_or(|sharding| sharding.owns(slot))
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
            if !self.owns(slot) {
                continue;
            }
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
                self.set_neighbour(slot, neighbour);
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
        if let Some(sharding) = self.sharding.as_ref().filter(|sharding| sharding.own() == FIRST) {
            // Other threads know of a wide Interest before it leaves.
            sharding.set_wide(self.state.node.pending_prefixes(COMPONENTS));
        }
        while let Some((slot, packet)) = self.state.node.action() {
            let from = incoming.unwrap_or(numbers::CONTENT_STORE);
            if slot == self.management {
                self.manage(now, incoming, &packet, sockets);
                self.spare.give(packet);
            } else if let Some(sharding) = self.sharding.as_mut().filter(|sharding| !sharding.owns(slot)) {
                if let (Some(id), Some(owner)) = (sharding.id(slot), sharding.owner(slot)) {
                    sharding.outboxes[owner].push(Handover { slot, id, what: What::Leaves(packet, from) });
                }
            } else {
                self.depart(now, slot, from, packet, sockets);
            }
        }
    }

    /// Sends a packet on a face of this thread. It came on the face with the number `from`.
    #[inline]
    fn depart(&mut self, now: Time, slot: FaceId, from: u64, mut packet: Packet<PacketName>, sockets: &mut impl Sockets) {
        if let Some(face) = self.state.face_mut(slot) {
            let waited = face.egress.octets() > 0;
            let queued = sockets.queued(slot);
            departure::send(face, now, &mut packet, from, &mut self.scratch, queued, |octets| sockets.send(slot, octets));
            if !waited && face.egress.octets() > 0 {
                self.paced_due = self.paced_due.min(face.egress.due());
                self.paced.push(slot);
            }
        }
        self.spare.give(packet);
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
    /// Its socket is that of the first thread.
    pub fn reconnects(&self, slot: FaceId) -> Option<SocketAddr> {
        let setup = &self.state.face(slot)?.setup;
        match setup.remote {
            FaceUri::Tcp(peer) if setup.persistency == FacePersistency::Permanent && self.owns(slot) => Some(peer),
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
        if let Some(sharding) = self.sharding.as_mut().filter(|sharding| sharding.own() != FIRST) {
            if let Some(id) = sharding.id(slot) {
                sharding.outboxes[FIRST].push(Handover { slot, id, what: What::Announce(kind) });
            }
            return;
        }
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

impl Shard for Shared<Forwarder> {
    fn add_face(&self, now: Time, new: &NewFace<'_>) {
        let mut forwarder = self.borrow();
        let Forwarder { state, sharding: Some(sharding), .. } = &mut *forwarder else { return };
        let slot = state.node.add_face(now, new.config);
        debug_assert_eq!(slot, new.slot, "all threads add and remove faces in the same order");
        sharding.insert(slot, new.id, new.owner);
        state.ids.insert(new.id, slot);
        if sharding.owns(slot) {
            let mut face = Face::new(now, new.id, new.setup.clone());
            face.set_pace(now);
            (face.slot, face.speaks) = (slot, new.config.rates);
            state.insert(face);
        }
    }

    fn remove_face(&self, now: Time, slot: FaceId) {
        let mut forwarder = self.borrow();
        let Forwarder { state, sharding: Some(sharding), closing, .. } = &mut *forwarder else { return };
        if sharding.owns(slot) {
            closing.push(slot);
        }
        if let Some(id) = sharding.remove(slot) {
            state.ids.remove(&id);
        }
        state.remove(slot);
        state.node.remove_face(now, slot);
    }

    fn update_face(&self, slot: FaceId, settings: &Settings) {
        management::faces::apply_here(&mut self.borrow().state, slot, settings);
    }

    fn change(&self, change: &TableChange) {
        self.borrow().state.change(change);
    }

    fn erase(&self, prefix: &PacketName, most: usize) -> usize {
        self.borrow().state.erase_cached(prefix, most)
    }

    fn tally(&self) -> Tally {
        self.borrow().state.own_tally()
    }

    fn counters(&self, slot: FaceId) -> FaceCounters {
        *self.borrow().state.node.face(slot).counters
    }

    fn traffic(&self, slot: FaceId) -> Option<FaceTraffic> {
        self.borrow().state.face(slot).map(|face| face.traffic)
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
