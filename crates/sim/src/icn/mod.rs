//! Information-centric networks: nodes that forward by names, consumers, producers.

mod build;
mod consumers;
mod instance;
mod nodes;
mod parcel;
mod probes;
mod sampling;
mod world;

pub(crate) use world::run;
