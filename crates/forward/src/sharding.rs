//! Assignment of names and faces to threads.
//!
//! Every thread has a whole node with all faces, and a shard of the names: the names whose first
//! two components hash to the thread. An implicit digest is not counted as a component here, since
//! names in Data have none. An Interest and all Data that may answer it therefore meet in one node,
//! with one exception. An Interest for a prefix of fewer than two components (CanBePrefix) is wide.
//! It belongs to the first thread. While a wide Interest is pending, the other threads send this
//! thread a copy of all Data. Names under /localhost and /localhop belong to the first thread too,
//! because it has the management.
//!
//! The name alone determines the thread. No PIT token is needed, so the assignment also works if a
//! neighbour leaves tokens out or sends one Data for two of our Interests.

use crate::handover::Handover;
use crate::name::PacketName;
use ahash::RandomState;
use narrows_icn::{FaceId, Interest, Name, Packet, Scope};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of components that determine the thread.
pub(crate) const COMPONENTS: usize = 2;
/// Thread of the management and of wide Interests.
pub(crate) const FIRST: usize = 0;

/// A face, by its slot in every node.
#[derive(Clone, Copy, Debug)]
struct SlotEntry {
    /// Number of the face in the management protocol, which no other face ever gets.
    id: u64,
    /// Thread that reads and writes the socket of the face.
    owner: usize,
}

/// Data of one thread about all threads.
pub(crate) struct Sharding {
    own: usize,
    hashing: RandomState,
    /// Number of wide Interests that are pending at the first thread.
    wide: Arc<AtomicUsize>,
    /// Faces by slot in the node.
    slots: Vec<Option<SlotEntry>>,
    /// Handovers for each thread.
    pub(crate) outboxes: Vec<Vec<Handover>>,
}

impl Sharding {
    /// Makes the data of all `threads`, beginning with the first.
    pub(crate) fn of(threads: usize, seed: u64) -> impl Iterator<Item = Sharding> {
        let hashing = RandomState::with_seeds(seed, 1, 2, 3);
        let wide = Arc::new(AtomicUsize::new(0));
        (0..threads).map(move |own| Sharding {
            own,
            hashing: hashing.clone(),
            wide: wide.clone(),
            slots: Vec::new(),
            outboxes: (0..threads).map(|_| Vec::new()).collect(),
        })
    }

    pub(crate) fn threads(&self) -> usize {
        self.outboxes.len()
    }

    pub(crate) fn own(&self) -> usize {
        self.own
    }

    /// The thread of a packet, and whether the first thread gets a copy of it.
    pub(crate) fn thread_of(&self, packet: &Packet<PacketName>) -> (usize, bool) {
        match packet {
            Packet::Interest(interest) => (self.of_interest(interest), false),
            Packet::Nack(nack) => (self.of_interest(&nack.interest), false),
            Packet::Data(data) => {
                let name = &data.name;
                let thread = self.of_name(name, name.components());
                (thread, thread != FIRST && self.wide.load(Ordering::Acquire) > 0)
            }
        }
    }

    fn of_interest(&self, interest: &Interest<PacketName>) -> usize {
        let name = &interest.name;
        let has_digest = name.implicit_digest().is_some();
        let components = name.components() - usize::from(has_digest);
        if components < COMPONENTS && interest.can_be_prefix && !has_digest {
            FIRST
        } else {
            self.of_name(name, components)
        }
    }

    fn of_name(&self, name: &PacketName, components: usize) -> usize {
        match name.scope() {
            Scope::Global => {
                (name.hash_prefix(components.min(COMPONENTS), &self.hashing)
                    % self.threads() as u64) as usize
            }
            Scope::LocalHost | Scope::LocalHop => FIRST,
        }
    }

    /// Sets the number of wide Interests that are pending at the first thread.
    pub(crate) fn set_wide(&self, pending: usize) {
        self.wide.store(pending, Ordering::Release);
    }

    /// Puts a face into a slot.
    pub(crate) fn insert(&mut self, slot: FaceId, id: u64, owner: usize) {
        let at = slot.0 as usize;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, None);
        }
        self.slots[at] = Some(SlotEntry { id, owner });
    }

    /// Empties a slot. Returns the number of the face that was there.
    pub(crate) fn remove(&mut self, slot: FaceId) -> Option<u64> {
        Some(self.slots.get_mut(slot.0 as usize)?.take()?.id)
    }

    /// Number of the face in a slot.
    pub(crate) fn id(&self, slot: FaceId) -> Option<u64> {
        Some(self.slots.get(slot.0 as usize)?.as_ref()?.id)
    }

    /// Thread of the face in a slot.
    pub(crate) fn owner(&self, slot: FaceId) -> Option<usize> {
        Some(self.slots.get(slot.0 as usize)?.as_ref()?.owner)
    }

    /// True if this thread reads and writes the socket of the face in a slot.
    pub(crate) fn owns(&self, slot: FaceId) -> bool {
        self.owner(slot) == Some(self.own)
    }

    /// Adds a handover for all other threads.
    pub(crate) fn tell_all(&mut self, told: impl Fn() -> Handover) {
        let own = self.own;
        let others = self.outboxes.iter_mut().enumerate().filter(|(thread, _)| *thread != own);
        others.for_each(|(_, outbox)| outbox.push(told()));
    }
}
