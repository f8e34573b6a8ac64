//! The forwarder: takes packets from faces and says which to send where.
//!
//! Sources: the NDN Packet Format Specification 0.3 and the NFD Developer's Guide (tables, order of work, refusals); RFC 9531 (path labels); Wang et al., ACM ICN 2013 (the
//! shaper of Interests); Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, MIRCC (rates in Data, classes, paths). Where the last two are silent the modules say what is ours.
//!
//! Not as in NFD: whether an Interest is a retransmission is told by the face it comes from, and it is passed on at once; there is no list of dead nonces, the hop limit ends
//! what loops past an entry of the table; a refusal goes back as soon as nobody else was asked, without a try of other next hops.

mod cache;
mod config;
mod counters;
mod face;
mod fib;
mod gauge;
mod meter;
mod pit;
mod poll;
mod ports;
mod receive;
mod shaper;
mod steering;
mod strategy;

pub use config::NodeConfig;
pub use counters::{FaceCounters, NodeCounters};
pub use face::{FaceConfig, FaceId, FaceState};
pub use fib::NextHop;
pub use shaper::ShaperConfig;
pub use strategy::{Hops, STRATEGIES, Strategy, StrategyChoice, StrategyEntry};

use crate::{Name, Packet, Reason, Route};
use cache::Cache;
use face::Face;
use fib::Fib;
use narrows_units::{Random, Rate, Time};
use narrows_wire::Rates;
use pit::{EntryId, OutRecord, Pit};
use ports::Ports;
use steering::Steering;
use strategy::AnyStrategy;

/// A forwarder. It knows no clock and no sockets: packets go in by [`handle`](Node::handle), time by [`poll`](Node::poll) when it is [`due`](Node::due), and after either
/// [`action`](Node::action) hands out what is to be sent.
#[derive(Clone)]
pub struct Node<N: Name> {
    ports: Ports<N>,
    fib: Fib<N>,
    pit: Pit<N>,
    cache: Cache<N>,
    steering: Steering,
    pit_per_face: usize,
    shaped_capacity: bool,
    phases: Random,
    counters: NodeCounters,
    /// What Data answers, and the faces it goes to; empty between calls.
    answered: Vec<EntryId>,
    served: Vec<FaceId>,
}

impl<N: Name> Node<N> {
    /// Without faces and routes.
    pub fn new(config: NodeConfig) -> Node<N> {
        let NodeConfig { id, seed, form, strategy, cache, pit_per_face, shaped_capacity } = config;
        let discovery = Random::stream(seed, &format!("icn node {id}: discovery"));
        Node {
            ports: Ports::new(),
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
        self.ports.add(face)
    }

    /// The link of a face carries so much from `now` on. A face that was added without a capacity towards the node has no law, and gets none.
    pub fn set_capacity(&mut self, now: Time, face: FaceId, inward: Option<Rate>, out: Option<Rate>) {
        self.poll(now);
        let changed = self.ports.face_mut(face);
        changed.set_capacity(now, inward, out);
        self.fib.weigh(face, changed.weight());
        self.ports.arm(face);
    }

    /// Interests for names under `prefix` may leave by these faces, in the order of preference. What was said of this prefix before is forgotten.
    pub fn route(&mut self, prefix: N, next_hops: Vec<FaceId>) {
        let hop = |face: FaceId| NextHop { face, weight: self.ports.face(face).weight() };
        self.fib.insert(prefix, next_hops.into_iter().map(hop).collect());
    }

    /// Forgets the route of `prefix`; false if there is none.
    pub fn unroute(&mut self, prefix: &N) -> bool {
        self.fib.remove(prefix)
    }

    /// When [`poll`](Node::poll) wants to be called; `None` if there is nothing to wait for.
    pub fn due(&self) -> Option<Time> {
        let due = self.pit.due().unwrap_or(Time::NEVER).min(self.ports.due());
        (due < Time::NEVER).then_some(due)
    }

    /// The next packet to send, in order.
    pub fn action(&mut self) -> Option<(FaceId, Packet<N>)> {
        self.ports.action()
    }

    /// What it has counted.
    pub fn counters(&self) -> &NodeCounters {
        &self.counters
    }

    /// A face as it is now.
    pub fn face(&self, face: FaceId) -> FaceState<'_> {
        self.ports.face(face).state()
    }

    /// Entries of the table of pending Interests. One that has expired is counted for up to 17 ms more.
    pub fn pending(&self) -> usize {
        self.pit.len()
    }

    /// The rates and the route of what came in on `from`, with those of its link.
    fn stamped(&mut self, from: FaceId, rates: Rates, route: Route, asked: Option<OutRecord>) -> (Rates, Route) {
        let face = self.ports.face(from);
        let (rates, mut route) = if face.rates { (rates, route) } else { (Rates::UNLIMITED, Route::default()) };
        if face.application {
            route = Route::default();
        } else {
            self.steering.extend(&mut route, from, face.label, asked.as_ref());
        }
        (rates.min(face.stamp()), route)
    }
}

/// What is said with an Interest that goes back.
struct Refusal {
    reason: Reason,
    rates: Rates,
    route: Route,
}
