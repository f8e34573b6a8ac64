//! The forwarder: takes packets that arrive on faces, and returns packets to send.
//!
//! Sources: the NDN Packet Format Specification 0.3 and the NFD Developer's Guide (tables,
//! pipelines, Nacks); RFC 9531 (path labels); Wang et al., ACM ICN 2013 (the Interest shaper);
//! Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, MIRCC (rates in Data, classes, paths). Where the
//! last two are silent, the modules name our choice.
//!
//! Deviations from NFD:
//! * an Interest is a retransmission if its face already waits for the entry. From a neighbour that
//!   follows rates it is forwarded at once, from others after a time that doubles, as NFD's best
//!   route does; one that still waits in the shaper is exchanged there;
//! * best route tries another next hop only if a neighbour has no route: congestion is for the
//!   consumer to see.

mod budget;
mod cache;
mod config;
mod control;
mod counters;
mod dead_nonces;
mod estimator;
mod extensions;
mod face;
mod face_config;
mod face_table;
mod fib;
mod meter;
mod pit;
mod police;
mod policed;
mod poll;
mod prefixes;
mod proxied;
mod proxy;
mod rate_calculator;
mod receive;
mod shaper;
mod steering;
mod strategy;
mod suspicion;

pub use budget::Budget;
pub use cache::CacheLimits;
pub use config::NodeConfig;
pub use counters::{FaceCounters, NodeCounters};
pub use estimator::CAPACITY_GUESS;
pub use face::FaceState;
pub use face_config::{FaceConfig, Nacking, Neighbour, ProxyConfig};
pub use fib::NextHop;
pub use shaper::{ShaperConfig, ShaperForm};
pub use strategy::{Hops, STRATEGIES, Strategy, StrategyChoice, StrategyEntry};
pub use suspicion::{FaceCounts, Suspicion};

use crate::face_id::FaceId;
use crate::name::Name;
use crate::packet::{Data, Packet};
use crate::route::Route;
use cache::Cache;
use dead_nonces::DeadNonces;
use face::Face;
use face_table::FaceTable;
use fib::Fib;
use narrows_units::{Bytes, Random, Rate, Span, Time, TimeOrder};
use narrows_wire::Rates;
use pit::{EntryId, Pit};
use prefixes::Prefixes;
use steering::{Egress, Steering};
use strategy::AnyStrategy;

/// A forwarder without clock and sockets. The caller passes packets to [`handle`](Node::handle),
/// calls [`poll`](Node::poll) when it is [`due`](Node::due), and after either takes packets to send
/// from [`action`](Node::action).
#[derive(Clone)]
pub struct Node<N: Name> {
    faces: FaceTable<N>,
    fib: Fib<N>,
    pit: Pit<N>,
    cache: Cache<N>,
    steering: Steering,
    strategy: AnyStrategy,
    /// Strategies of prefixes.
    strategies: Prefixes<N, AnyStrategy>,
    dead: Option<DeadNonces>,
    longest_lifetime: Span,
    pit_limit: usize,
    pit_per_face: usize,
    pit_octets: Budget,
    shaped_capacity: bool,
    phases: Random,
    counters: NodeCounters,
    /// All but the first of the entries that Data answers, and the faces it is sent to; empty
    /// between calls.
    answered: Vec<EntryId>,
    served: Vec<FaceId>,
    /// Buffers for the next hops of an Interest beside the first one, and for those that it was
    /// forwarded to before.
    further: Vec<FaceId>,
    asked: Vec<FaceId>,
    /// Of packets that arrive.
    order: TimeOrder,
}

impl<N: Name> Node<N> {
    /// A node without faces and routes.
    pub fn new(config: NodeConfig) -> Node<N> {
        let NodeConfig {
            id,
            seed,
            form,
            strategy,
            cache,
            pit_limit,
            pit_per_face,
            pit_octets,
            longest_lifetime,
            dead_nonces,
            shaped_capacity,
        } = config;
        let discovery = Random::stream(seed, &format!("icn node {id}: discovery"));
        let hashing = N::Hashing::default();
        Node {
            faces: FaceTable::new(),
            fib: Fib::new(),
            pit: Pit::new(hashing.clone()),
            cache: Cache::new(cache, hashing),
            steering: Steering::new(id, form, discovery),
            strategy: AnyStrategy::new(&strategy),
            strategies: Prefixes::new(),
            dead: dead_nonces.then(DeadNonces::default),
            longest_lifetime,
            pit_limit,
            pit_per_face,
            pit_octets: Budget::new(pit_octets.get()),
            shaped_capacity,
            phases: Random::stream(seed, &format!("icn node {id}: first ticks")),
            counters: NodeCounters::default(),
            answered: Vec::new(),
            served: Vec::new(),
            further: Vec::new(),
            asked: Vec::new(),
            order: TimeOrder::default(),
        }
    }

    /// Adds a face. Its law ticks for the first time at a random part of its interval from `now`.
    pub fn add_face(&mut self, now: Time, config: &FaceConfig) -> FaceId {
        let face = Face::new(now, config, self.shaped_capacity, &mut self.phases);
        self.faces.add(face)
    }

    /// Removes a face at `now`, with the Interests that came from it, the Interests that wait in
    /// its shaper, and the next hops over it. Prefixes without a next hop stay. The next face that
    /// is added gets its number.
    pub fn remove_face(&mut self, now: Time, face: FaceId) {
        self.poll(now);
        self.fib.remove_face(face);
        let removed = self.faces.face(face);
        // Most faces that packets of nobody have made are in no entry, and looking at all entries
        // takes long.
        if removed.pending > 0 || removed.is_asked {
            self.pit_octets.release(removed.pending_octets);
            self.pit.remove_face(face);
        }
        self.steering.remove_face(face);
        self.offer_all_proxied(now, face);
        self.faces.remove(face, Face::absent());
    }

    /// Sets the capacities of a face's link from `now` on. A face added without a capacity towards
    /// the node has no law, and gets none.
    pub fn set_capacity(
        &mut self,
        now: Time,
        face: FaceId,
        inward: Option<Rate>,
        out: Option<Rate>,
    ) {
        self.poll(now);
        let changed = self.faces.face_mut(face);
        changed.set_capacity(now, inward, out);
        self.fib.set_weight(face, changed.weight());
        self.faces.arm(face);
    }

    /// Tells how much Data waits at the other end of the link of `face`. A law without a shaper
    /// takes it for the queue; a world that does not know it tells nothing, and the queue is 0.
    pub fn set_data_waiting(&mut self, face: FaceId, waiting: Bytes) {
        self.faces.face_mut(face).set_data_waiting(waiting);
    }

    /// Sets what the neighbour on `face` understands.
    pub fn set_neighbour(&mut self, face: FaceId, neighbour: Neighbour) {
        let changed = self.faces.face_mut(face);
        (changed.rates, changed.nacks) = (neighbour.rates, neighbour.nacks);
    }

    /// Sets the next hops of `prefix`, in the order of preference. They replace earlier ones.
    pub fn route(&mut self, prefix: N, next_hops: Vec<FaceId>) {
        let hop = |face: FaceId| NextHop {
            face,
            weight: self.faces.face(face).weight(),
            local: self.faces.face(face).local,
        };
        self.fib.insert(prefix, next_hops.into_iter().map(hop).collect());
    }

    /// Removes the route of `prefix`; false if it has no route.
    pub fn unroute(&mut self, prefix: &N) -> bool {
        self.fib.remove(prefix)
    }

    /// Sets the strategy of names under `prefix`.
    pub fn set_strategy(&mut self, prefix: N, strategy: &StrategyChoice) {
        self.strategies.insert(prefix, AnyStrategy::new(strategy));
    }

    /// Removes the strategy of `prefix`, so that the one of a shorter prefix holds; false if there
    /// is no strategy.
    pub fn unset_strategy(&mut self, prefix: &N) -> bool {
        self.strategies.remove(prefix)
    }

    /// Number of Data packets in the content store.
    pub fn cached(&self) -> usize {
        self.cache.len()
    }

    /// The limits of the content store.
    pub fn cache_limits(&self) -> CacheLimits {
        self.cache.limits()
    }

    /// Sets the limits of the content store. Data beyond them is removed, that used longest ago
    /// first.
    pub fn set_cache_limits(&mut self, limits: CacheLimits) {
        self.cache.set_limits(limits);
    }

    /// Removes up to `most` Data packets under `prefix` from the content store, in the order of
    /// names. Returns their number.
    pub fn erase_cached(&mut self, prefix: &N, most: usize) -> usize {
        self.cache.erase(prefix, most)
    }

    /// When to call [`poll`](Node::poll); `None` if no timer runs.
    pub fn due(&self) -> Option<Time> {
        let due = self.pit.due().unwrap_or(Time::NEVER).min(self.faces.due());
        (due < Time::NEVER).then_some(due)
    }

    /// The next packet to send, in order.
    pub fn action(&mut self) -> Option<(FaceId, Packet<N>)> {
        self.faces.action()
    }

    /// Its counters.
    pub fn counters(&self) -> &NodeCounters {
        &self.counters
    }

    /// The present state of a face.
    pub fn face(&self, face: FaceId) -> FaceState<'_> {
        self.faces.face(face).state()
    }

    /// Checks that the table of pending Interests fits together. For tests.
    ///
    /// # Panics
    ///
    /// It does not.
    pub fn check(&self) {
        self.pit.check();
    }

    /// Entries of the PIT. An entry that has expired is counted for up to 17 ms more.
    pub fn pending(&self) -> usize {
        self.pit.len()
    }

    /// Octets of pending Interests, with what the table needs for each, and their limit.
    pub fn pending_octets(&self) -> Budget {
        self.pit_octets
    }

    /// Octets of Data in the content store.
    pub fn cached_octets(&self) -> Bytes {
        self.cache.bytes()
    }

    /// Data packets that the content store has dropped for newer ones.
    pub fn evicted(&self) -> u64 {
        self.cache.evicted()
    }

    /// Entries of the PIT that Data with a longer name may answer, and whose own names have fewer
    /// than `components` components.
    pub fn pending_prefixes(&self, components: usize) -> usize {
        self.pit.prefixes(components)
    }

    /// True if a pending Interest waits for this Data.
    pub fn awaits(&self, now: Time, data: &Data<N>) -> bool {
        let mut more = Vec::new();
        self.pit.answered(now, data, self.pit.hash_of_data(&data.name), &mut more).is_some()
    }

    /// Updates the rates and the route of a packet that arrived on `from` for its link. `egress` is
    /// how the Interest left.
    fn stamp(
        &mut self,
        from: FaceId,
        rates: &mut Rates,
        route: &mut Route,
        egress: Option<Egress>,
    ) {
        let face = self.faces.face(from);
        if !face.rates {
            *rates = Rates::UNLIMITED;
        }
        if !face.rates || face.application {
            *route = Route::default();
        }
        if !face.application {
            self.steering.extend(route, from, face.label, egress);
        }
        let own = face.stamp();
        if own.primary < rates.primary {
            route.limit = self.steering.link(face.label);
        }
        // Requirement, MIRCC slide 7: "Forwarder stamps each Data msg with its interface R(t) if
        // R(t) < received_value"
        *rates = rates.min(own);
    }
}
