//! What the program is put through by the hundred: mutated inputs, damaged results, random scenarios, kills, races, full disks, hostile
//! paths. `make torture` runs it all, `cargo test` a hundredth of it. measurements/reliability.md says what is tried and what counts as wrong.

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
