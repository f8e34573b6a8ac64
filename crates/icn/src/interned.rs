//! The simulator's names: three numbers.

use crate::name::{Content, Name};
use rustc_hash::FxBuildHasher;
use std::cmp::Ordering;
use std::hash::BuildHasher;

/// A name of up to three components, each of them a number: a prefix that producers announce, a
/// content under it, a segment of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interned {
    prefix: u32,
    content: u32,
    segment: u32,
}

/// A component that the name lacks.
const NONE: u32 = u32::MAX;

impl Interned {
    /// A prefix that producers announce.
    pub fn prefix(prefix: u32) -> Interned {
        Interned { prefix, content: NONE, segment: NONE }
    }

    /// A content.
    pub fn content(prefix: u32, content: u32) -> Interned {
        Interned { prefix, content, segment: NONE }
    }

    /// A segment of a content.
    pub fn segment(prefix: u32, content: u32, segment: u32) -> Interned {
        Interned { prefix, content, segment }
    }

    /// The content of a content or a segment; `None` for a prefix.
    pub fn content_id(self) -> Option<InternedContent> {
        (self.content != NONE)
            .then_some(InternedContent { prefix: self.prefix, content: self.content })
    }
}

impl Ord for Interned {
    /// A prefix precedes the names under it.
    fn cmp(&self, other: &Interned) -> Ordering {
        let key = |name: &Interned| {
            [name.prefix, name.content, name.segment].map(|component| component.wrapping_sub(NONE))
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Interned {
    fn partial_cmp(&self, other: &Interned) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Name for Interned {
    type Hashing = FxBuildHasher;
    type Body = ();
    type Token = ();

    #[inline]
    fn components(&self) -> usize {
        // A component is there only behind another.
        [self.prefix, self.content, self.segment]
            .into_iter()
            .map(|component| usize::from(component != NONE))
            .sum()
    }

    #[inline]
    fn hash_prefix(&self, components: usize, hashing: &FxBuildHasher) -> u64 {
        let Interned { prefix, content, segment } = self.first(components);
        hashing.hash_one((u64::from(prefix) << 32 | u64::from(content), segment))
    }

    #[inline]
    fn has_prefix(&self, prefix: &Interned) -> bool {
        let has = |own: u32, other: u32| other == NONE || own == other;
        has(self.prefix, prefix.prefix)
            && has(self.content, prefix.content)
            && has(self.segment, prefix.segment)
    }

    #[inline]
    fn first(&self, components: usize) -> Interned {
        let kept = |place: usize, component: u32| if components > place { component } else { NONE };
        Interned {
            prefix: kept(0, self.prefix),
            content: kept(1, self.content),
            segment: kept(2, self.segment),
        }
    }
}

/// A content of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternedContent {
    /// The prefix that its producers announce.
    pub prefix: u32,
    /// Its number under that prefix.
    pub content: u32,
}

impl Content for InternedContent {
    type Name = Interned;

    fn name(&self, segment: u64) -> Interned {
        Interned::segment(self.prefix, self.content, segment as u32)
    }

    fn segment(&self, name: &Interned) -> Option<u64> {
        let of_this =
            name.components() == 3 && name.prefix == self.prefix && name.content == self.content;
        of_this.then_some(u64::from(name.segment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_a_segment() {
        let name = Interned::segment(1, 2, 3);
        let hashing = FxBuildHasher;
        let prefixes = [(Interned::prefix(1), 1), (Interned::content(1, 2), 2), (name, 3)];
        for (prefix, components) in prefixes {
            assert_eq!(prefix.components(), components);
            assert!(name.has_prefix(&prefix));
            assert_eq!(
                name.hash_prefix(components, &hashing),
                prefix.hash_prefix(components, &hashing)
            );
        }
        assert!(
            prefixes.is_sorted()
                && name < Interned::content(1, 3)
                && Interned::content(1, 3) < Interned::prefix(2)
        );
        assert!(
            !name.has_prefix(&Interned::content(1, 3)) && !Interned::prefix(1).has_prefix(&name)
        );
    }

    #[test]
    fn a_content_knows_its_segments() {
        let content = InternedContent { prefix: 1, content: 2 };
        assert_eq!(content.segment(&content.name(7)), Some(7));
        assert_eq!(content.segment(&Interned::segment(1, 3, 7)), None);
        assert_eq!(content.segment(&Interned::content(1, 2)), None);
    }
}
