//! Congestion controllers: what they are told, what they decide, and a registry of them all.
//!
//! A [`Controller`] is sans-IO: it never reads a clock, opens a socket or knows what drives it. A
//! *world* (the simulator, a transport library, a daemon) tells it what was sent and what came
//! back, and obeys its [`Decision`] entirely.

pub mod arithmetic;
mod contract;
mod controllers;
pub mod cores;
mod entry;
mod fault;
mod feedback;
mod files;
pub mod learned;
#[cfg(feature = "mutants")]
pub mod mutants;
mod open;
mod parts;
mod registry;
mod sent;
#[cfg(test)]
mod testing;

pub use contract::{Awaited, Controller, Decision, Reduction, Timeout};
pub use entry::{Basis, Build, Built, Choice, Entry, Maker, Setup};
pub use fault::Fault;
pub use feedback::{
    Acked, CaState, Congestion, EcnDelta, Feedback, Lost, Outstanding, RateSample, Totals,
};
pub use files::{
    Form, KeptFile, Loader, Source, entry_of_file, load_files_by, meant_file, names_file,
};
pub use open::{Open, Role};
pub use parts::intervals::{ByInterval, Interval, Policy, SHORTEST_INTERVAL, Setting};
pub use registry::{
    BASELINES, DEFAULTS, ENTRIES, Refused, TWINS, forget_passing, kept_files, kept_objects,
    passing_identities, register, register_file, register_passing,
};
pub use sent::{Sent, Tag};
