//! Packets of the simulated world, and where their SACK blocks are kept.

use crate::carried::Carried;
use narrows_transport::{Ack, Blocks, Data};
use narrows_units::{Bytes, Time};
use narrows_wire::{Ecn, Header};

/// The network between hosts.
pub(crate) type Net<C> = narrows_network::Network<Packet<C>>;

/// A packet: a small plain value, so that those in flight stay near the processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet<C> {
    /// The segment's number, or the first segment that an acknowledgement still waits for.
    number: u64,
    /// When it left, or the stamp that an acknowledgement echoes.
    stamp: Time,
    pub(crate) flow: u32,
    pub(crate) size: u32,
    /// Segments that the receiver can hold; of data, the number of its transmission; of a guest's
    /// datagram, its number.
    window: u32,
    /// Where the rest of an acknowledgement is in [`Options`], if it has more; of data, the number
    /// up to which its sender had everything acknowledged.
    options: u32,
    /// All that is small, in one word from the lowest bit on: its place in the list of all routes,
    /// its kind, its flags, its ECN code point, the one with which it was sent. Packets are copied
    /// by words, and a copy waits if a part of a word has just been written.
    rest: u64,
    carried: C,
}

/// Where the parts of [`Packet::rest`] begin.
const KIND_AT: u32 = 32;
const FLAGS_AT: u32 = 40;
const ECN_AT: u32 = 48;
const SENT_AT: u32 = 56;

/// The kinds of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    Data,
    Ack,
    /// Data that is not acknowledged.
    Datagram,
    /// A part of a request, which asks the sender for data.
    Request,
    /// A SYN of the sender, or what acknowledges its answer.
    Opening,
    /// The receiver's answer to a SYN.
    Answer,
    /// A SYN of a receiver that opens connections, or what acknowledges its answer.
    OpeningBack,
    /// The sender's answer to a SYN of the receiver.
    AnswerForth,
    /// A datagram of a guest, on its way to the receiver.
    Guest,
    /// A datagram of a guest, on its way to the sender.
    GuestBack,
}

impl PacketKind {
    /// True of what travels from the receiver to the sender.
    #[inline]
    pub(crate) fn goes_back(self) -> bool {
        matches!(
            self,
            PacketKind::Ack
                | PacketKind::Request
                | PacketKind::Answer
                | PacketKind::OpeningBack
                | PacketKind::GuestBack
        )
    }
}

const RETRANSMISSION: u64 = 1 << FLAGS_AT;
const CWR: u64 = 2 << FLAGS_AT;
const ECE: u64 = 4 << FLAGS_AT;
const DUPLICATE: u64 = 8 << FLAGS_AT;

#[inline]
fn flag(bit: u64, on: bool) -> u64 {
    if on { bit } else { 0 }
}

#[inline]
fn code_point(bits: u64) -> Ecn {
    match bits as u8 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

#[inline]
fn rest(place: u32, kind: PacketKind, flags: u64, ecn: Ecn) -> u64 {
    u64::from(place)
        | (kind as u64) << KIND_AT
        | flags
        | ((ecn as u64) * (1 << ECN_AT | 1 << SENT_AT))
}

impl<C: Carried> Packet<C> {
    /// A data packet of `size` on the wire, at the beginning of the route at `place`.
    #[inline]
    pub(crate) fn data(
        flow: usize,
        place: u32,
        size: u32,
        data: &Data,
        (ecn, carried): (Ecn, C),
    ) -> Packet<C> {
        let flags = flag(RETRANSMISSION, data.retransmission) | flag(CWR, data.cwr);
        let number = data.number;
        let stamp = data.stamp;
        let window = data.packet;
        Packet {
            number,
            stamp,
            flow: flow as u32,
            size,
            window,
            options: data.acked,
            rest: rest(place, PacketKind::Data, flags, ecn),
            carried,
        }
    }

    /// A packet of a flow that is not acknowledged.
    pub(crate) fn datagram(
        flow: usize,
        place: u32,
        size: u32,
        number: u64,
        now: Time,
    ) -> Packet<C> {
        let options = Options::NONE;
        let rest = rest(place, PacketKind::Datagram, 0, Ecn::NotEct);
        Packet {
            number,
            stamp: now,
            flow: flow as u32,
            size,
            window: 0,
            options,
            rest,
            carried: C::NOTHING,
        }
    }

    /// The packet with this index of a flow's request with this number.
    pub(crate) fn request(
        flow: usize,
        place: u32,
        size: u32,
        (number, index): (u64, u32),
        now: Time,
    ) -> Packet<C> {
        Packet {
            window: index,
            rest: rest(place, PacketKind::Request, 0, Ecn::NotEct),
            ..Packet::datagram(flow, place, size, number, now)
        }
    }

    /// A packet of a handshake: `number` is 0 for a SYN and its answer, and 1 for what acknowledges
    /// the answer. The peer measures a round trip from `stamp`.
    pub(crate) fn handshake(
        kind: PacketKind,
        flow: usize,
        place: u32,
        size: u32,
        (number, stamp): (u64, Time),
    ) -> Packet<C> {
        Packet {
            rest: rest(place, kind, 0, Ecn::NotEct),
            ..Packet::datagram(flow, place, size, number, stamp)
        }
    }

    /// A datagram of a guest. Its content is kept under the number `kept`; `serial` counts the
    /// datagrams of its end.
    pub(crate) fn guest(
        flow: usize,
        place: u32,
        size: u32,
        (kept, serial): (u32, u32),
        now: Time,
        (back, ecn): (bool, Ecn),
    ) -> Packet<C> {
        let kind = if back { PacketKind::GuestBack } else { PacketKind::Guest };
        Packet {
            window: serial,
            rest: rest(place, kind, 0, ecn),
            ..Packet::datagram(flow, place, size, kept.into(), now)
        }
    }

    /// The number of a segment, datagram or request.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Which packet of a request it is, or of a guest's end.
    pub(crate) fn index(&self) -> u32 {
        self.window
    }

    /// An acknowledgement; `options` keeps what few of them have.
    #[inline]
    pub(crate) fn ack(
        flow: usize,
        place: u32,
        size: u32,
        ack: &Ack,
        options: &mut Options,
    ) -> Packet<C> {
        Packet {
            number: ack.next,
            stamp: ack.echo,
            flow: flow as u32,
            size,
            window: ack.window,
            options: options.keep(ack),
            rest: rest(
                place,
                PacketKind::Ack,
                flag(ECE, ack.ece) | flag(DUPLICATE, ack.duplicate),
                Ecn::NotEct,
            ),
            carried: C::back(ack.signal),
        }
    }

    /// The header that routers write into, on data.
    #[inline]
    pub(crate) fn header(&mut self) -> Option<&mut Header> {
        self.carried.header()
    }

    /// The packet's kind.
    #[inline]
    pub(crate) fn kind(&self) -> PacketKind {
        match (self.rest >> KIND_AT) as u8 {
            0 => PacketKind::Data,
            1 => PacketKind::Ack,
            2 => PacketKind::Datagram,
            3 => PacketKind::Request,
            4 => PacketKind::Opening,
            5 => PacketKind::Answer,
            6 => PacketKind::OpeningBack,
            7 => PacketKind::AnswerForth,
            8 => PacketKind::Guest,
            _ => PacketKind::GuestBack,
        }
    }

    /// Its ECN code point.
    #[inline]
    pub(crate) fn ecn(&self) -> Ecn {
        code_point(self.rest >> ECN_AT)
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
            acked: self.options,
            retransmission: self.rest & RETRANSMISSION != 0,
            cwr: self.rest & CWR != 0,
        }
    }

    /// The acknowledgement it is. Its SACK blocks and ECN counts are in `options` until
    /// [`Options::drop`].
    #[inline]
    pub(crate) fn to_ack(self, options: &Options) -> Ack {
        let Entry { blocks, ecn: [ect0, ect1, ce], part } = options.get(self.options);
        Ack {
            next: self.number,
            part: *part,
            echo: self.stamp,
            window: self.window,
            ect0: *ect0,
            ect1: *ect1,
            ce: *ce,
            ece: self.rest & ECE != 0,
            duplicate: self.rest & DUPLICATE != 0,
            blocks: *blocks,
            signal: self.carried.signal(),
        }
    }
}

impl<C: Carried> narrows_path::Packet for Packet<C> {
    #[inline]
    fn size(&self) -> Bytes {
        Bytes::new(self.size as u64)
    }

    fn ecn(&self) -> Ecn {
        Packet::ecn(self)
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.rest = self.rest & !(0xff << ECN_AT) | (ecn as u64) << ECN_AT;
    }

    fn sent_ecn(&self) -> Ecn {
        code_point(self.rest >> SENT_AT)
    }

    fn flow(&self) -> u64 {
        u64::from(self.flow) << 1 | u64::from(self.kind().goes_back())
    }

    #[inline]
    fn header(&mut self) -> Option<&mut Header> {
        Packet::header(self)
    }
}

impl<C: Carried> narrows_network::Routed for Packet<C> {
    type Identity = Packet<C>;

    #[inline]
    fn place(&self) -> u32 {
        self.rest as u32
    }

    #[inline]
    fn advance(&mut self) {
        self.rest += 1;
    }

    #[inline]
    fn identity(&self) -> Packet<C> {
        *self
    }
}

/// SACK blocks, ECN counts and parts of segments of all acknowledgements under way that have some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    kept: Vec<Entry>,
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    blocks: Blocks,
    /// Packets with ECT(0), ECT(1) and CE.
    ecn: [u32; 3],
    /// Payload acknowledged of the next segment.
    part: u32,
}

static EMPTY: Entry = Entry { blocks: Blocks::NONE, ecn: [0; 3], part: 0 };

impl Options {
    const NONE: u32 = u32::MAX;

    #[inline(always)]
    fn keep(&mut self, ack: &Ack) -> u32 {
        let plain = ack.blocks.is_empty() && ack.ect0 | ack.ect1 | ack.ce | ack.part == 0;
        if plain { Options::NONE } else { self.store(ack) }
    }

    #[inline(never)]
    fn store(&mut self, ack: &Ack) -> u32 {
        let entry = Entry { blocks: ack.blocks, ecn: [ack.ect0, ack.ect1, ack.ce], part: ack.part };
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

    /// An acknowledgement is gone: forgets its options.
    #[inline]
    pub(crate) fn drop<C>(&mut self, packet: &Packet<C>) {
        if packet.options != Options::NONE {
            self.free.push(packet.options);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_transport::Block;

    #[test]
    fn packets_stay_small() {
        assert!(size_of::<Packet<()>>() <= 40, "{} bytes", size_of::<Packet<()>>());
    }

    #[test]
    fn an_acknowledgement_comes_out_as_it_went_in() {
        let mut options = Options::default();
        let plain = Ack { next: 7, echo: Time::from_nanos(5), window: 9, ..Ack::default() };
        let marked = Ack { ect0: 3, ce: 1, ece: true, part: 700, ..plain };
        let blocks = [Block { start: 9, end: 11 }, Block { start: 20, end: 21 }];
        let duplicate = Ack { duplicate: true, blocks: blocks.into_iter().collect(), ..plain };
        let [first, second, third] =
            [plain, duplicate, marked].map(|ack| Packet::<()>::ack(0, 0, 52, &ack, &mut options));
        assert_eq!(
            [first, second, third].map(|packet| packet.to_ack(&options)),
            [plain, duplicate, marked]
        );
        options.drop(&second);
        let later = Ack { blocks: blocks.into_iter().take(1).collect(), ..plain };
        let fourth = Packet::<()>::ack(0, 0, 52, &later, &mut options);
        assert_eq!((fourth.options, fourth.to_ack(&options)), (second.options, later));
    }
}
