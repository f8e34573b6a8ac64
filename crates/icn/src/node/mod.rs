//! The forwarder: takes packets that arrive on faces, and returns packets to send.
//!
//! Sources: the NDN Packet Format Specification 0.3 and the NFD Developer's Guide (tables, pipelines, Nacks); RFC 9531 (path labels); Wang
//! et al., ACM ICN 2013 (the Interest shaper); Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, MIRCC (rates in Data, classes, paths). Where
//! the last two are silent, the modules name our choice.
//!
//! Deviations from NFD:
//! * an Interest is a retransmission if its face already waits for the entry, and is forwarded at once;
//! * there is no Dead Nonce List: the hop limit ends loops that outlive a PIT entry;
//! * a Nack is returned as soon as no other out-record is pending, without trying other next hops.

mod cache;
mod config;
mod control;
mod counters;
mod extensions;
mod face;
mod face_config;
mod face_id;
mod face_table;
mod fib;
mod meter;
mod pit;
mod poll;
mod rate_calculator;
mod receive;
mod shaper;
mod steering;
mod strategy;

pub use config::NodeConfig;
pub use counters::{FaceCounters, NodeCounters};
pub use face::FaceState;
pub use face_config::FaceConfig;
pub use face_id::FaceId;
pub use fib::NextHop;
pub use shaper::{ShaperConfig, ShaperForm};
pub use strategy::{Hops, STRATEGIES, Strategy, StrategyChoice, StrategyEntry};

use crate::name::Name;
use crate::packet::Packet;
use crate::route::Route;
use cache::Cache;
use face::Face;
use face_table::FaceTable;
use fib::Fib;
use narrows_units::{Random, Rate, Time};
use narrows_wire::Rates;
use pit::{EntryId, Pit};
use steering::{Egress, Steering};
use strategy::AnyStrategy;

/// A forwarder without clock and sockets. The caller passes packets to [`handle`](Node::handle), calls [`poll`](Node::poll) when it is
/// [`due`](Node::due), and after either takes packets to send from [`action`](Node::action).
#[derive(Clone)]
pub struct Node<N: Name> {
    faces: FaceTable<N>,
    fib: Fib<N>,
    pit: Pit<N>,
    cache: Cache<N>,
    steering: Steering,
    pit_per_face: usize,
    shaped_capacity: bool,
    phases: Random,
    counters: NodeCounters,
    /// All but the first of the entries that Data answers, and the faces it is sent to; empty between calls.
    answered: Vec<EntryId>,
    served: Vec<FaceId>,
}

impl<N: Name> Node<N> {
    /// A node without faces and routes.
    pub fn new(config: NodeConfig) -> Node<N> {
        let NodeConfig { id, seed, form, strategy, cache, pit_per_face, shaped_capacity } = config;
        let discovery = Random::stream(seed, &format!("icn node {id}: discovery"));
        Node {
            faces: FaceTable::new(),
            fib: Fib::new(),
            pit: Pit::new(),
            cache: Cache::new(cache),
            steering: Steering::new(id, form, AnyStrategy::new(&strategy), discovery),
            pit_per_face,
            shaped_capacity,
            phases: Random::stream(seed, &format!("icn node {id}: first ticks")),
            counters: NodeCounters::default(),
            answered: Vec::new(),
            served: Vec::new(),
        }
    }

    /// Adds a face. Its law ticks for the first time at a random part of its interval from `now`.
    pub fn add_face(&mut self, now: Time, config: &FaceConfig) -> FaceId {
        let face = Face::new(now, config, self.shaped_capacity, &mut self.phases);
        self.faces.add(face)
    }

    /// Sets the capacities of a face's link from `now` on. A face added without a capacity towards the node has no law, and gets none.
    pub fn set_capacity(&mut self, now: Time, face: FaceId, inward: Option<Rate>, out: Option<Rate>) {
        self.poll(now);
        let changed = self.faces.face_mut(face);
        changed.set_capacity(now, inward, out);
        self.fib.set_weight(face, changed.weight());
        self.faces.arm(face);
    }

    /// Sets the next hops of `prefix`, in the order of preference. They replace earlier ones.
    pub fn route(&mut self, prefix: N, next_hops: Vec<FaceId>) {
        let hop = |face: FaceId| NextHop { face, weight: self.faces.face(face).weight() };
        self.fib.insert(prefix, next_hops.into_iter().map(hop).collect());
    }

    /// Removes the route of `prefix`; false if there is none.
    pub fn unroute(&mut self, prefix: &N) -> bool {
        self.fib.remove(prefix)
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

    /// Entries of the PIT. An entry that has expired is counted for up to 17 ms more.
    pub fn pending(&self) -> usize {
        self.pit.len()
    }

    /// Updates the rates and the route of a packet that arrived on `from` for its link. `egress` is how the Interest left.
    fn stamp(&mut self, from: FaceId, rates: &mut Rates, route: &mut Route, egress: Option<Egress>) {
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
        *rates = rates.min(face.stamp());
    }
}
