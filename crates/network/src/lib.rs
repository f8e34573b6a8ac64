//! The network: links, the routes over them and their changes. The only place where packets go from
//! link to link.
//!
//! A [`Network`] is sans-IO and generic over the packet, so the simulator's small values, an
//! information-centric network's packets and an emulator's buffers take the same way. It is told
//! the time, and tells when it wants to be looked at next; a [`Visitor`] hears where packets get
//! to.

mod agenda;
mod change;
mod later_drops;
mod network;
mod packet;
mod routes;

pub use agenda::Agenda;
pub use change::{Change, FlowId, LinkId, What};
pub use network::{Network, Visitor};
pub use packet::{LinkEvent, Routed};
