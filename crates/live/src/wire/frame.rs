//! Frames: results of reads from a TUN device.

use super::buffer::Contents;
use super::layout::{Layout, Network, Transport};
use super::view::Endpoints;
use super::virtio::VirtioHeader;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::rc::Rc;

/// A packet or a super-segment, with its virtio header. Clones share the bytes; dropping the last
/// one returns the buffer to its pool.
#[derive(Clone)]
pub struct Frame(Option<Rc<Contents>>);

impl Frame {
    pub(super) fn new(contents: Rc<Contents>) -> Frame {
        Frame(Some(contents))
    }

    fn contents(&self) -> &Rc<Contents> {
        self.0.as_ref().expect("a frame has its contents until it is dropped")
    }

    /// Returns the virtio header.
    pub fn virtio(&self) -> &VirtioHeader {
        &self.contents().virtio
    }

    /// Returns the packet or super-segment, from its IP header on.
    pub fn ip(&self) -> &[u8] {
        let contents = self.contents();
        &contents.buffer[VirtioHeader::LEN..contents.end]
    }

    /// Returns the number of packets on a wire.
    pub(super) fn count(&self) -> u16 {
        let (length, head) = (self.ip().len(), self.layout().head);
        match self.segment() {
            0 => u16::from(length > 0),
            segment => (length - head).div_ceil(segment) as u16,
        }
    }

    /// Returns the endpoints; `None` if the packet is not IP.
    pub fn endpoints(&self) -> Option<Endpoints> {
        let (layout, ip) = (self.layout(), self.ip());
        let (source, destination, protocol) = match layout.network {
            Network::V4 => {
                let address =
                    |at: usize| Ipv4Addr::from([ip[at], ip[at + 1], ip[at + 2], ip[at + 3]]);
                (address(12).into(), address(16).into(), ip[9])
            }
            Network::V6 => {
                let address = |at: usize| {
                    Ipv6Addr::from(<[u8; 16]>::try_from(&ip[at..at + 16]).expect("16 bytes"))
                };
                (address(8).into(), address(24).into(), ip[6])
            }
            Network::Opaque => return None,
        };
        let port = |at: usize| {
            u16::from_be_bytes([ip[layout.transport_at + at], ip[layout.transport_at + at + 1]])
        };
        let (protocol, source_port, destination_port) = match layout.transport {
            Transport::Tcp => (6, port(0), port(2)),
            Transport::Udp => (17, port(0), port(2)),
            Transport::Opaque => (protocol, 0, 0),
        };
        Some(Endpoints { source, destination, protocol, source_port, destination_port })
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.contents().layout
    }

    /// Returns the payload of each packet of a super-segment except the last; 0 for a single
    /// packet.
    pub(super) fn segment(&self) -> usize {
        self.contents().segment
    }

    /// True if both are clones of one frame.
    pub(super) fn is(&self, other: &Frame) -> bool {
        Rc::ptr_eq(self.contents(), other.contents())
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        let Some(contents) = self.0.take() else { return };
        if Rc::strong_count(&contents) == 1
            && let Some(home) = contents.home.upgrade()
        {
            home.borrow_mut()[contents.class].push(contents);
        }
    }
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({} bytes, {} packets)", self.ip().len(), self.count())
    }
}
