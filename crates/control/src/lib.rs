//! Congestion controllers: what they are told, what they decide, and a registry of them all.
//!
//! A [`Controller`] is sans-IO: it never reads a clock, opens a socket or knows what drives it. A *world* (the simulator, a transport library, a daemon) tells
//! it what was sent and what came back, and obeys its [`Decision`] entirely.

mod aimd;
mod bbr;
mod bbr3;
mod bbr_common;
mod contract;
pub mod cores;
mod cubic;
mod dctcp;
mod fast;
mod feedback;
mod header;
mod hstcp;
mod linux;
mod marks;
mod newreno;
pub mod params;
mod pcc;
mod pcc_kernel;
mod prague;
mod rcp;
pub mod registry;
mod round;
mod scalable;
#[cfg(test)]
mod testing;
mod vcp;
mod window;
mod windowed;
mod xcp;

pub use contract::{Controller, Decision, Ecn, Reduction, Sent, Tag, Timeout};
pub use feedback::{Acked, Congestion, EcnDelta, Feedback, Lost, RateSample, Recovery, Signal, Totals};
pub use header::Header;
pub use vcp::{CodePoints, LoadCode};
