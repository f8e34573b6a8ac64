//! Information-centric networks: nodes that forward by names, consumers, producers.

mod asker;
mod build;
mod contents;
mod ideal;
mod parcel;
mod probes;
mod world;

pub(crate) use world::run;
