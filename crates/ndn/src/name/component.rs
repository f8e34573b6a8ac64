//! A component of a name.

use crate::number;
use crate::tlv::{DecodeError, Element, Fault, nni_size};
use std::cmp::Ordering;

/// A component of a name. Components have the canonical order: by TYPE, then by length, then by
/// octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Component<'a> {
    /// TYPE, 1 to 65535.
    pub number: u16,
    /// VALUE.
    pub value: &'a [u8],
    /// TYPE, LENGTH and VALUE.
    pub whole: &'a [u8],
}

impl<'a> Component<'a> {
    /// Decodes a component.
    ///
    /// # Errors
    /// TYPE is above 65535, or the component is a digest of other than 32 octets.
    #[inline]
    pub fn decode(element: &Element<'a>) -> Result<Component<'a>, DecodeError> {
        let number =
            u16::try_from(element.number).map_err(|_| element.fail(Fault::TypeOutOfRange))?;
        if element.number <= number::PARAMETERS_DIGEST && element.value.len() != 32 {
            return Err(element.fail(Fault::WrongLength));
        }
        Ok(Component { number, value: element.value, whole: element.whole })
    }

    /// The number in VALUE, if VALUE is a NonNegativeInteger in its shortest form. Segments,
    /// versions and other numbers in names must have this form.
    pub fn nni(&self) -> Option<u64> {
        crate::tlv::nni(self.value).filter(|value| nni_size(*value) == self.value.len())
    }

    /// The number in VALUE, if TYPE is `number` and VALUE is a NonNegativeInteger in its shortest
    /// form.
    pub fn nni_of(&self, number: u32) -> Option<u64> {
        self.nni().filter(|_| u32::from(self.number) == number)
    }
}

impl Ord for Component<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // TYPE and LENGTH in their shortest forms compare as their octets do.
        self.whole.cmp(other.whole)
    }
}

impl PartialOrd for Component<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The components of a name, first to last.
#[derive(Clone, Copy, Debug)]
pub struct Components<'a> {
    rest: &'a [u8],
}

impl<'a> Components<'a> {
    /// Iterates over a VALUE that consists of components.
    pub(super) fn of(value: &'a [u8]) -> Components<'a> {
        Components { rest: value }
    }
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    #[inline]
    fn next(&mut self) -> Option<Component<'a>> {
        let element = Element::first(self.rest, 0).ok()?;
        self.rest = &self.rest[element.whole.len()..];
        Component::decode(&element).ok()
    }
}
