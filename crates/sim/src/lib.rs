//! The simulated world: moves virtual time and packets through controllers and paths.
//!
//! A run is a pure function of its [`Scenario`](narrows_scenario::Scenario): same scenario and seed, same [`Record`](narrows_measure::Record), on any machine.

mod agenda;
mod application;
mod carried;
mod endpoint;
mod error;
pub mod fluid;
mod icn;
mod opening;
mod packet;
mod parts;
mod probes;
mod pulse;
mod refusal;
mod request;
mod run;
mod signals;
mod source;
mod world;

pub use error::SimError;
pub use run::{Progress, run, run_observed, run_with_progress};
pub use signals::OFFERS;
