//! The forwarder without sockets and clock: faces, links, the node and its management.

mod faces;
mod managing;
mod packets;
mod sockets;
mod threads;

pub use faces::{Opened, TooManyFaces};
pub use sockets::Sockets;

use crate::config::{Config, Mircc, Tables, Text};
use crate::link::Scratch;
use crate::memory::ManagementState;
use crate::name::PacketName;
use crate::numbers;
use crate::rib::Route;
use crate::shard::Shard;
use crate::sharding::{FIRST, Sharding};
use crate::shared::Shared;
use crate::state::State;
use narrows_icn::{Budget, CacheLimits, FaceConfig, FaceId, Node, NodeConfig, Spare};
use narrows_units::{Bytes, Random, Span, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Interval of the upkeep of faces: idle faces, and rates that depend on the size of packets.
const UPKEEP: Span = Span::from_millis(100);

/// Origin of routes that an operator sets.
const STATIC: u64 = 255;

/// A forwarder. The caller passes link packets to [`receive`](Forwarder::receive), calls
/// [`poll`](Forwarder::poll) at [`due`](Forwarder::due), and implements [`Sockets`].
///
/// [`sharded`](Forwarder::sharded) makes several forwarders that run on one thread each. After each
/// of these calls, the caller takes the handovers for the other threads from
/// [`handed_over`](Forwarder::handed_over), and passes them to their [`take`](Forwarder::take).
pub struct Forwarder {
    state: State,
    /// State shared with other threads, if there are any.
    sharding: Option<Box<Sharding>>,
    /// Faces of this thread that the first thread has removed, and whose sockets are still open.
    closing: Vec<FaceId>,
    spare: Spare<PacketName>,
    scratch: Scratch,
    nonces: Random,
    labels: Random,
    used_labels: BTreeMap<FaceId, u16>,
    /// Number of faces with each of the 4096 labels.
    label_uses: Vec<u32>,
    next_id: u64,
    management: FaceId,
    mircc: Mircc,
    upkeep: Time,
    /// Budgets of fragments of incomplete packets, and of datagrams held back by pacing.
    pieces: Budget,
    pacing: Budget,
    /// Faces with datagrams held back by pacing, and the time when the first datagram is due.
    paced: Vec<FaceId>,
    paced_due: Time,
    /// Time of the latest packet for the node.
    latest: Time,
}

impl Forwarder {
    /// Makes a forwarder of one thread that has only the face of its management. It starts at
    /// `now`, which is `wall_ms` milliseconds after 1970. Its random choices depend on `seed`.
    pub fn new(config: &Config, now: Time, wall_ms: u64, seed: u64) -> Forwarder {
        Forwarder::of_thread(config, now, wall_ms, seed, None)
    }

    /// Makes a forwarder for each configured thread: the first, which has the management and to
    /// which faces are added, and the others. The forwarder starts at `now`, which is `wall_ms`
    /// milliseconds after 1970. Its random choices depend on `seed`. The first thread locks the
    /// others while it answers commands. Each other thread locks only itself.
    pub fn sharded(
        config: &Config,
        now: Time,
        wall_ms: u64,
        seed: u64,
    ) -> (Forwarder, Vec<Arc<Shared<Forwarder>>>) {
        if config.tables.threads <= 1 {
            return (Forwarder::new(config, now, wall_ms, seed), Vec::new());
        }
        let mut all = Sharding::of(config.tables.threads, seed).map(|sharding| {
            Forwarder::of_thread(config, now, wall_ms, seed, Some(Box::new(sharding)))
        });
        let mut first = all.next().expect("at least one thread");
        let others: Vec<Arc<Shared<Forwarder>>> =
            all.map(|other| Arc::new(Shared::new(other))).collect();
        first.state.others = others.iter().map(|other| other.clone() as Arc<dyn Shard>).collect();
        (first, others)
    }

    fn of_thread(
        config: &Config,
        now: Time,
        wall_ms: u64,
        seed: u64,
        sharding: Option<Box<Sharding>>,
    ) -> Forwarder {
        let (threads, own) =
            sharding.as_ref().map_or((1, FIRST), |sharding| (sharding.threads(), sharding.own()));
        let own_seed = seed.wrapping_add(own as u64);
        let mut tables = Tables { threads, ..config.tables.clone() };
        if own != FIRST {
            // Only the first thread counts routes and strategies.
            tables.names_size = Text(Bytes::ZERO);
        }
        let knows_rates = config.face.iter().any(|face| face.link_rate.or(face.rate).is_some());
        let default = if knows_rates { "weighted" } else { "best-route" };
        let strategy = config
            .mircc
            .strategy
            .clone()
            .map_or_else(|| default.parse().expect("a strategy of the registry"), |text| text.0);
        let mut node = Node::new(NodeConfig {
            id: Random::stream(seed, "node").bits(),
            seed: own_seed,
            strategy: strategy.clone(),
            cache: CacheLimits {
                bytes: tables.content_store_size.0,
                ..CacheLimits::packets(tables.content_store)
            },
            pit_limit: tables.pending.div_ceil(threads),
            pit_per_face: tables.pending_per_face,
            pit_octets: tables.part(&tables.pending_size),
            longest_lifetime: Span::from_secs(60),
            dead_nonces: true,
            ..NodeConfig::default()
        });
        let (pieces, pacing) =
            (tables.part(&tables.pieces_size).get(), tables.part(&tables.queues_size).get() / 2);
        let management = node.add_face(now, &FaceConfig::APPLICATION);
        for prefix in ["/localhost/nfd", "/localhop/nfd"] {
            let name: narrows_ndn::Name = prefix.parse().expect("a name");
            node.route(PacketName::new(name.as_ref()), vec![management]);
        }
        Forwarder {
            state: State::new(
                node,
                ManagementState::new(
                    now,
                    wall_ms,
                    strategy.entry().name,
                    if own == FIRST { tables.datasets_size.0.get() } else { 0 },
                ),
                tables,
            ),
            sharding,
            closing: Vec::new(),
            spare: Spare::default(),
            scratch: Scratch::default(),
            nonces: Random::stream(own_seed, "nonces"),
            labels: Random::stream(seed, "labels"),
            used_labels: BTreeMap::new(),
            label_uses: vec![0; 4096],
            next_id: numbers::FIRST,
            management,
            mircc: config.mircc.clone(),
            upkeep: now + UPKEEP,
            pieces: Budget::new(pieces),
            pacing: Budget::new(pacing),
            paced: Vec::new(),
            paced_due: Time::NEVER,
            latest: now,
        }
    }

    /// The node, with the state of each face.
    pub fn node(&self) -> &Node<PacketName> {
        &self.state.node
    }

    /// Sets the local addresses that the management reports as channels.
    pub fn set_channels(&mut self, local_uris: Vec<String>) {
        self.state.memory.channels = local_uris;
    }

    /// Local addresses that the management reports as channels.
    pub(crate) fn channels(&self) -> &[String] {
        &self.state.memory.channels
    }

    /// Adds a static route over a face.
    pub fn add_route(&mut self, prefix: &narrows_ndn::Name, slot: FaceId, cost: u64) {
        let Some(face) = self.state.face(slot).map(|face| face.id) else { return };
        let route = Route {
            face,
            origin: STATIC,
            cost,
            child_inherit: true,
            capture: false,
            expires: None,
        };
        self.state.rib.register(PacketName::new(prefix.as_ref()), route);
        self.state.update_fib();
    }

    /// Time of the next call of [`poll`](Forwarder::poll).
    pub fn due(&self) -> Time {
        let others = self.state.rib.due().into_iter().chain(self.state.memory.stored.due());
        others.fold(
            self.upkeep.min(self.paced_due).min(self.state.node.due().unwrap_or(Time::NEVER)),
            Time::min,
        )
    }

    /// Handles all timers that are due at `now`.
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
            self.maintain_faces(now, sockets);
        }
    }
}
