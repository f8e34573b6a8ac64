//! Packets of real connections: formats of TUN devices, and packets on links.
//!
//! A read from a TUN device fills a [`Frame`] from a [`Pool`]: a packet, or a super-segment that
//! the kernel has left to the device to split. [`Frame::packets`] yields its [`WirePacket`]s, the
//! packets on a wire. They share the frame's bytes and store only their differences, so they are
//! small and need no allocation. A [`Write`] merges packets for a write to the other device.

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
