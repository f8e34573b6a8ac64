//! Information-centric networking: a sans-IO forwarder, consumers and producers, which both the
//! simulator and a daemon run.
//!
//! Forwarders route Interests by name to producers, and Data returns on the reverse path. Links
//! stamp rates into Data: see [`narrows_path::RateLaw`] (MIRCC, RCP).

mod consumer;
mod face_id;
mod interned;
mod name;
mod node;
mod pacer;
mod packet;
mod producer;
mod route;
mod spare;

pub use consumer::{
    AnyConsumer, ByClass, CONSUMERS, ConsumerChoice, ConsumerCounters, ConsumerEntry,
    ConsumerError, ConsumerSetup, Method, Nacks, OFFERS, Subflow,
};
pub use face_id::FaceId;
pub use interned::{Interned, InternedContent};
pub use name::{Content, Name, Scope};
pub use node::{
    Budget, CAPACITY_GUESS, CacheLimits, FaceConfig, FaceCounters, FaceCounts, FaceState, Hops,
    Nacking, Neighbour, NextHop, Node, NodeConfig, NodeCounters, ProxyConfig, STRATEGIES,
    ShaperConfig, ShaperForm, Strategy, StrategyChoice, StrategyEntry, Suspicion,
};
pub use packet::{Class, Data, Interest, Nack, NackReason, Packet};
pub use producer::{Producer, ProducerSetup};
pub use route::{Bloom, Hint, HintForm, Route, Steer, extend};
pub use spare::Spare;
