//! Packets of the simulated world, and where their SACK blocks are kept.

use narrows_control::{Ecn, Signal};
use narrows_flow::{Ack, Block, Data, MAX_BLOCKS};
use narrows_units::{Bytes, Time};

/// A packet: a small plain value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    pub(crate) flow: u32,
    pub(crate) size: u32,
    /// Where its SACK blocks are in [`Blocks`], if it has any.
    pub(crate) blocks: u32,
    /// Links already crossed.
    pub(crate) hop: u16,
    pub(crate) ecn: Ecn,
    pub(crate) body: Body,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    Data(Data),
    Ack(Ack),
    /// Unacknowledged data, with the time it left.
    Datagram(Time),
}

impl Packet {
    pub(crate) fn is_data(&self) -> bool {
        !matches!(self.body, Body::Ack(_))
    }
}

impl narrows_path::Packet for Packet {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes::new(self.size as u64)
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }

    fn signal(&mut self) -> Option<&mut Signal> {
        None
    }
}

/// The SACK blocks of all acknowledgements under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    kept: Vec<([Block; MAX_BLOCKS], usize)>,
    free: Vec<u32>,
}

impl Blocks {
    /// An acknowledgement without blocks.
    pub(crate) const NONE: u32 = u32::MAX;

    /// Keeps blocks until they are taken.
    #[inline]
    pub(crate) fn keep(&mut self, blocks: &[Block]) -> u32 {
        if blocks.is_empty() {
            return Blocks::NONE;
        }
        let mut entry = ([Block::default(); MAX_BLOCKS], blocks.len());
        entry.0[..blocks.len()].copy_from_slice(blocks);
        match self.free.pop() {
            Some(index) => {
                self.kept[index as usize] = entry;
                index
            }
            None => {
                self.kept.push(entry);
                (self.kept.len() - 1) as u32
            }
        }
    }

    /// Gives blocks back and forgets them.
    #[inline]
    pub(crate) fn take(&mut self, index: u32) -> ([Block; MAX_BLOCKS], usize) {
        if index == Blocks::NONE {
            return ([Block::default(); MAX_BLOCKS], 0);
        }
        self.free.push(index);
        self.kept[index as usize]
    }
}
