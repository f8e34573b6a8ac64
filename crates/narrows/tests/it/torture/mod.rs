//! Random trials of the program by the hundred: mutated inputs, damaged results, random scenarios,
//! kills, races, full disks, hostile paths. `make torture` runs them all, `cargo test` one per
//! cent. measurements/reliability.md lists the classes and says what counts as a failure.

mod bombs;
mod campaign;
mod damage;
mod disk;
mod draw;
mod endless;
mod facts;
mod forwarder;
mod inputs;
mod killed;
mod links;
mod live;
mod mutate;
mod outputs;
mod overlays;
mod pairs;
mod partial;
mod producers;
mod program;
mod random;
mod remade;
mod results;
pub(crate) mod scenarios;
mod sockets;
mod stopped;
mod traces;
