//! Fragmentation of packets that do not fit the MTU of a link.

use super::header::Header;
use crate::number;
use crate::tlv::{Buffer, element_size, put_element, put_head, put_wide};
use thiserror::Error;

/// Error: a packet cannot be divided into fragments that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a packet of {packet} octets does not fit {limit} fragments of {mtu} octets each; raise the MTU", limit = MAX_PIECES)]
pub struct TooLarge {
    /// Octets of the packet.
    pub packet: usize,
    /// MTU of the link in octets.
    pub mtu: usize,
}

/// Most fragments of a packet that receivers accept.
pub(super) const MAX_PIECES: usize = 400;

/// Fragments the packets for one face, and numbers the fragments.
#[derive(Clone, Debug, Default)]
pub struct Fragmenter {
    sequence: u64,
}

impl Fragmenter {
    /// A fragmenter whose first fragment has this Sequence.
    pub fn new(sequence: u64) -> Fragmenter {
        Fragmenter { sequence }
    }

    /// Divides `packet`, an Interest or a Data, into fragments with the fields of `header`. Its
    /// fragmentation fields are ignored.
    ///
    /// A packet that fits `mtu` octets becomes one LpPacket without fragmentation fields. Otherwise
    /// all fragments except the last have the same size, `mtu` or a few octets less. PitToken and
    /// CongestionMark are on each fragment, since some receivers take them from the fragment that
    /// arrives last. The other fields are on the first fragment.
    ///
    /// # Errors
    /// The fields leave no room for the packet, or it takes more than 400 fragments.
    pub fn pieces<'a>(
        &mut self,
        header: &'a Header<'a>,
        packet: &'a [u8],
        mtu: usize,
    ) -> Result<Fragments<'a>, TooLarge> {
        let fail = TooLarge { packet: packet.len(), mtu };
        let fields = header.size_behind_fragmentation();
        let whole = if fields == 0 { packet.len() } else { packet_size(fields, packet.len()) };
        if whole <= mtu {
            return Ok(Fragments {
                header,
                packet,
                form: Form::Whole { fields },
                next: 0,
                count: 1,
            });
        }
        let rest = on_each(header);
        // FragIndex and FragCount take the same octets on all fragments, so that all have the same
        // size.
        for width in [1, 2] {
            let fragmentation = element_size(number::lp::SEQUENCE, 8)
                + 2 * element_size(number::lp::FRAG_INDEX, width);
            let fields = |header: &Header| fragmentation + header.size_behind_fragmentation();
            let (room_first, room_rest) =
                equal_pieces(mtu, fields(header), fields(&rest)).ok_or(fail)?;
            let count = 1 + packet.len().saturating_sub(room_first).div_ceil(room_rest);
            if count > MAX_PIECES {
                return Err(fail);
            }
            if width == 2 || count <= 0xFF {
                let cut = Cut { sequence: self.sequence, width, room_first, room_rest };
                self.sequence = self.sequence.wrapping_add(count as u64);
                return Ok(Fragments { header, packet, form: Form::Cut(cut), next: 0, count });
            }
        }
        Err(fail)
    }
}

/// The fields that each fragment carries.
fn on_each<'a>(header: &Header<'a>) -> Header<'a> {
    Header {
        pit_token: header.pit_token,
        congestion_mark: header.congestion_mark,
        ..Header::default()
    }
}

/// Form of a packet on the link.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// One LpPacket, whose fields take `fields` octets.
    Whole { fields: usize },
    /// Several fragments.
    Cut(Cut),
}

/// Division of a packet into fragments.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Sequence of the first fragment.
    sequence: u64,
    /// Octets of each of FragIndex and FragCount.
    width: usize,
    /// Octets of the packet in the first fragment.
    room_first: usize,
    /// Octets of the packet in each further fragment, except the last.
    room_rest: usize,
}

/// The fragments of a packet, first to last.
#[derive(Clone, Debug)]
pub struct Fragments<'a> {
    header: &'a Header<'a>,
    packet: &'a [u8],
    form: Form,
    next: usize,
    count: usize,
}

impl Fragments<'_> {
    /// Number of fragments that have not been written.
    pub fn left(&self) -> usize {
        self.count - self.next
    }

    /// Appends the next fragment. False if none is left; nothing is written then.
    pub fn write_next(&mut self, out: &mut (impl Buffer + ?Sized)) -> bool {
        if self.left() == 0 {
            return false;
        }
        let index = self.next;
        self.next += 1;
        match self.form {
            Form::Whole { fields: 0 } => out.put(self.packet),
            Form::Whole { fields } => {
                put_head(
                    out,
                    number::lp::LP_PACKET,
                    fields + element_size(number::lp::FRAGMENT, self.packet.len()),
                );
                self.header.write_after_fragmentation(out);
                put_element(out, number::lp::FRAGMENT, self.packet);
            }
            Form::Cut(cut) => self.write_piece(index, cut, out),
        }
        true
    }

    fn write_piece(&self, index: usize, cut: Cut, out: &mut (impl Buffer + ?Sized)) {
        let rest;
        let header = if index == 0 {
            self.header
        } else {
            rest = on_each(self.header);
            &rest
        };
        let start = if index == 0 { 0 } else { cut.room_first + (index - 1) * cut.room_rest };
        let room = if index == 0 { cut.room_first } else { cut.room_rest };
        let piece = &self.packet[start..self.packet.len().min(start + room)];
        let numbers = element_size(number::lp::SEQUENCE, 8)
            + 2 * element_size(number::lp::FRAG_INDEX, cut.width);
        let body = numbers
            + header.size_behind_fragmentation()
            + element_size(number::lp::FRAGMENT, piece.len());
        let narrow = |number: usize| (number as u64).to_be_bytes();
        put_head(out, number::lp::LP_PACKET, body);
        put_wide(out, number::lp::SEQUENCE, cut.sequence.wrapping_add(index as u64));
        put_element(out, number::lp::FRAG_INDEX, &narrow(index)[8 - cut.width..]);
        put_element(out, number::lp::FRAG_COUNT, &narrow(self.count)[8 - cut.width..]);
        header.write_after_fragmentation(out);
        put_element(out, number::lp::FRAGMENT, piece);
    }
}

/// Octets of an LpPacket with `fields` octets before a Fragment of `piece` octets.
fn packet_size(fields: usize, piece: usize) -> usize {
    element_size(number::lp::LP_PACKET, fields + element_size(number::lp::FRAGMENT, piece))
}

/// Largest Fragments after `first` and `rest` octets of fields, in octets, so that both LpPackets
/// have the same size of at most `mtu`. Some sizes cannot be made because a LENGTH grows.
fn equal_pieces(mtu: usize, first: usize, rest: usize) -> Option<(usize, usize)> {
    let mut size = mtu;
    loop {
        let piece_first = room_for_piece(size, first)?;
        let piece_rest = room_for_piece(size, rest)?;
        let size_first = packet_size(first, piece_first);
        let size_rest = packet_size(rest, piece_rest);
        if size_first == size_rest {
            return Some((piece_first, piece_rest));
        }
        size = size_first.min(size_rest);
    }
}

/// Largest Fragment after `fields` octets in an LpPacket of at most `mtu`, in octets. `None` if
/// there is no room for any.
fn room_for_piece(mtu: usize, fields: usize) -> Option<usize> {
    let mut piece = mtu.checked_sub(packet_size(fields, 0)).filter(|room| *room > 0)?;
    while packet_size(fields, piece) > mtu {
        piece -= 1;
    }
    (piece > 0).then_some(piece)
}
