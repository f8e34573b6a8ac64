//! Information-centric networks: nodes that forward by names, consumers, producers.

mod build;
mod contents;
mod ideal;
mod instance;
mod parcel;
mod probes;
mod world;

pub(crate) use world::run;
