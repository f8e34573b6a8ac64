//! The forwarding daemon: `narrows-icn`'s node on sockets.

mod config;
mod face_uri;
mod name;
mod rib;
mod sockets;

pub use config::{Config, ConfigError, FaceEntry, Listen, Mircc, Rates, Tables, Text, Understands};
pub use face_uri::{FaceUri, NDN_PORT, Remote, RemoteError, Transport};
pub use name::{PacketName, Token, Wire};
pub use rib::{Change, Hop, Rib, Route};
