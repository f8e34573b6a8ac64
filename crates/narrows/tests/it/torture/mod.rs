//! What the program is put through by the hundred: mutated inputs, damaged results, random scenarios, kills, races, full disks. `make torture`
//! runs it all, `cargo test` a hundredth of it. docs/reliability.md says what is tried and what counts as wrong.

mod campaign;
mod damage;
mod disk;
mod draw;
mod facts;
mod inputs;
mod killed;
mod live;
mod mutate;
mod overlays;
mod pairs;
mod program;
mod random;
mod remade;
mod results;
pub(crate) mod scenarios;
mod traces;
