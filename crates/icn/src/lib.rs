//! Information-centric networking: a forwarder, consumers and producers. Sans-IO, as everything that both a simulator and a daemon run.
//!
//! Names lead Interests to producers, Data comes back by the same way. Links rate Interests so that Data fits: see [`narrows_path::RateLaw`] for the laws (MIRCC, RCP).

mod consumer;
mod interned;
mod name;
mod node;
mod packet;
mod producer;
mod route;

pub use consumer::{
    AnyConsumer, ByClass, CONSUMERS, ConsumerChoice, ConsumerCounters, ConsumerEntry, ConsumerError, ConsumerSetup, Method, Nacks, OFFERS,
    Subflow,
};
pub use interned::{Interned, InternedContent};
pub use name::{Content, Name};
pub use node::{
    FaceConfig, FaceCounters, FaceId, FaceState, Hops, NextHop, Node, NodeConfig, NodeCounters, STRATEGIES, ShaperConfig, Strategy,
    StrategyChoice, StrategyEntry,
};
pub use packet::{Class, Data, Interest, Nack, Packet, Reason};
pub use producer::{Producer, ProducerSetup};
pub use route::{Bloom, Form, Hint, Labels, Route, Steer, extend};
