//! Packets of real connections: what a TUN device gives and takes, and what a link carries between.
//!
//! A read from a TUN device fills a [`Frame`] from a [`Pool`]: one packet, or a super-segment whose splitting the kernel has left to the
//! device. [`Frame::packets`] gives its [`WirePacket`]s, the packets that a wire would carry; they share the frame's bytes and keep only
//! what tells one from the other, so they are small and cost no allocation. A [`Write`] puts packets back together, one or many, for one
//! write to the other device.

mod buffer;
mod checksum;
mod datagram;
mod frame;
mod head;
mod layout;
mod merge;
mod packet;
mod pool;
mod split;
mod view;
mod virtio;

#[cfg(test)]
mod tests;

pub use checksum::complete;
pub use datagram::{DATAGRAM_HEADERS, NUMBER, number_of};
pub use frame::Frame;
pub use head::Head;
pub use merge::Write;
pub use packet::WirePacket;
pub use pool::Pool;
pub use view::{Endpoints, Tcp, TcpFlags};
pub use virtio::{Gso, VirtioHeader};
