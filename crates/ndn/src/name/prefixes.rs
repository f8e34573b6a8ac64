//! The prefixes of a name.

use crate::tlv::Element;

/// A prefix of a name. To hash all prefixes, it is enough to hash the octets between the ends of
/// successive prefixes once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Number of components.
    pub components: usize,
    /// Octets of the name's VALUE that belong to the prefix.
    pub end: usize,
}

/// The prefixes of a name, from the empty prefix to the name itself.
#[derive(Clone, Copy, Debug)]
pub struct Prefixes<'a> {
    value: &'a [u8],
    next: Option<Prefix>,
}

impl<'a> Prefixes<'a> {
    /// Iterates over the prefixes in a VALUE that consists of components.
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
