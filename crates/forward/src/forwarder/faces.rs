//! Creation, removal and upkeep of faces.

use super::{Forwarder, Sockets};
use crate::event::Event;
use crate::face::{Face, FaceSetup, LEAST_MTU, Losses};
use crate::face_uri::FaceUri;
use crate::management;
use crate::name::PacketName;
use crate::shard::NewFace;
use crate::sharding::FIRST;
use narrows_icn::{FaceConfig, FaceCounts, FaceId, Neighbour, Node, ProxyConfig, ShaperConfig};
use narrows_ndn::management::{FaceEventKind, FacePersistency};
use narrows_units::{Rate, Span, Time};
use std::net::SocketAddr;

/// Reason why a face was not made: the table of faces is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are {0} faces, which is the limit: raise faces in [tables]")]
pub struct TooManyFaces(pub usize);

/// Share of the table of faces, one in 8, that is reserved for applications on this host and for
/// configured faces. Faces that neighbours on other hosts create leave it free.
const RESERVE: usize = 8;
/// Idle times after which a UDP face may be evicted while faces are refused. The short time is for
/// neighbours whose packets all arrived within a second, as from forged addresses. The long time is
/// for all others. Our choice.
const IDLE_UNPROVEN: Span = Span::from_secs(1);
const IDLE_PROVEN: Span = Span::from_secs(30);
/// Share of all faces, one in 16, that may be evicted at once, because each eviction takes time.
const AT_ONCE: usize = 16;

/// Result of opening a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// The face is new.
    New(FaceId),
    /// A face to this neighbour existed.
    Found(FaceId),
}

impl Forwarder {
    /// Adds a face. The first thread reads and writes its socket.
    ///
    /// # Errors
    /// There are as many faces as the configuration allows.
    pub fn add_face(
        &mut self,
        now: Time,
        setup: FaceSetup,
        sockets: &mut impl Sockets,
    ) -> Result<FaceId, TooManyFaces> {
        self.add_face_at(now, setup, FIRST, sockets)
    }

    /// Adds a face whose socket `thread` reads and writes. Thread 0 is the first one.
    ///
    /// # Errors
    /// There are as many faces as the configuration allows.
    pub fn add_face_at(
        &mut self,
        now: Time,
        setup: FaceSetup,
        thread: usize,
        sockets: &mut impl Sockets,
    ) -> Result<FaceId, TooManyFaces> {
        let is_guest = !setup.is_local && setup.persistency == FacePersistency::OnDemand;
        if !self.has_room(is_guest) {
            return Err(TooManyFaces(self.state.ids.len()));
        }
        let id = self.next_id;
        self.next_id += 1;
        let mut face = Face::new(now, id, setup);
        face.is_guest = is_guest;
        let (inward, out) = face.capacities();
        face.set_pace(now);
        let Neighbour { rates, nacks } = face.neighbour(now);
        let config = FaceConfig {
            capacity_in: inward,
            capacity_out: out,
            measured: face.setup.rates.is_some_and(|rates| rates.measured),
            label: self.free_label(),
            law: Some(self.mircc.law.0.clone()),
            shaper: self.mircc.shaper.then(|| ShaperConfig {
                limit: self.mircc.shaper_queue,
                ..ShaperConfig::default()
            }),
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
        self.label_uses[usize::from(config.label)] += 1;
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

    /// True if another face may be made. `is_guest` is true for a face that a neighbour on another
    /// host creates. Otherwise counts the refusal; idle faces are evicted soon.
    fn has_room(&mut self, is_guest: bool) -> bool {
        let most = self.state.tables.faces;
        let room = self.state.ids.len() < most
            && !(is_guest && self.state.guests >= most - most / RESERVE);
        if !room {
            self.count_refused_face();
        }
        room
    }

    /// True if a packet from this peer may create a face. Otherwise counts the refusal.
    pub(crate) fn has_room_for(&mut self, peer: &SocketAddr) -> bool {
        self.has_room(!peer.ip().is_loopback())
    }

    /// Counts a face that could not be made because the table or the descriptors were used up.
    pub(crate) fn count_refused_face(&mut self) {
        self.state.faces_refused += 1;
        self.state.needs_eviction = true;
    }

    /// Removes idle faces that UDP packets have created, the longest idle first.
    fn make_room(&mut self, now: Time, sockets: &mut impl Sockets) {
        let mut idle: Vec<(bool, Time, FaceId)> = self
            .state
            .faces()
            .filter_map(|face| {
                let gives_way =
                    face.setup.ends_idle && face.setup.persistency == FacePersistency::OnDemand;
                let proven = face.latest.since(face.made) >= IDLE_UNPROVEN;
                let patience = if proven { IDLE_PROVEN } else { IDLE_UNPROVEN };
                (gives_way && now.since(face.latest) >= patience).then_some((
                    proven,
                    face.latest,
                    face.slot,
                ))
            })
            .collect();
        idle.sort_unstable();
        for (_, _, slot) in idle.into_iter().take((self.state.tables.faces / AT_ONCE).max(1)) {
            self.state.faces_evicted += 1;
            self.remove_face(now, slot, sockets);
        }
    }

    /// Removes a face, its routes and its queued packets.
    pub fn remove_face(&mut self, now: Time, slot: FaceId, sockets: &mut impl Sockets) {
        self.announce(now, slot, FaceEventKind::Destroyed, sockets);
        let Some(traffic) = self.state.face(slot).map(|face| self.state.traffic_of(face)) else {
            return;
        };
        let Some(face) = self.state.remove(slot) else { return };
        let face = self.forget(face);
        let remote = face.setup.remote.to_string();
        let (malformed, dropped) = (traffic.malformed, traffic.dropped + sockets.refused(slot));
        self.state.past_dropped += dropped;
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
        if let Some(label) = self.used_labels.remove(&slot) {
            self.label_uses[usize::from(label)] -= 1;
        }
        sockets.close(slot);
        self.drain(now, None, sockets);
    }

    /// Releases the memory for datagrams and fragments of a removed face.
    pub(super) fn forget(&mut self, mut face: Face) -> Face {
        face.link.restart(&mut self.pieces);
        self.pacing.release(face.egress.held());
        face
    }

    /// Finds the face to this neighbour.
    pub fn face_to(&self, remote: &FaceUri) -> Option<FaceId> {
        self.state.faces().find(|face| face.setup.remote == *remote).map(|face| face.slot)
    }

    /// Share of a face's link that headers below NDN leave for packets, by the mean size of the
    /// Data received. 1 if there is no face.
    pub fn share_of_packets(&self, slot: FaceId) -> f64 {
        self.state.face(slot).map_or(1.0, Face::share_of_packets)
    }

    /// Reports the result of [`Sockets::open`]: the face is open, or it existed already, or it
    /// could not be opened for the reason in the error.
    pub fn opened(
        &mut self,
        now: Time,
        ticket: u64,
        face: Result<Opened, String>,
        sockets: &mut impl Sockets,
    ) {
        let reply = match face {
            Ok(Opened::Found(slot)) => management::faces::found(&mut self.state, ticket, slot),
            Ok(Opened::New(slot)) => management::faces::opened(&mut self.state, ticket, Ok(slot)),
            Err(error) => management::faces::opened(&mut self.state, ticket, Err(error)),
        };
        self.send_reply(now, reply, sockets);
    }

    /// Ends idle faces, and updates what depends on the size of packets and on silent neighbours.
    pub(super) fn maintain_faces(&mut self, now: Time, sockets: &mut impl Sockets) {
        if std::mem::take(&mut self.state.needs_eviction) {
            self.make_room(now, sockets);
        }
        self.state.uses = [self.pieces.into(), self.pacing.into(), sockets.queues().into()];
        let slots: Vec<FaceId> = self.state.ids.values().copied().collect();
        for slot in slots {
            if !self.owns(slot) {
                continue;
            }
            let seen = seen(&self.state.node, slot);
            let Some(face) = self.state.face_mut(slot) else { continue };
            face.link.expire(now, &mut self.pieces);
            if face.setup.rates.is_some() {
                face.suspicion.look(now, &seen);
            }
            face.traffic.refused = sockets.refused(slot);
            if let Some(Losses { unsent, malformed, long_names }) =
                face.told.news(now, &face.traffic)
            {
                let (remote, problem) = (
                    face.setup.remote.to_string(),
                    sockets.problem(slot).filter(|_| face.traffic.refused > 0),
                );
                let problem = problem.as_deref();
                sockets.tell(&Event::FaceLosses {
                    face: face.id,
                    remote: &remote,
                    unsent,
                    problem,
                    malformed,
                    long_names,
                });
            }
            if let Some(largest) = sockets
                .largest(slot)
                .filter(|largest| face.setup.follows_path && *largest < face.link.mtu)
            {
                // The kernel may report a path MTU that is far too low. A packet still needs room
                // for its headers.
                face.link.mtu = largest.max(LEAST_MTU);
                sockets.tell(&Event::FaceMtu {
                    face: face.id,
                    remote: &face.setup.remote.to_string(),
                    mtu: face.link.mtu,
                });
            }
            if face.ends().is_some_and(|end| end <= now) {
                self.remove_face(now, slot, sockets);
                continue;
            }
            let speaks = face.link.speaks_mircc(now);
            let changed = std::mem::replace(&mut face.speaks, speaks) != speaks;
            let is_down = face.is_down(now);
            let changes_state = std::mem::replace(&mut face.reported_down, is_down) != is_down;
            face.set_pace(now);
            if let Some(hello) = face.link.hello(now).filter(|_| !face.is_broken) {
                face.traffic.octets_out += hello.len() as u64;
                sockets.send(slot, hello);
            }
            let (neighbour, known, (inward, out)) =
                (face.neighbour(now), face.setup.rates.is_some(), face.capacities());
            if changed {
                self.set_neighbour(slot, neighbour);
            }
            if known {
                // Nobody answers on a link that is down, so its law grants the lowest rate.
                let inward = if is_down { Some(Rate::ZERO) } else { inward };
                self.state.node.set_capacity(now, slot, inward, out);
            }
            if changes_state {
                self.announce(
                    now,
                    slot,
                    if is_down { FaceEventKind::Down } else { FaceEventKind::Up },
                    sockets,
                );
            }
        }
        self.drain(now, None, sockets);
    }

    /// The neighbour of a face that reconnects when its stream ends: a permanent face over TCP
    /// whose socket belongs to the first thread. `None` for other faces.
    pub fn reconnects(&self, slot: FaceId) -> Option<SocketAddr> {
        let setup = &self.state.face(slot)?.setup;
        match setup.remote {
            FaceUri::Tcp(peer)
                if setup.persistency == FacePersistency::Permanent && self.owns(slot) =>
            {
                Some(peer)
            }
            _ => None,
        }
    }

    /// Notes that the stream of a face has ended while the face stays, or that the face has a new
    /// stream.
    pub fn set_broken(
        &mut self,
        now: Time,
        slot: FaceId,
        is_broken: bool,
        sockets: &mut impl Sockets,
    ) {
        let Some(face) = self.state.face_mut(slot) else { return };
        face.is_broken = is_broken;
        if !is_broken {
            face.link.restart(&mut self.pieces);
            face.latest = now;
        }
        self.maintain_faces(now, sockets);
    }

    /// A label that no face has. Labels of an earlier run have no meaning, since each run begins at
    /// a random label.
    fn free_label(&mut self) -> u16 {
        loop {
            let label = 1 + self.labels.below(4095) as u16;
            if self.used_labels.len() >= 4095 || self.label_uses[usize::from(label)] == 0 {
                return label;
            }
        }
    }
}

/// Signs on a face of a path behind it that is slower than the rate of the face.
fn seen(node: &Node<PacketName>, slot: FaceId) -> FaceCounts {
    let face = node.face(slot);
    let counters = face.counters;
    FaceCounts {
        sent: counters.interests_out,
        answered: counters.data_in + counters.nacks_in,
        waiting: face.waiting,
        round_trip: face.round_trip,
    }
}
