//! The forwarding information base (FIB): next hops by the longest matching prefix.

use super::face_id::FaceId;
use crate::name::Name;
use hashbrown::HashTable;

/// A next hop of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextHop {
    /// Interests leave by this face.
    pub face: FaceId,
    /// Its weight in random choices: the capacity of the link out, in bit/s, below 2^48.
    pub weight: u64,
}

/// A prefix and its next hops, in the order in which they were given.
#[derive(Clone, Debug)]
struct Entry<N> {
    prefix: N,
    next_hops: Vec<NextHop>,
}

/// The forwarding information base (NFD Developer's Guide, section 3.1). A lookup hashes the name once for each prefix length present.
#[derive(Clone)]
pub(crate) struct Fib<N: Name> {
    hashing: N::Hashing,
    entries: HashTable<Entry<N>>,
    /// The prefix lengths present, the longest first, each with its number of prefixes.
    lengths: Vec<(usize, usize)>,
}

impl<N: Name> Fib<N> {
    pub(crate) fn new() -> Fib<N> {
        Fib { hashing: N::Hashing::default(), entries: HashTable::new(), lengths: Vec::new() }
    }

    /// Sets the next hops of a prefix, in place of earlier ones.
    pub(crate) fn insert(&mut self, prefix: N, next_hops: Vec<NextHop>) {
        self.remove(&prefix);
        let length = prefix.components();
        let hashing = self.hashing.clone();
        let hash = prefix.hash_prefix(length, &hashing);
        self.entries
            .insert_unique(hash, Entry { prefix, next_hops }, |entry| entry.prefix.hash_prefix(entry.prefix.components(), &hashing));
        match self.lengths.binary_search_by(|(present, _)| length.cmp(present)) {
            Ok(at) => self.lengths[at].1 += 1,
            Err(at) => self.lengths.insert(at, (length, 1)),
        }
    }

    /// Removes a prefix; false if it is not present.
    pub(crate) fn remove(&mut self, prefix: &N) -> bool {
        let length = prefix.components();
        let hash = prefix.hash_prefix(length, &self.hashing);
        let Ok(entry) = self.entries.find_entry(hash, |entry| entry.prefix == *prefix) else { return false };
        entry.remove();
        self.lengths.retain_mut(|(present, count)| {
            *count -= usize::from(*present == length);
            *count > 0
        });
        true
    }

    /// The next hops of the longest prefix of `name`.
    pub(crate) fn lookup(&self, name: &N) -> Option<&[NextHop]> {
        let components = name.components();
        for (length, _) in &self.lengths {
            if *length <= components {
                let hash = name.hash_prefix(*length, &self.hashing);
                let found = self.entries.find(hash, |entry| entry.prefix.components() == *length && name.has_prefix(&entry.prefix));
                if let Some(entry) = found {
                    return Some(&entry.next_hops);
                }
            }
        }
        None
    }

    /// Sets the weight of every next hop over `face`.
    pub(crate) fn set_weight(&mut self, face: FaceId, weight: u64) {
        let hops = self.entries.iter_mut().flat_map(|entry| &mut entry.next_hops);
        hops.filter(|hop| hop.face == face).for_each(|hop| hop.weight = weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interned::Interned;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn name() -> impl Strategy<Value = Interned> {
        (0u32..3, 0u32..3, 0u32..3, 1usize..=3).prop_map(|(prefix, content, segment, components)| match components {
            1 => Interned::prefix(prefix),
            2 => Interned::content(prefix, content),
            _ => Interned::segment(prefix, content, segment),
        })
    }

    proptest! {
        #[test]
        fn the_longest_prefix_is_found(
            steps in prop::collection::vec((name(), any::<bool>()), 1..40),
            asked in prop::collection::vec(name(), 1..20),
        ) {
            let mut fib = Fib::new();
            let mut all = BTreeMap::new();
            for (number, (prefix, insert)) in steps.into_iter().enumerate() {
                let hop = NextHop { face: FaceId(number as u32), weight: 1 };
                if insert {
                    fib.insert(prefix, vec![hop]);
                    all.insert(prefix, hop);
                } else {
                    prop_assert_eq!(fib.remove(&prefix), all.remove(&prefix).is_some());
                }
            }
            for name in asked {
                let longest = all.iter().filter(|(prefix, _)| name.has_prefix(prefix)).max_by_key(|(prefix, _)| prefix.components());
                prop_assert_eq!(fib.lookup(&name), longest.map(|(_, hop)| std::slice::from_ref(hop)));
            }
        }
    }
}
