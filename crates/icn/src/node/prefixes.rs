//! A table by prefix of names, with lookup of the longest match.

use crate::name::Name;
use hashbrown::HashTable;

/// A prefix and its value.
#[derive(Clone, Debug)]
struct Entry<N, V> {
    prefix: N,
    value: V,
}

/// Values by prefix (NFD Developer's Guide, section 3.1). A few are looked through; once there were
/// more, a lookup hashes the name once for each prefix length present.
#[derive(Clone)]
pub(crate) struct Prefixes<N: Name, V> {
    /// All, the longest first, as long as there have never been more than [`FEW`].
    few: Vec<Entry<N, V>>,
    hashing: N::Hashing,
    /// All, from then on.
    entries: HashTable<Entry<N, V>>,
    /// The prefix lengths in `entries`, the longest first, each with its number of prefixes.
    lengths: Vec<(usize, usize)>,
    is_hashed: bool,
}

/// Prefixes that are looked through faster than one name is hashed and looked up.
const FEW: usize = 4;

impl<N: Name, V> Prefixes<N, V> {
    pub(crate) fn new() -> Prefixes<N, V> {
        Prefixes {
            few: Vec::new(),
            hashing: N::Hashing::default(),
            entries: HashTable::new(),
            lengths: Vec::new(),
            is_hashed: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.few.is_empty() && self.entries.is_empty()
    }

    /// Sets the value of a prefix, in place of an earlier one.
    pub(crate) fn insert(&mut self, prefix: N, value: V) {
        self.remove(&prefix);
        if !self.is_hashed && self.few.len() < FEW {
            let length = prefix.components();
            let at = self.few.partition_point(|entry| entry.prefix.components() >= length);
            return self.few.insert(at, Entry { prefix, value });
        }
        self.is_hashed = true;
        for entry in std::mem::take(&mut self.few) {
            self.insert_hashed(entry);
        }
        self.insert_hashed(Entry { prefix, value });
    }

    fn insert_hashed(&mut self, entry: Entry<N, V>) {
        let length = entry.prefix.components();
        let hashing = self.hashing.clone();
        let hash = entry.prefix.hash_prefix(length, &hashing);
        self.entries.insert_unique(hash, entry, |entry| {
            entry.prefix.hash_prefix(entry.prefix.components(), &hashing)
        });
        match self.lengths.binary_search_by(|(present, _)| length.cmp(present)) {
            Ok(at) => self.lengths[at].1 += 1,
            Err(at) => self.lengths.insert(at, (length, 1)),
        }
    }

    /// Removes a prefix; false if it is not present.
    pub(crate) fn remove(&mut self, prefix: &N) -> bool {
        if !self.is_hashed {
            let at = self.few.iter().position(|entry| entry.prefix == *prefix);
            return at.map(|at| self.few.remove(at)).is_some();
        }
        let length = prefix.components();
        let hash = prefix.hash_prefix(length, &self.hashing);
        let Ok(entry) = self.entries.find_entry(hash, |entry| entry.prefix == *prefix) else {
            return false;
        };
        entry.remove();
        self.lengths.retain_mut(|(present, count)| {
            *count -= usize::from(*present == length);
            *count > 0
        });
        true
    }

    /// The value of the longest prefix of `name`.
    #[inline]
    pub(crate) fn lookup(&self, name: &N) -> Option<&V> {
        if self.is_hashed {
            return self.lookup_hashed(name);
        }
        self.few.iter().find(|entry| name.has_prefix(&entry.prefix)).map(|entry| &entry.value)
    }

    #[inline(never)]
    fn lookup_hashed(&self, name: &N) -> Option<&V> {
        let components = name.components();
        for (length, _) in &self.lengths {
            if *length <= components {
                let hash = name.hash_prefix(*length, &self.hashing);
                let found = self.entries.find(hash, |entry| {
                    entry.prefix.components() == *length && name.has_prefix(&entry.prefix)
                });
                if let Some(entry) = found {
                    return Some(&entry.value);
                }
            }
        }
        None
    }

    /// All values, in no order that may matter.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.few.iter_mut().chain(&mut self.entries).map(|entry| &mut entry.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interned::Interned;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn name() -> impl Strategy<Value = Interned> {
        (0u32..3, 0u32..3, 0u32..3, 1usize..=3).prop_map(
            |(prefix, content, segment, components)| match components {
                1 => Interned::prefix(prefix),
                2 => Interned::content(prefix, content),
                _ => Interned::segment(prefix, content, segment),
            },
        )
    }

    proptest! {
        #[test]
        fn the_longest_prefix_is_found(
            steps in prop::collection::vec((name(), any::<bool>()), 1..40),
            asked in prop::collection::vec(name(), 1..20),
        ) {
            let mut prefixes = Prefixes::new();
            let mut all = BTreeMap::new();
            for (number, (prefix, insert)) in steps.into_iter().enumerate() {
                if insert {
                    prefixes.insert(prefix, number);
                    all.insert(prefix, number);
                } else {
                    prop_assert_eq!(prefixes.remove(&prefix), all.remove(&prefix).is_some());
                }
            }
            prop_assert_eq!(prefixes.is_empty(), all.is_empty());
            for name in asked {
                let longest = all.iter().filter(|(prefix, _)| name.has_prefix(prefix)).max_by_key(|(prefix, _)| prefix.components());
                prop_assert_eq!(prefixes.lookup(&name), longest.map(|(_, number)| number));
            }
        }
    }
}
