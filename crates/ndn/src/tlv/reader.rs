//! The elements of a VALUE, one after the other.

use super::element::Element;
use super::error::DecodeError;

/// An iterator over TLVs that are back to back. It ends after the last TLV or the first fault, and
/// does not decode their VALUEs.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Iterates over the elements in `octets`. Offsets count from their start.
    #[inline]
    pub fn new(octets: &'a [u8]) -> Reader<'a> {
        Reader { rest: octets, offset: 0 }
    }

    /// Iterates over the elements in the VALUE of `element`. Offsets count as in `element`.
    #[inline]
    pub fn within(element: &Element<'a>) -> Reader<'a> {
        Reader { rest: element.value, offset: element.value_offset() }
    }

    /// Position of the next element.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Element<'a>, DecodeError>;

    // If the element is returned through memory, waiting for it takes longer than decoding it.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let element = Element::first(self.rest, self.offset);
        match &element {
            Ok(element) => {
                self.rest = &self.rest[element.whole.len()..];
                self.offset += element.whole.len();
            }
            Err(_) => self.rest = &[],
        }
        Some(element)
    }
}
