//! The forwarding daemon: `narrows-icn`'s node on sockets.

mod app;
mod client;
mod config;
mod daemon;
mod face;
mod face_uri;
mod forwarder;
mod io;
mod link;
mod management;
mod memory;
mod name;
mod numbers;
mod place;
mod rib;
mod sockets;
mod state;
mod stored;

pub use app::asker::Asker;
pub use app::content::Segments;
pub use app::fetch::{FetchError, Fetched, fetch};
pub use app::filler::Filler;
pub use app::object::Producer;
pub use app::ping::{Pong, ping, serve_pings};
pub use client::{Client, ClientError};
pub use config::{Config, ConfigError, FaceEntry, Listen, Mircc, Rates, Tables, Text, Understands};
pub use daemon::{Daemon, DaemonError, Stopper, Watcher};
pub use face::{FaceSetup, LinkRates};
pub use face_uri::{FaceUri, NDN_PORT, Remote, RemoteError, Transport};
pub use forwarder::{Forwarder, Opened, Sockets, TooManyFaces};
pub use name::{PacketName, Token, Wire};
pub use place::Place;
pub use rib::{Change, Hop, Rib, Route};
