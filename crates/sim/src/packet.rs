//! Packets of the simulated world, and where their SACK blocks are kept.

use narrows_control::{Ecn, Signal};
use narrows_flow::{Ack, Block, Data, MAX_BLOCKS};
use narrows_units::{Bytes, Time};

/// A packet: a small plain value, so that those in flight stay near the processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// The segment's number, or the first segment that an acknowledgement still waits for.
    number: u64,
    /// When it left, or the stamp that an acknowledgement echoes.
    stamp: Time,
    pub(crate) flow: u32,
    pub(crate) size: u32,
    /// Segments that the receiver can hold; of data, the number of its transmission.
    window: u32,
    /// Where the rest of an acknowledgement is in [`Options`], if it has more.
    options: u32,
    /// Where it is in the list of all routes.
    pub(crate) place: u32,
    pub(crate) kind: Kind,
    flags: u8,
    pub(crate) ecn: Ecn,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Data,
    Ack,
    /// Data that is not acknowledged.
    Datagram,
    /// A part of a request, which asks the sender for data.
    Request,
}

impl Kind {
    /// True of what travels from the receiver to the sender.
    #[inline]
    pub(crate) fn goes_back(self) -> bool {
        matches!(self, Kind::Ack | Kind::Request)
    }
}

const RETRANSMISSION: u8 = 1;
const CWR: u8 = 2;
const ECE: u8 = 4;
const DUPLICATE: u8 = 8;

fn flag(bit: u8, on: bool) -> u8 {
    if on { bit } else { 0 }
}

impl Packet {
    /// A data packet of `size` on the wire.
    #[inline]
    pub(crate) fn data(flow: usize, size: u32, data: &Data, ecn: Ecn) -> Packet {
        let flags = flag(RETRANSMISSION, data.retransmission) | flag(CWR, data.cwr);
        let (number, stamp, window) = (data.number, data.stamp, data.packet);
        Packet { number, stamp, flow: flow as u32, size, window, options: Options::NONE, place: 0, kind: Kind::Data, flags, ecn }
    }

    /// A packet of a flow that is not acknowledged.
    pub(crate) fn datagram(flow: usize, size: u32, number: u64, now: Time) -> Packet {
        let options = Options::NONE;
        let ecn = Ecn::NotEct;
        Packet { number, stamp: now, flow: flow as u32, size, window: 0, options, place: 0, kind: Kind::Datagram, flags: 0, ecn }
    }

    /// The packet with this index of a flow's request with this number.
    pub(crate) fn request(flow: usize, size: u32, number: u64, index: u32, now: Time) -> Packet {
        Packet { window: index, kind: Kind::Request, ..Packet::datagram(flow, size, number, now) }
    }

    /// The number of a segment, datagram or request.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Which packet of a request it is.
    pub(crate) fn index(&self) -> u32 {
        self.window
    }

    /// An acknowledgement; `options` keeps what few of them have.
    #[inline]
    pub(crate) fn ack(flow: usize, size: u32, ack: &Ack, blocks: &[Block], options: &mut Options) -> Packet {
        Packet {
            number: ack.next,
            stamp: ack.echo,
            flow: flow as u32,
            size,
            window: ack.window,
            options: options.keep(ack, blocks),
            place: 0,
            kind: Kind::Ack,
            flags: flag(ECE, ack.ece) | flag(DUPLICATE, ack.duplicate),
            ecn: Ecn::NotEct,
        }
    }

    /// When it left.
    pub(crate) fn stamp(&self) -> Time {
        self.stamp
    }

    /// The segment of a data packet with `headers`.
    #[inline]
    pub(crate) fn to_data(self, headers: u32) -> Data {
        Data {
            number: self.number,
            bytes: Bytes::new((self.size - headers) as u64),
            stamp: self.stamp,
            packet: self.window,
            retransmission: self.flags & RETRANSMISSION != 0,
            cwr: self.flags & CWR != 0,
        }
    }

    /// The acknowledgement it is. Its SACK blocks and ECN counts are in `options` until [`Options::drop`].
    #[inline]
    pub(crate) fn to_ack(self, options: &Options) -> (Ack, &[Block]) {
        let Entry { blocks, count, ecn: [ect0, ect1, ce] } = options.get(self.options);
        let ack = Ack {
            next: self.number,
            echo: self.stamp,
            window: self.window,
            ect0: *ect0,
            ect1: *ect1,
            ce: *ce,
            ece: self.flags & ECE != 0,
            duplicate: self.flags & DUPLICATE != 0,
        };
        (ack, &blocks[..*count as usize])
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

    fn flow(&self) -> u64 {
        u64::from(self.flow) << 1 | u64::from(self.kind == Kind::Ack)
    }

    fn signal(&mut self) -> Option<&mut Signal> {
        None
    }
}

/// SACK blocks and ECN counts of all acknowledgements under way that have some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    kept: Vec<Entry>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    blocks: [Block; MAX_BLOCKS],
    count: u32,
    /// Packets with ECT(0), ECT(1) and CE.
    ecn: [u32; 3],
}

static EMPTY: Entry = Entry { blocks: [Block { start: 0, end: 0 }; MAX_BLOCKS], count: 0, ecn: [0; 3] };

impl Options {
    const NONE: u32 = u32::MAX;

    #[inline]
    fn keep(&mut self, ack: &Ack, blocks: &[Block]) -> u32 {
        let ecn = [ack.ect0, ack.ect1, ack.ce];
        if blocks.is_empty() && ecn == [0; 3] {
            return Options::NONE;
        }
        let mut entry = Entry { count: blocks.len() as u32, ecn, ..EMPTY };
        entry.blocks[..blocks.len()].copy_from_slice(blocks);
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

    #[inline]
    fn get(&self, index: u32) -> &Entry {
        self.kept.get(index as usize).unwrap_or(&EMPTY)
    }

    /// The packet is gone: forgets its options.
    #[inline]
    pub(crate) fn drop(&mut self, packet: &Packet) {
        if packet.options != Options::NONE {
            self.free.push(packet.options);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_stay_small() {
        assert!(size_of::<Packet>() <= 40, "{} bytes", size_of::<Packet>());
    }

    #[test]
    fn an_acknowledgement_comes_out_as_it_went_in() {
        let mut options = Options::default();
        let plain = Ack { next: 7, echo: Time::from_nanos(5), window: 9, ..Ack::default() };
        let marked = Ack { ect0: 3, ce: 1, ece: true, ..plain };
        let blocks = [Block { start: 9, end: 11 }, Block { start: 20, end: 21 }];
        let first = Packet::ack(0, 52, &plain, &[], &mut options);
        let second = Packet::ack(0, 72, &Ack { duplicate: true, ..plain }, &blocks, &mut options);
        let third = Packet::ack(0, 52, &marked, &[], &mut options);
        assert_eq!(first.to_ack(&options), (plain, [].as_slice()));
        assert_eq!(second.to_ack(&options), (Ack { duplicate: true, ..plain }, blocks.as_slice()));
        assert_eq!(third.to_ack(&options), (marked, [].as_slice()));
        options.drop(&second);
        let fourth = Packet::ack(0, 52, &plain, &blocks[..1], &mut options);
        assert_eq!((fourth.options, fourth.to_ack(&options).1), (second.options, &blocks[..1]));
    }
}
