//! The live world: moves packets of real kernel connections through paths, by the wall clock.

mod classify;
mod clock;
mod desk;
mod emulator;
mod error;
mod gauge;
mod hosts;
mod namespace;
mod netlink;
mod network;
mod precision;
mod run;
mod sockets;
mod stage;
mod tcp_info;
pub mod trial;
mod tun;
pub mod wire;

pub use error::LiveError;
pub use run::{Progress, run};
