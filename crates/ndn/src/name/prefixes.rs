//! The prefixes of a name.

use crate::tlv::Element;

/// A prefix of a name: whoever hashes names hashes the octets between the ends of two prefixes
/// once, and has the hashes of all prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The number of components.
    pub components: usize,
    /// The octets of the name's VALUE that belong to the prefix.
    pub end: usize,
}

/// The prefixes of a name, from the empty one to the name itself.
#[derive(Clone, Copy, Debug)]
pub struct Prefixes<'a> {
    value: &'a [u8],
    next: Option<Prefix>,
}

impl<'a> Prefixes<'a> {
    /// Of a VALUE that consists of components.
    pub(super) fn of(value: &'a [u8]) -> Prefixes<'a> {
        Prefixes { value, next: Some(Prefix { components: 0, end: 0 }) }
    }
}

impl Iterator for Prefixes<'_> {
    type Item = Prefix;

    #[inline]
    fn next(&mut self) -> Option<Prefix> {
        let prefix = self.next?;
        let longer = |component: Element| Prefix {
            components: prefix.components + 1,
            end: prefix.end + component.whole.len(),
        };
        self.next = Element::first(&self.value[prefix.end..], 0).ok().map(longer);
        Some(prefix)
    }
}
