//! QUIC stacks as subjects of the simulator: both ends of a connection of noq or quinn, unmodified,
//! in virtual time.
//!
//! A stack is compiled from crates.io with a null encryption in place of TLS. Its controllers,
//! loss recovery, pacing, flow control and handshake are its own. A run is a pure function of the
//! seed: connection ids, endpoint generators and the generators of controllers are seeded, and
//! instants are counted from one base.
//!
//! To add a stack, copy `quinn/` and add its entries to [`entries`].
#![forbid(unsafe_code)]

mod adapted;
mod application;
mod clock;
mod connection;
mod content;
mod dice;
mod entries;
mod held;
#[cfg(feature = "noq")]
mod noq;
mod origin;
mod qlog;
#[cfg(feature = "quinn")]
mod quinn;
mod reader;
mod seeds;
mod settings;
mod tls;
mod watch;

pub use adapted::adapted;
pub use entries::entries;
pub use origin::{Origin, origins};
