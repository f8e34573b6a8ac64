//! The table of pending Interests (PIT): which faces wait for Data, and which faces were asked.

mod entry;
mod few;
mod wheel;

use crate::face_id::FaceId;
use crate::name::Name;
use crate::packet::{Data, Interest};
pub(crate) use entry::{Entry, Failure, octets};
pub(crate) use few::Few;
use hashbrown::HashTable;
use narrows_units::Time;
use wheel::Wheel;

/// Refers to an entry: its slot, and the slot's generation, which tells an entry from the later
/// ones in the same slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryId {
    slot: u32,
    generation: u32,
}

/// The pending Interest table (NFD Developer's Guide, section 3.4). It reuses slots and their
/// lists: once it has been as full as it gets, it allocates nothing.
#[derive(Clone)]
pub(crate) struct Pit<N: Name> {
    hashing: N::Hashing,
    index: HashTable<u32>,
    entries: Vec<Entry<N>>,
    free: Vec<u32>,
    wheel: Wheel,
    /// Entries that Data with a longer name may answer, counted by the length of their own names.
    prefixes: Vec<u32>,
    /// Entries of Interests with a selector or an implicit digest. Without one, each entry has its
    /// own name.
    selecting: usize,
}

impl<N: Name> Pit<N> {
    pub(crate) fn new(hashing: N::Hashing) -> Pit<N> {
        Pit {
            hashing,
            index: HashTable::new(),
            entries: Vec::new(),
            free: Vec::new(),
            wheel: Wheel::new(),
            prefixes: Vec::new(),
            selecting: 0,
        }
    }

    /// Number of entries. Entries that expired less than one bucket of the wheel ago are counted,
    /// although no lookup finds them.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Number of entries that Data with a longer name may answer, and whose own names have fewer
    /// than `components` components.
    pub(crate) fn prefixes(&self, components: usize) -> usize {
        self.prefixes.iter().take(components).map(|count| *count as usize).sum()
    }

    /// The hash of the name of Data.
    pub(crate) fn hash_of_data(&self, name: &N) -> u64 {
        name.hash_prefix(name.components(), &self.hashing)
    }

    /// The hash by which entries of this name are found: without an implicit digest, which no name
    /// of Data ends with.
    pub(crate) fn hash(&self, name: &N) -> u64 {
        name.hash_prefix(
            name.components() - usize::from(name.implicit_digest().is_some()),
            &self.hashing,
        )
    }

    /// The entry with the name and selectors of `interest`.
    pub(crate) fn find(&self, now: Time, interest: &Interest<N>, hash: u64) -> Option<EntryId> {
        let slot = *self.index.find(hash, |slot| {
            let entry = &self.entries[*slot as usize];
            entry.expires > now && entry.matches(interest)
        })?;
        Some(self.id(slot))
    }

    /// The first entry that the Data answers. All further ones are appended to `more`. `hash` is
    /// the hash of its name.
    pub(crate) fn answered(
        &self,
        now: Time,
        data: &Data<N>,
        hash: u64,
        more: &mut Vec<EntryId>,
    ) -> Option<EntryId> {
        let name = &data.name;
        let whole = name.components();
        let by_digest = |own: &Interest<N>| {
            let digest = own.name.implicit_digest();
            digest.is_some()
                && own.name.components() == whole + 1
                && own.name.has_prefix(name)
                && name.digest_with(&data.body) == digest
        };
        let answers = |slot: &u32, length: usize| {
            let entry = &self.entries[*slot as usize];
            let matches = |own: &Interest<N>| {
                if length == whole {
                    own.name == *name || by_digest(own)
                } else {
                    own.can_be_prefix
                        && own.name.components() == length
                        && name.has_prefix(&own.name)
                }
            };
            entry.expires > now && entry.interest().is_some_and(matches)
        };
        if self.selecting == 0 {
            // A name has one entry at most.
            return self.index.find(hash, |slot| answers(slot, whole)).map(|slot| self.id(*slot));
        }
        more.extend(
            self.index
                .iter_hash(hash)
                .filter(|slot| answers(slot, whole))
                .map(|slot| self.id(*slot)),
        );
        for length in
            (0..whole.min(self.prefixes.len())).filter(|length| self.prefixes[*length] > 0)
        {
            let hash = name.hash_prefix(length, &self.hashing);
            more.extend(
                self.index
                    .iter_hash(hash)
                    .filter(|slot| answers(slot, length))
                    .map(|slot| self.id(*slot)),
            );
        }
        (!more.is_empty()).then(|| more.remove(0))
    }

    /// Creates an entry for an Interest that arrived from `face`. The table must hold none with its
    /// name and selectors.
    pub(crate) fn insert(
        &mut self,
        face: FaceId,
        interest: &Interest<N>,
        hash: u64,
        expires: Time,
    ) -> EntryId {
        self.selecting += usize::from(selects(interest));
        if interest.can_be_prefix {
            let length = interest.name.components();
            self.prefixes.resize(self.prefixes.len().max(length + 1), 0);
            self.prefixes[length] += 1;
        }
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.entries.push(Entry::new());
                self.entries.len() as u32 - 1
            }
        };
        let entry = &mut self.entries[slot as usize];
        entry.begin(hash, expires, face, interest.clone());
        let id = EntryId { slot, generation: entry.generation };
        let entries = &self.entries;
        self.index.insert_unique(hash, slot, |slot| entries[*slot as usize].hash);
        self.wheel.insert(slot, expires);
        id
    }

    /// The entry, if it still exists and has not expired.
    pub(crate) fn get_mut(&mut self, now: Time, id: EntryId) -> Option<&mut Entry<N>> {
        let entry = &mut self.entries[id.slot as usize];
        (entry.generation == id.generation && entry.expires > now).then_some(entry)
    }

    /// An entry that exists.
    pub(crate) fn entry(&mut self, id: EntryId) -> &mut Entry<N> {
        let entry = &mut self.entries[id.slot as usize];
        debug_assert_eq!(entry.generation, id.generation);
        entry
    }

    /// Prolongs an entry until `expires`, unless it lasts longer already.
    pub(crate) fn extend(&mut self, id: EntryId, expires: Time) {
        let entry = self.entry(id);
        if entry.expires < expires {
            entry.expires = expires;
            self.wheel.remove(id.slot);
            self.wheel.insert(id.slot, expires);
        }
    }

    /// Removes an entry that exists. Its records can be read until the next entry is inserted.
    pub(crate) fn remove(&mut self, id: EntryId) -> &mut Entry<N> {
        self.wheel.remove(id.slot);
        self.release(id.slot)
    }

    /// Removes what refers to a face: its in-records with the entries that nobody else waits for,
    /// and its out-records.
    pub(crate) fn remove_face(&mut self, face: FaceId) {
        let mut slots: Vec<u32> = self.index.iter().copied().collect();
        slots.sort_unstable();
        for slot in slots {
            let entry = &mut self.entries[slot as usize];
            entry.out_records.remove(|record| record.egress.face == face);
            let waits_alone = entry.in_records.iter().all(|record| record.face == face);
            if waits_alone {
                self.wheel.remove(slot);
                self.release(slot).in_records.clear();
            } else {
                entry.in_records.remove(|record| record.face == face);
            }
        }
    }

    /// It is `now`. True if [`expire`](Pit::expire) may find something.
    pub(crate) fn pass(&mut self, now: Time) -> bool {
        self.wheel.pass(now)
    }

    /// Removes an entry that has expired. `None` if none is left outside the wheel's current
    /// bucket.
    pub(crate) fn expire(&mut self, now: Time) -> Option<&mut Entry<N>> {
        loop {
            let slot = self.wheel.expired(now)?;
            let expires = self.entries[slot as usize].expires;
            if expires <= now {
                return Some(self.release(slot));
            }
            self.wheel.insert(slot, expires);
        }
    }

    /// When [`expire`](Pit::expire) may find something.
    pub(crate) fn due(&self) -> Option<Time> {
        self.wheel.due()
    }

    /// Checks that each slot is free or has an entry, and that counts are those of the entries. For
    /// tests.
    pub(crate) fn check(&self) {
        assert_eq!(self.index.len() + self.free.len(), self.entries.len(), "slots");
        let mut prefixes = vec![0; self.prefixes.len()];
        let mut selecting = 0;
        for slot in &self.index {
            assert!(!self.free.contains(slot), "slot {slot} is free and has an entry");
            let Some(interest) = self.entries[*slot as usize].interest() else { continue };
            selecting += usize::from(selects(interest));
            if interest.can_be_prefix {
                prefixes[interest.name.components()] += 1;
            }
        }
        assert_eq!(selecting, self.selecting, "entries of Interests that select");
        assert_eq!(prefixes, self.prefixes, "entries that longer names answer");
    }

    fn id(&self, slot: u32) -> EntryId {
        EntryId { slot, generation: self.entries[slot as usize].generation }
    }

    fn release(&mut self, slot: u32) -> &mut Entry<N> {
        let entry = &mut self.entries[slot as usize];
        entry.generation = entry.generation.wrapping_add(1);
        if let Some(interest) = entry.interest().filter(|interest| selects(interest)) {
            self.selecting -= 1;
            if interest.can_be_prefix {
                self.prefixes[interest.name.components()] -= 1;
            }
        }
        if let Ok(found) = self.index.find_entry(entry.hash, |other| *other == slot) {
            found.remove();
        }
        self.free.push(slot);
        entry
    }
}

/// True if Data beside that of exactly its name may answer the Interest, or not all Data of its
/// name does.
fn selects<N: Name>(interest: &Interest<N>) -> bool {
    interest.can_be_prefix
        || interest.must_be_fresh
        || interest.via.is_some()
        || interest.name.implicit_digest().is_some()
}
