//! Sockets that carry packets.

pub(crate) mod bound;
pub(crate) mod path_mtu;
pub(crate) mod poller;
pub(crate) mod stream;
pub(crate) mod udp;
pub(crate) mod udp_writer;
