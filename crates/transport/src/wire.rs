//! Segments and acknowledgements, as the endpoints exchange them.

use narrows_units::{Bytes, Time};
use narrows_wire::Signal;
use std::ops::Deref;

/// A range of segments received above the cumulative acknowledgement, or received twice (RFC 2018,
/// RFC 2883): first and one past the last. Under [`AckFormat::Numbered`](crate::AckFormat) a range
/// of transmissions received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// First segment.
    pub start: u64,
    /// One past the last segment.
    pub end: u64,
}

/// Most SACK blocks that fit beside the timestamp option.
pub const MAX_BLOCKS: usize = 3;

/// Up to [`MAX_BLOCKS`] SACK blocks, a slice of them in place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blocks {
    blocks: [Block; MAX_BLOCKS],
    count: u32,
}

impl Blocks {
    /// No blocks.
    pub const NONE: Blocks = Blocks { blocks: [Block { start: 0, end: 0 }; MAX_BLOCKS], count: 0 };

    /// Puts a block before the others; of more than [`MAX_BLOCKS`] the last is dropped.
    pub fn push_front(&mut self, block: Block) {
        let kept = (self.count as usize).min(MAX_BLOCKS - 1);
        self.blocks.copy_within(..kept, 1);
        self.blocks[0] = block;
        self.count = kept as u32 + 1;
    }

    /// Replaces the first block by `block` if that is one segment longer at its end. True if so.
    pub fn lengthen_first(&mut self, block: Block) -> bool {
        let grows = self.count > 0
            && self.blocks[0].start == block.start
            && self.blocks[0].end + 1 == block.end;
        if grows {
            self.blocks[0] = block;
        }
        grows
    }

    /// Keeps only the blocks for which `keep` is true, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&Block) -> bool) {
        let mut kept = 0;
        for index in 0..self.count as usize {
            let block = self.blocks[index];
            if keep(&block) {
                self.blocks[kept] = block;
                kept += 1;
            }
        }
        self.count = kept as u32;
    }
}

impl Deref for Blocks {
    type Target = [Block];

    #[inline]
    fn deref(&self) -> &[Block] {
        &self.blocks[..self.count as usize]
    }
}

impl PartialEq for Blocks {
    fn eq(&self, other: &Blocks) -> bool {
        **self == **other
    }
}

impl FromIterator<Block> for Blocks {
    /// The first [`MAX_BLOCKS`] of them.
    fn from_iter<I: IntoIterator<Item = Block>>(blocks: I) -> Blocks {
        let mut all = Blocks::default();
        for (place, block) in all.blocks.iter_mut().zip(blocks) {
            *place = block;
            all.count += 1;
        }
        all
    }
}

/// A data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its number, from 0.
    pub number: u64,
    /// Payload.
    pub bytes: Bytes,
    /// When it left: the timestamp option's value (RFC 7323), in nanoseconds.
    pub stamp: Time,
    /// The lowest bits of the transmission's own number, from 0 (RFC 9000 section 17.1); receivers
    /// look at it under [`AckFormat::Numbered`](crate::AckFormat).
    pub packet: u32,
    /// The lowest bits of the number up to which the sender had everything acknowledged when this
    /// left. It says which acknowledgement this answers, as the echoed timestamp does (TSecr, RFC
    /// 7323), so that the receiver can measure a round trip.
    pub acked: u32,
    /// True for a retransmission; receivers do not look at it.
    pub retransmission: bool,
    /// The sender has reduced its window after an echoed mark (CWR, RFC 3168).
    pub cwr: bool,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// All segments below this have arrived.
    pub next: u64,
    /// Payload of segment `next` that is acknowledged as well, of a receiver that acknowledges in
    /// pieces. A sender counts whole segments, and takes from this only that the acknowledgement
    /// repeats no other.
    pub part: u32,
    /// The stamp of the segment that advanced the window last (TSecr, RFC 7323 section 4.3).
    pub echo: Time,
    /// Segments from `next` on that the receiver can hold.
    pub window: u32,
    /// Packets received with ECT(0), ECT(1) and CE since the connection began.
    pub ect0: u32,
    /// See `ect0`.
    pub ect1: u32,
    /// See `ect0`.
    pub ce: u32,
    /// A mark is being echoed (ECE, RFC 3168).
    pub ece: bool,
    /// The first block reports a duplicate (RFC 2883).
    pub duplicate: bool,
    /// The ranges received that changed last, the newest first (RFC 2018 section 4).
    pub blocks: Blocks,
    /// The values that routers wrote into the data which this acknowledges.
    pub signal: Option<Signal>,
}
