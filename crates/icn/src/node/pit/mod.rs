//! Interests that wait for Data: who asked, and who was asked.

mod wheel;

use super::steering::Way;
use crate::{FaceId, Interest, Name};
use hashbrown::HashTable;
use narrows_units::Time;
use wheel::Wheel;

/// An entry: its slot in the table, and the turn of that slot, so that what left the table is not taken for what came after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryId {
    slot: u32,
    turn: u32,
}

/// Somebody asked.
#[derive(Clone, Debug)]
pub(crate) struct InRecord<N: Name> {
    pub(crate) face: FaceId,
    pub(crate) expires: Time,
    /// As it came, for a refusal.
    pub(crate) interest: Interest<N>,
}

/// Somebody was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutRecord {
    pub(crate) face: FaceId,
    pub(crate) nonce: u32,
    /// When it left; `None` while it waits, and if it went twice, so that no round trip can be told from it.
    pub(crate) sent: Option<Time>,
    /// It went before.
    again: bool,
    /// There was a choice.
    pub(crate) split: bool,
    /// The random value it carries, if that is how paths are chosen.
    pub(crate) random: u64,
}

/// One Interest, of however many askers.
#[derive(Clone, Debug)]
pub(crate) struct Entry<N: Name> {
    name: N,
    can_be_prefix: bool,
    must_be_fresh: bool,
    hash: u64,
    turn: u32,
    pub(crate) expires: Time,
    /// At most one of each face.
    pub(crate) ins: Vec<InRecord<N>>,
    /// At most one of each face.
    pub(crate) outs: Vec<OutRecord>,
}

impl<N: Name> Entry<N> {
    fn is_of(&self, interest: &Interest<N>) -> bool {
        self.name == interest.name && self.can_be_prefix == interest.can_be_prefix && self.must_be_fresh == interest.must_be_fresh
    }

    /// True if an Interest from `from` has been here with this nonce, and came here by another way now.
    pub(crate) fn is_loop(&self, from: FaceId, nonce: u32) -> bool {
        let asked = self.ins.iter().any(|record| record.face != from && record.interest.nonce == nonce);
        let own = || self.ins.iter().any(|record| record.face == from && record.interest.nonce == nonce);
        asked || self.outs.iter().any(|out| out.nonce == nonce) && !own()
    }

    /// True if the first who asked wanted the way that this Interest wants.
    pub(crate) fn is_steered_as(&self, interest: &Interest<N>) -> bool {
        self.ins.first().is_some_and(|record| record.interest.steer.hint == interest.steer.hint)
    }

    /// True if `face` waits.
    pub(crate) fn has_asker(&self, face: FaceId) -> bool {
        self.ins.iter().any(|record| record.face == face)
    }

    /// `face` waits until `expires`.
    pub(crate) fn joins(&mut self, face: FaceId, expires: Time, interest: Interest<N>) {
        let record = InRecord { face, expires, interest };
        match self.ins.iter_mut().find(|record| record.face == face) {
            Some(own) => *own = record,
            None => self.ins.push(record),
        }
    }

    /// The Interest is to go by `way`.
    pub(crate) fn asks(&mut self, way: &Way, nonce: u32) {
        let mut out = OutRecord { face: way.face, nonce, sent: None, again: false, split: way.split, random: way.random };
        match self.outs.iter_mut().find(|out| out.face == way.face) {
            Some(before) => {
                out.again = true;
                *before = out;
            }
            None => self.outs.push(out),
        }
    }

    /// The Interest has left by `face`.
    pub(crate) fn leaves(&mut self, now: Time, face: FaceId, nonce: u32) {
        let of_this = |out: &&mut OutRecord| out.face == face && out.nonce == nonce && !out.again;
        if let Some(out) = self.outs.iter_mut().find(of_this) {
            out.sent = Some(now);
        }
    }

    /// How `face` was asked.
    pub(crate) fn asked(&self, face: FaceId) -> Option<OutRecord> {
        self.outs.iter().find(|out| out.face == face).copied()
    }

    /// `face` will not answer what it was asked with this nonce; `None` if it was not asked so.
    pub(crate) fn forget(&mut self, face: FaceId, nonce: u32) -> Option<OutRecord> {
        let at = self.outs.iter().position(|out| out.face == face && out.nonce == nonce)?;
        Some(self.outs.swap_remove(at))
    }
}

/// The pending Interest table (NFD Developer's Guide, section 3.4). Slots and their lists are used again, so that nothing is allocated once it has been as full as it gets.
#[derive(Clone)]
pub(crate) struct Pit<N: Name> {
    hashing: N::Hashing,
    index: HashTable<u32>,
    entries: Vec<Entry<N>>,
    free: Vec<u32>,
    wheel: Wheel,
    /// Entries that Data with a longer name answers, by the length of theirs.
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

    /// Entries, of which those that expired less than a width of the wheel's buckets ago may still be there; nothing finds them any more.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// The hash by which entries of this name are found.
    pub(crate) fn hash(&self, name: &N) -> u64 {
        name.hash_prefix(name.components(), &self.hashing)
    }

    /// The entry of a name and its selectors.
    pub(crate) fn find(&self, now: Time, interest: &Interest<N>, hash: u64) -> Option<EntryId> {
        let slot = *self.index.find(hash, |slot| {
            let entry = &self.entries[*slot as usize];
            entry.expires > now && entry.is_of(interest)
        })?;
        Some(self.id(slot))
    }

    /// All entries that Data of this name answers, appended to `found`.
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

    /// A new entry, without records. There must be none of its name and selectors.
    pub(crate) fn insert(&mut self, interest: &Interest<N>, hash: u64, expires: Time) -> EntryId {
        let slot = match self.free.pop() {
            Some(slot) => {
                let entry = &mut self.entries[slot as usize];
                entry.name.clone_from(&interest.name);
                (entry.can_be_prefix, entry.must_be_fresh) = (interest.can_be_prefix, interest.must_be_fresh);
                (entry.hash, entry.expires) = (hash, expires);
                entry.ins.clear();
                entry.outs.clear();
                slot
            }
            None => {
                self.entries.push(Entry {
                    name: interest.name.clone(),
                    can_be_prefix: interest.can_be_prefix,
                    must_be_fresh: interest.must_be_fresh,
                    hash,
                    turn: 0,
                    expires,
                    ins: Vec::with_capacity(1),
                    outs: Vec::with_capacity(1),
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

    /// The entry, if it is still there and has not expired.
    pub(crate) fn get_mut(&mut self, now: Time, id: EntryId) -> Option<&mut Entry<N>> {
        let entry = &mut self.entries[id.slot as usize];
        (entry.turn == id.turn && entry.expires > now).then_some(entry)
    }

    /// An entry that is there.
    pub(crate) fn entry(&mut self, id: EntryId) -> &mut Entry<N> {
        let entry = &mut self.entries[id.slot as usize];
        debug_assert_eq!(entry.turn, id.turn);
        entry
    }

    /// An entry that is there lasts until `expires` at least.
    pub(crate) fn extend(&mut self, id: EntryId, expires: Time) {
        let entry = self.entry(id);
        if entry.expires < expires {
            entry.expires = expires;
            self.wheel.remove(id.slot);
            self.wheel.insert(id.slot, expires);
        }
    }

    /// Takes out an entry that is there. What it held can be looked at until the next is inserted.
    pub(crate) fn remove(&mut self, id: EntryId) -> &mut Entry<N> {
        self.wheel.remove(id.slot);
        self.release(id.slot)
    }

    /// Takes out an entry that has expired; `None` once there is none, but for those of the wheel's current bucket.
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
        EntryId { slot, turn: self.entries[slot as usize].turn }
    }

    fn release(&mut self, slot: u32) -> &mut Entry<N> {
        let entry = &mut self.entries[slot as usize];
        entry.turn = entry.turn.wrapping_add(1);
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
