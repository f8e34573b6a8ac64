//! The forwarding daemon: `narrows-icn`'s node on sockets.

mod rib;

pub use rib::{Change, Hop, Rib, Route};
