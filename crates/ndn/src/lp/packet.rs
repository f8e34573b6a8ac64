//! LpPacket.

use super::header::Header;
use crate::number;
use crate::tlv::{
    Buffer, DecodeError, Element, Fault, Reader, element_size, put_element, put_head,
};
use std::ops::Range;

/// A view of a link packet: an LpPacket, or a bare Interest or Data, which means the same as an
/// LpPacket with only a Fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LpPacket<'a> {
    /// The fields.
    pub header: Header<'a>,
    /// The Fragment: an Interest, a Data, or a part of one. `None` in an IDLE packet, which only
    /// shows that the sender is alive.
    pub fragment: Option<&'a [u8]>,
    fragment_at: usize,
}

impl<'a> LpPacket<'a> {
    /// Decodes `wire`, which must be exactly one packet. The fields may have any order.
    ///
    /// # Errors
    /// The octets are not a link packet, a field is present twice, or a field is unknown and must
    /// not be ignored.
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

    /// Position of the Fragment's octets in the packet.
    pub fn fragment_range(&self) -> Option<Range<usize>> {
        self.fragment.map(|fragment| self.fragment_at..self.fragment_at + fragment.len())
    }

    /// True if the packet is a fragment: its Fragment is only part of a network packet.
    pub fn is_fragment(&self) -> bool {
        self.header.frag_count.is_some_and(|count| count != 1)
            || self.header.frag_index.is_some_and(|index| index != 0)
    }
}

impl Header<'_> {
    /// Appends an LpPacket with these fields and this Fragment. Without any field, appends the bare
    /// Fragment.
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
