//! What one read from a TUN device gives.

use super::layout::Layout;
use super::packet::WirePacket;
use super::pool::Free;
use super::split;
use super::virtio::VirtioHeader;
use std::rc::{Rc, Weak};

/// A packet or a super-segment, from its virtio header on. A clone shares the bytes; with the last one, the buffer returns to its pool.
#[derive(Clone)]
pub struct Frame(Option<Rc<Contents>>);

/// A buffer and what was found in it.
pub(super) struct Contents {
    pub(super) buffer: Box<[u8]>,
    class: usize,
    home: Weak<Free>,
    end: usize,
    virtio: VirtioHeader,
    layout: Layout,
    segment: usize,
}

impl Contents {
    pub(super) fn new(size: usize, class: usize, home: Weak<Free>) -> Contents {
        let buffer = vec![0; size].into();
        Contents { buffer, class, home, end: 0, virtio: VirtioHeader::default(), layout: Layout::OPAQUE, segment: 0 }
    }

    /// Takes in the first `length` bytes of the buffer. Less than a virtio header is no packet.
    pub(super) fn look(&mut self, length: usize) {
        self.end = length.max(VirtioHeader::LEN);
        let header = self.buffer.first_chunk().filter(|_| length >= VirtioHeader::LEN);
        self.virtio = header.map(VirtioHeader::from_bytes).unwrap_or_default();
        self.layout = Layout::of(&self.buffer[VirtioHeader::LEN..self.end]);
        self.segment = split::segment(&self.virtio, &self.layout, self.end - VirtioHeader::LEN);
    }
}

impl Frame {
    pub(super) fn new(contents: Rc<Contents>) -> Frame {
        Frame(Some(contents))
    }

    fn contents(&self) -> &Rc<Contents> {
        self.0.as_ref().expect("a frame has its contents until it is dropped")
    }

    /// The header that came before the packet.
    pub fn virtio(&self) -> &VirtioHeader {
        &self.contents().virtio
    }

    /// The packet, or super-segment, from its IP header on.
    pub fn ip(&self) -> &[u8] {
        let contents = self.contents();
        &contents.buffer[VirtioHeader::LEN..contents.end]
    }

    /// The packets that a wire would carry of it, in order: as `tcp_gso_segment` and `__udp_gso_segment` of Linux (net/ipv4/tcp_offload.c, udp_offload.c) make them
    /// of a super-segment; otherwise one, or none if there are no bytes. `flow` is the number that they give to disciplines.
    pub fn packets(&self, flow: u64) -> impl ExactSizeIterator<Item = WirePacket> + use<'_> {
        (0..self.count()).map(move |index| WirePacket::new(self.clone(), index, flow))
    }

    /// How many packets a wire would carry of it.
    pub(super) fn count(&self) -> u16 {
        let (length, head) = (self.ip().len(), self.layout().head);
        match self.segment() {
            0 => u16::from(length > 0),
            segment => (length - head).div_ceil(segment) as u16,
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.contents().layout
    }

    /// Payload of each of its packets but the last, if it is a super-segment; 0 if it is one packet.
    pub(super) fn segment(&self) -> usize {
        self.contents().segment
    }

    /// True if both are clones of the same.
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
