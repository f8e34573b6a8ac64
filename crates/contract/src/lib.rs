//! The contract between a congestion controller and the world that drives it.
//!
//! A [`Controller`] is sans-IO: it never reads a clock, opens a socket or knows what drives it. A
//! *world* (the simulator, a transport library, a daemon) tells it what was sent and what came
//! back, and obeys its [`Decision`] entirely.
//!
//! A [`Guest`] is a whole transport of another implementation, with a controller of its own.
//!
//! There is no controller here, and no list of them. [`testing`] helps to test one.

mod controller;
mod entry;
mod entry_ref;
mod fault;
mod feedback;
mod guest;
mod open;
mod saved;
mod sent;
pub mod testing;

pub use controller::{Awaited, Controller, Decision, Reduction, Timeout};
pub use entry::{Basis, Build, Built, Entry, GuestMaker, Maker, Setup};
pub use entry_ref::{EntryRef, OwnedEntry};
pub use fault::Fault;
pub use feedback::{
    Acked, CaState, Congestion, EcnDelta, Feedback, Lost, Outstanding, RateSample, Totals,
};
pub use guest::{
    Datagram, End, GUEST_DATAGRAM, GUEST_HEADERS, Guest, GuestCounts, GuestEnd, GuestSample,
    LogSink,
};
pub use open::{Open, Role};
pub use saved::Saved;
pub use sent::{Sent, Tag};
