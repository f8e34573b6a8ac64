//! The elements of a VALUE, one after the other.

use super::element::Element;
use super::error::DecodeError;

/// Yields TLVs that stand back to back, and ends after the last one or the first fault. It never
/// looks into them.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// The elements in `octets`; offsets count from their start.
    #[inline]
    pub fn new(octets: &'a [u8]) -> Reader<'a> {
        Reader { rest: octets, offset: 0 }
    }

    /// The elements in the VALUE of `element`; offsets count as its own.
    #[inline]
    pub fn within(element: &Element<'a>) -> Reader<'a> {
        Reader { rest: element.value, offset: element.value_offset() }
    }

    /// Where the next element begins.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Element<'a>, DecodeError>;

    // As Element::first.
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
