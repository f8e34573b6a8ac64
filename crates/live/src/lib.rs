//! The live world: moves packets of real kernel connections through paths, by the wall clock.

mod capability;
mod child;
mod classify;
mod clock;
mod demand;
mod desk;
mod diagnosis;
mod emulator;
mod error;
mod gauge;
mod hosts;
mod loans;
mod namespace;
mod netlink;
mod network;
mod precision;
mod privilege;
mod program;
mod refuse;
mod round_trip;
mod run;
mod sampler;
mod sockets;
mod stage;
mod tcp_info;
mod terms;
pub mod trial;
mod tun;
pub mod wire;

pub use capability::{Capability, State, probe, ready};
pub use child::Exit;
pub use demand::{MAXIMUM, affordable};
pub use error::LiveError;
pub use privilege::acquire;
pub use program::{Ending, Program, run_program};
pub use run::{Progress, run};
