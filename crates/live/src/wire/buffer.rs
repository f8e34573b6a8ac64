//! Buffers of frames, with the layout of the packet in them.

use super::layout::Layout;
use super::split;
use super::virtio::VirtioHeader;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// Longest read: the virtio header and an IPv6 packet without the jumbo option.
pub(super) const LONGEST: usize = VirtioHeader::LEN + 40 + 65_535;

/// Sizes of buffers. A frame goes into the smallest one with room, so packets that wait long, as on
/// a long link, use at most about four times their bytes.
pub(super) const SIZES: [usize; 5] = [2048, 4096, 8192, 16_384, LONGEST];

/// Free frames, by size of their buffer.
pub(super) type Free = RefCell<[Vec<Rc<Contents>>; SIZES.len()]>;

/// A buffer, with the parsed headers of its packet.
pub(super) struct Contents {
    pub(super) buffer: Box<[u8]>,
    pub(super) class: usize,
    pub(super) home: Weak<Free>,
    pub(super) end: usize,
    pub(super) virtio: VirtioHeader,
    pub(super) layout: Layout,
    pub(super) segment: usize,
}

impl Contents {
    pub(super) fn new(size: usize, class: usize, home: Weak<Free>) -> Contents {
        let buffer = vec![0; size].into();
        Contents {
            buffer,
            class,
            home,
            end: 0,
            virtio: VirtioHeader::default(),
            layout: Layout::OPAQUE,
            segment: 0,
        }
    }

    /// Parses the first `length` bytes of the buffer. Fewer bytes than a virtio header are no
    /// packet.
    pub(super) fn parse(&mut self, length: usize) {
        self.end = length.max(VirtioHeader::LEN);
        let header = self.buffer.first_chunk().filter(|_| length >= VirtioHeader::LEN);
        self.virtio = header.map(VirtioHeader::from_bytes).unwrap_or_default();
        self.layout = Layout::of(&self.buffer[VirtioHeader::LEN..self.end]);
        self.segment = split::segment(&self.virtio, &self.layout, self.end - VirtioHeader::LEN);
    }
}
