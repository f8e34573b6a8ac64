//! An LpPacket.

use super::header::Header;
use crate::number;
use crate::tlv::{
    Buffer, DecodeError, Element, Fault, Reader, element_size, put_element, put_head,
};
use std::ops::Range;

/// A view of a link's packet: an LpPacket, or a bare Interest or Data, which is the same as an
/// LpPacket with nothing but a Fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LpPacket<'a> {
    /// The fields.
    pub header: Header<'a>,
    /// The Fragment: an Interest, a Data, or a piece of one; `None` in an idle packet, which only
    /// says that its sender lives.
    pub fragment: Option<&'a [u8]>,
    fragment_at: usize,
}

impl<'a> LpPacket<'a> {
    /// The packet that `wire` consists of. The fields may stand in any order.
    ///
    /// # Errors
    /// The octets are no such packet; a field is there twice; a field is unknown and may not be
    /// ignored.
    #[inline]
    pub fn decode(wire: &'a [u8]) -> Result<LpPacket<'a>, DecodeError> {
        let outer = Element::only(wire)?;
        let mut packet = LpPacket { header: Header::default(), fragment: None, fragment_at: 0 };
        match outer.number {
            number::INTEREST | number::DATA => packet.fragment = Some(wire),
            number::lp::LP_PACKET => {
                for element in Reader::within(&outer) {
                    packet.read(&element?)?;
                }
            }
            _ => return Err(outer.fail(Fault::WrongType)),
        }
        Ok(packet)
    }

    #[inline]
    fn read(&mut self, element: &Element<'a>) -> Result<(), DecodeError> {
        if element.number != number::lp::FRAGMENT {
            return self.header.read(element);
        }
        self.fragment_at = element.value_offset();
        match self.fragment.replace(element.value) {
            None => Ok(()),
            Some(_) => Err(element.fail(Fault::OutOfOrder)),
        }
    }

    /// Where the Fragment's octets are in the packet.
    pub fn fragment_range(&self) -> Option<Range<usize>> {
        self.fragment.map(|fragment| self.fragment_at..self.fragment_at + fragment.len())
    }

    /// True if the Fragment is but a piece of a packet.
    pub fn is_piece(&self) -> bool {
        self.header.frag_count.is_some_and(|count| count != 1)
            || self.header.frag_index.is_some_and(|index| index != 0)
    }
}

impl Header<'_> {
    /// Appends an LpPacket of these fields and this Fragment; without any field, the bare Fragment.
    pub fn write_packet(&self, fragment: Option<&[u8]>, out: &mut (impl Buffer + ?Sized)) {
        match fragment {
            Some(fragment) if *self == Header::default() => out.put(fragment),
            _ => {
                let behind = fragment
                    .map_or(0, |fragment| element_size(number::lp::FRAGMENT, fragment.len()));
                put_head(out, number::lp::LP_PACKET, self.size() + behind);
                self.write(out);
                if let Some(fragment) = fragment {
                    put_element(out, number::lp::FRAGMENT, fragment);
                }
            }
        }
    }
}
