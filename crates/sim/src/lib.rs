//! The simulated world: moves virtual time and packets through controllers and paths.
//!
//! A run is a pure function of its [`Scenario`](narrows_scenario::Scenario): same scenario and
//! seed, same [`Record`](narrows_measure::Record), on any machine.

mod application;
mod asking;
mod carried;
mod deliver;
mod endpoint;
mod error;
mod event_loop;
mod follow;
mod guest;
mod hosts;
mod icn;
mod opening;
mod overhead;
mod packet;
mod parts;
mod probes;
mod pulse;
mod refusal;
mod request;
mod run;
mod sending;
mod signals;
mod source;
mod watch;
mod world;

pub use error::SimError;
pub use hosts::controller_seed;
pub use pulse::Progress;
pub use run::{run, run_followed, run_observed, run_until, run_with_progress};
pub use signals::OFFERS;
