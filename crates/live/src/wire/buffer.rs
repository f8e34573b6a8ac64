//! A buffer of a frame, and the layout of the packet in it.

use super::layout::Layout;
use super::split;
use super::virtio::VirtioHeader;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// The longest read: the virtio header and an IPv6 packet without the jumbo option.
pub(super) const LONGEST: usize = VirtioHeader::LEN + 40 + 65_535;

/// Sizes of buffers. A frame goes into the smallest that has room, so that packets which wait long, as on a long link, hold at most about
/// four times their bytes.
pub(super) const SIZES: [usize; 5] = [2048, 4096, 8192, 16_384, LONGEST];

/// Frames that nobody holds any more, by size of buffer.
pub(super) type Free = RefCell<[Vec<Rc<Contents>>; SIZES.len()]>;

/// A buffer and what was found in it.
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

    /// Parses the first `length` bytes of the buffer. Less than a virtio header is no packet.
    pub(super) fn parse(&mut self, length: usize) {
        self.end = length.max(VirtioHeader::LEN);
        let header = self.buffer.first_chunk().filter(|_| length >= VirtioHeader::LEN);
        self.virtio = header.map(VirtioHeader::from_bytes).unwrap_or_default();
        self.layout = Layout::of(&self.buffer[VirtioHeader::LEN..self.end]);
        self.segment = split::segment(&self.virtio, &self.layout, self.end - VirtioHeader::LEN);
    }
}
