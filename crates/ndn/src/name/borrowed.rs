//! Borrowed view of a name.

use super::component::{Component, Components};
use super::prefixes::Prefixes;
use crate::number;
use crate::tlv::{Buffer, DecodeError, Element, Reader, put_element};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A name whose octets are elsewhere, in a packet or a [`super::Name`]. Its components have been
/// checked. Names have the canonical order: component by component, and a prefix before longer
/// names.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameRef<'a> {
    value: &'a [u8],
    count: usize,
}

impl<'a> NameRef<'a> {
    /// The name without components, `/`.
    pub const ROOT: NameRef<'static> = NameRef { value: &[], count: 0 };

    /// Decodes a name from `element`, a TLV of type 7.
    ///
    /// # Errors
    /// The element has another TYPE, or a component is malformed, has a TYPE above 65535, or is a
    /// digest of other than 32 octets.
    #[inline]
    pub fn decode(element: &Element<'a>) -> Result<NameRef<'a>, DecodeError> {
        let mut count = 0;
        for component in Reader::within(&element.expect(number::NAME)?) {
            Component::decode(&component?)?;
            count += 1;
        }
        Ok(NameRef { value: element.value, count })
    }

    /// Decodes the name whose components are back to back in `value`.
    ///
    /// # Errors
    /// A component is malformed, has a TYPE above 65535, or is a digest of other than 32 octets.
    pub fn from_value(value: &'a [u8]) -> Result<NameRef<'a>, DecodeError> {
        NameRef::decode(&Element { number: number::NAME, value, whole: value, offset: 0 })
    }

    /// A name of `count` components that have been checked.
    pub(super) fn checked(value: &'a [u8], count: usize) -> NameRef<'a> {
        NameRef { value, count }
    }

    /// TLVs of the components, back to back: the octets that [`Self::write`] writes after TYPE and
    /// LENGTH.
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        self.value
    }

    /// Number of components.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if the name has no components.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The components, first to last.
    #[inline]
    pub fn components(&self) -> Components<'a> {
        Components::of(self.value)
    }

    /// The component at `index`, counted from 0.
    pub fn component(&self, index: usize) -> Option<Component<'a>> {
        self.components().nth(index)
    }

    /// The last component.
    pub fn last(&self) -> Option<Component<'a>> {
        self.components().last()
    }

    /// Ends of the name's prefixes, from the empty prefix to the name itself.
    #[inline]
    pub fn prefixes(&self) -> Prefixes<'a> {
        Prefixes::of(self.value)
    }

    /// The name of the first `count` components, or the whole name if it has fewer.
    pub fn prefix(&self, count: usize) -> NameRef<'a> {
        match self.prefixes().nth(count) {
            Some(prefix) => NameRef { value: &self.value[..prefix.end], count },
            None => *self,
        }
    }

    /// The name without its last `count` components. Empty if the name has fewer.
    pub fn without_last(&self, count: usize) -> NameRef<'a> {
        self.prefix(self.count.saturating_sub(count))
    }

    /// The components after the first `count`, as a name.
    pub fn suffix(&self, count: usize) -> NameRef<'a> {
        let prefix = self.prefix(count);
        NameRef { value: &self.value[prefix.value.len()..], count: self.count - prefix.count }
    }

    /// True if this name is `other` or a prefix of it.
    #[inline]
    pub fn is_prefix_of(&self, other: &NameRef) -> bool {
        // No component's TLV is the beginning of another TLV, so equal octets mean equal
        // components.
        other.value.starts_with(self.value)
    }

    /// VALUE of the last component, if that is an implicit digest.
    pub fn implicit_digest(&self) -> Option<&'a [u8; 32]> {
        let last = self.last().filter(|last| u32::from(last.number) == number::IMPLICIT_DIGEST)?;
        last.value.try_into().ok()
    }

    /// Appends the name's TLV.
    #[inline]
    pub fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_element(out, number::NAME, self.value);
    }
}

impl PartialEq for NameRef<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for NameRef<'_> {}

impl Hash for NameRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl Ord for NameRef<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // TYPE and LENGTH have their shortest forms, so comparing octets is enough.
        self.value.cmp(other.value)
    }
}

impl PartialOrd for NameRef<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
