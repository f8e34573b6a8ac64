//! The table of pending Interests (PIT): which faces wait for Data, and which faces were asked.

mod wheel;

use super::face_id::FaceId;
use super::steering::Egress;
use crate::name::Name;
use crate::packet::Interest;
use hashbrown::HashTable;
use narrows_units::Time;
use wheel::Wheel;

/// Refers to an entry: its slot, and the slot's generation, which tells an entry from the later ones in the same slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryId {
    slot: u32,
    generation: u32,
}

/// A face that waits for Data.
#[derive(Clone, Debug)]
pub(crate) struct InRecord<N: Name> {
    pub(crate) face: FaceId,
    pub(crate) expires: Time,
    /// As it arrived: a Nack returns it so.
    pub(crate) interest: Interest<N>,
}

/// A face to which the Interest was forwarded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutRecord {
    /// The face, and how it was chosen.
    pub(crate) egress: Egress,
    pub(crate) nonce: u32,
    /// When the Interest left; `None` while it waits in the shaper, and after a retransmission, whose round trip would be ambiguous.
    pub(crate) sent: Option<Time>,
    retransmitted: bool,
}

/// One Interest, however many faces wait for its Data.
#[derive(Clone, Debug)]
pub(crate) struct Entry<N: Name> {
    name: N,
    can_be_prefix: bool,
    must_be_fresh: bool,
    hash: u64,
    generation: u32,
    pub(crate) expires: Time,
    /// At most one per face.
    pub(crate) in_records: Vec<InRecord<N>>,
    /// At most one per face.
    pub(crate) out_records: Vec<OutRecord>,
}

impl<N: Name> Entry<N> {
    fn matches(&self, interest: &Interest<N>) -> bool {
        self.name == interest.name && self.can_be_prefix == interest.can_be_prefix && self.must_be_fresh == interest.must_be_fresh
    }

    /// True if this node has seen the nonce of an Interest from `from` on another face: the Interest loops.
    pub(crate) fn is_loop(&self, from: FaceId, nonce: u32) -> bool {
        let elsewhere = self.in_records.iter().any(|record| record.face != from && record.interest.nonce == nonce);
        let own = || self.in_records.iter().any(|record| record.face == from && record.interest.nonce == nonce);
        elsewhere || self.out_records.iter().any(|out| out.nonce == nonce) && !own()
    }

    /// True if the Interest that created the entry carries the same steering hint.
    pub(crate) fn has_hint_of(&self, interest: &Interest<N>) -> bool {
        self.in_records.first().is_some_and(|record| record.interest.steer.hint == interest.steer.hint)
    }

    /// True if `face` waits for Data.
    pub(crate) fn has_in_record(&self, face: FaceId) -> bool {
        self.in_records.iter().any(|record| record.face == face)
    }

    /// `face` waits for Data until `expires`. Replaces an earlier record of the face.
    pub(crate) fn insert_in_record(&mut self, face: FaceId, expires: Time, interest: Interest<N>) {
        let record = InRecord { face, expires, interest };
        match self.in_records.iter_mut().find(|record| record.face == face) {
            Some(own) => *own = record,
            None => self.in_records.push(record),
        }
    }

    /// The Interest is forwarded to `egress`. Replaces an earlier record of the face.
    pub(crate) fn insert_out_record(&mut self, egress: Egress, nonce: u32) {
        let out = OutRecord { egress, nonce, sent: None, retransmitted: false };
        match self.out_records.iter_mut().find(|out| out.egress.face == egress.face) {
            Some(before) => *before = OutRecord { retransmitted: true, ..out },
            None => self.out_records.push(out),
        }
    }

    /// The Interest with this nonce has left the shaper of `face`.
    pub(crate) fn mark_sent(&mut self, now: Time, face: FaceId, nonce: u32) {
        let of_this = |out: &&mut OutRecord| out.egress.face == face && out.nonce == nonce && !out.retransmitted;
        if let Some(out) = self.out_records.iter_mut().find(of_this) {
            out.sent = Some(now);
        }
    }

    /// The record of `face`, if the Interest was forwarded there.
    pub(crate) fn out_record(&self, face: FaceId) -> Option<OutRecord> {
        self.out_records.iter().find(|out| out.egress.face == face).copied()
    }

    /// Removes the record of `face` with this nonce, because the Interest failed there. `None` if there is none.
    pub(crate) fn remove_out_record(&mut self, face: FaceId, nonce: u32) -> Option<OutRecord> {
        let at = self.out_records.iter().position(|out| out.egress.face == face && out.nonce == nonce)?;
        Some(self.out_records.swap_remove(at))
    }
}

/// The pending Interest table (NFD Developer's Guide, section 3.4). It reuses slots and their lists: once it has been as full as it gets,
/// it allocates nothing.
#[derive(Clone)]
pub(crate) struct Pit<N: Name> {
    hashing: N::Hashing,
    index: HashTable<u32>,
    entries: Vec<Entry<N>>,
    free: Vec<u32>,
    wheel: Wheel,
    /// Entries that Data with a longer name may answer, counted by the length of their own names.
    prefixes: Vec<u32>,
}

impl<N: Name> Pit<N> {
    pub(crate) fn new() -> Pit<N> {
        Pit {
            hashing: N::Hashing::default(),
            index: HashTable::new(),
            entries: Vec::new(),
            free: Vec::new(),
            wheel: Wheel::new(),
            prefixes: Vec::new(),
        }
    }

    /// Number of entries. Entries that expired less than one bucket of the wheel ago are counted, although no lookup finds them.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// The hash by which entries of this name are found.
    pub(crate) fn hash(&self, name: &N) -> u64 {
        name.hash_prefix(name.components(), &self.hashing)
    }

    /// The entry with the name and selectors of `interest`.
    pub(crate) fn find(&self, now: Time, interest: &Interest<N>, hash: u64) -> Option<EntryId> {
        let slot = *self.index.find(hash, |slot| {
            let entry = &self.entries[*slot as usize];
            entry.expires > now && entry.matches(interest)
        })?;
        Some(self.id(slot))
    }

    /// Appends all entries that Data of this name answers to `found`.
    pub(crate) fn answered(&self, now: Time, name: &N, found: &mut Vec<EntryId>) {
        let whole = name.components();
        let answers = |slot: &&u32, length: usize| {
            let entry = &self.entries[**slot as usize];
            let matches = if length == whole {
                entry.name == *name
            } else {
                entry.can_be_prefix && entry.name.components() == length && name.has_prefix(&entry.name)
            };
            matches && entry.expires > now
        };
        found.extend(self.index.iter_hash(self.hash(name)).filter(|slot| answers(slot, whole)).map(|slot| self.id(*slot)));
        for length in (0..whole.min(self.prefixes.len())).filter(|length| self.prefixes[*length] > 0) {
            let hash = name.hash_prefix(length, &self.hashing);
            found.extend(self.index.iter_hash(hash).filter(|slot| answers(slot, length)).map(|slot| self.id(*slot)));
        }
    }

    /// Creates an entry without records. The table must hold none with its name and selectors.
    pub(crate) fn insert(&mut self, interest: &Interest<N>, hash: u64, expires: Time) -> EntryId {
        let slot = match self.free.pop() {
            Some(slot) => {
                let entry = &mut self.entries[slot as usize];
                entry.name.clone_from(&interest.name);
                (entry.can_be_prefix, entry.must_be_fresh) = (interest.can_be_prefix, interest.must_be_fresh);
                (entry.hash, entry.expires) = (hash, expires);
                entry.in_records.clear();
                entry.out_records.clear();
                slot
            }
            None => {
                self.entries.push(Entry {
                    name: interest.name.clone(),
                    can_be_prefix: interest.can_be_prefix,
                    must_be_fresh: interest.must_be_fresh,
                    hash,
                    generation: 0,
                    expires,
                    in_records: Vec::with_capacity(1),
                    out_records: Vec::with_capacity(1),
                });
                self.entries.len() as u32 - 1
            }
        };
        if interest.can_be_prefix {
            let length = interest.name.components();
            self.prefixes.resize(self.prefixes.len().max(length + 1), 0);
            self.prefixes[length] += 1;
        }
        let entries = &self.entries;
        self.index.insert_unique(hash, slot, |slot| entries[*slot as usize].hash);
        self.wheel.insert(slot, expires);
        self.id(slot)
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

    /// Removes an entry that has expired. `None` if none is left outside the wheel's current bucket.
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

    fn id(&self, slot: u32) -> EntryId {
        EntryId { slot, generation: self.entries[slot as usize].generation }
    }

    fn release(&mut self, slot: u32) -> &mut Entry<N> {
        let entry = &mut self.entries[slot as usize];
        entry.generation = entry.generation.wrapping_add(1);
        if entry.can_be_prefix {
            self.prefixes[entry.name.components()] -= 1;
        }
        if let Ok(found) = self.index.find_entry(entry.hash, |other| *other == slot) {
            found.remove();
        }
        self.free.push(slot);
        entry
    }
}
