//! The simulated world: moves virtual time and packets through controllers and paths.
//!
//! A run is a pure function of its [`Scenario`](narrows_scenario::Scenario): same scenario and seed, same [`Record`](narrows_measure::Record), on any machine.

mod agenda;
mod application;
mod carried;
mod endpoint;
mod opening;
mod packet;
mod parts;
mod probes;
mod request;
mod signals;
mod source;
mod world;

pub use signals::OFFERS;
pub use world::{Progress, SimError, run, run_observed, run_with_progress};
