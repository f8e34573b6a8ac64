//! Forwarding on several threads: handovers between threads, and calls from the first thread.

use super::{Forwarder, Sockets};
use crate::face::{Face, FaceTraffic};
use crate::handover::{Handover, HandoverKind};
use crate::management;
use crate::memory::Settings;
use crate::name::PacketName;
use crate::shard::{NewFace, Shard, TableChange, Tally};
use crate::shared::Shared;
use narrows_icn::{FaceCounters, FaceId, Packet};
use narrows_units::Time;

impl Forwarder {
    /// Takes a handover from another thread.
    pub fn take(
        &mut self,
        now: Time,
        Handover { slot, id, what }: Handover,
        sockets: &mut impl Sockets,
    ) {
        let Some(sharding) =
            self.sharding.as_ref().filter(|sharding| sharding.id(slot) == Some(id))
        else {
            // The face has been removed.
            return;
        };
        match what {
            HandoverKind::Came(packet) => self.handle(now, slot, id, packet, sockets),
            HandoverKind::Copy(Packet::Data(data)) if self.state.node.awaits(now, &data) => {
                self.handle(now, slot, id, Packet::Data(data), sockets);
            }
            HandoverKind::Copy(_) => {}
            HandoverKind::Leaves(packet, from) if sharding.owns(slot) => {
                self.depart(now, slot, from, packet, sockets)
            }
            HandoverKind::Leaves(..) => {}
            HandoverKind::MirccSupport(neighbour) => self.state.node.set_neighbour(slot, neighbour),
            HandoverKind::Announce(kind) => self.announce(now, slot, kind, sockets),
        }
    }

    /// Handovers for each thread, in the order of the threads. Empty if there are no other threads.
    pub fn handed_over(&mut self) -> &mut [Vec<Handover>] {
        self.sharding.as_mut().map_or(&mut [], |sharding| &mut sharding.outboxes)
    }

    /// Counts packets for other threads that were dropped because too many waited for them.
    pub fn count_lost(&mut self, packets: u64) {
        self.state.lost += packets;
    }

    /// Faces of this thread that the first thread has removed since the last call. The caller
    /// closes their sockets.
    pub(crate) fn closing(&mut self) -> Vec<FaceId> {
        std::mem::take(&mut self.closing)
    }

    /// Number of a face in the management protocol.
    pub(crate) fn number_of(&self, slot: FaceId) -> Option<u64> {
        self.sharding.as_ref()?.id(slot)
    }

    /// True if the socket of a face belongs to this thread.
    pub(super) fn owns(&self, slot: FaceId) -> bool {
        self.sharding.as_ref().is_none_or(|sharding| sharding.owns(slot))
    }
}

impl Shard for Shared<Forwarder> {
    fn add_face(&self, now: Time, new: &NewFace<'_>) {
        let mut forwarder = self.borrow();
        let Forwarder { state, sharding: Some(sharding), .. } = &mut *forwarder else { return };
        let slot = state.node.add_face(now, new.config);
        debug_assert_eq!(slot, new.slot, "all threads must add and remove faces in the same order");
        sharding.insert(slot, new.id, new.owner);
        state.ids.insert(new.id, slot);
        if sharding.owns(slot) {
            let mut face = Face::new(now, new.id, new.setup.clone());
            face.set_pace(now);
            (face.slot, face.speaks) = (slot, new.config.rates);
            state.insert(face);
        }
    }

    fn remove_face(&self, now: Time, slot: FaceId) {
        let mut forwarder = self.borrow();
        let Forwarder { state, sharding: Some(sharding), closing, .. } = &mut *forwarder else {
            return;
        };
        if sharding.owns(slot) {
            closing.push(slot);
        }
        if let Some(id) = sharding.remove(slot) {
            state.ids.remove(&id);
        }
        let face = state.remove(slot);
        state.node.remove_face(now, slot);
        if let Some(face) = face {
            forwarder.forget(face);
        }
    }

    fn update_face(&self, slot: FaceId, settings: &Settings) {
        management::faces::apply_here(&mut self.borrow().state, slot, settings);
    }

    fn change(&self, change: &TableChange) {
        self.borrow().state.change(change);
    }

    fn erase(&self, prefix: &PacketName, most: usize) -> usize {
        self.borrow().state.erase_cached(prefix, most)
    }

    fn tally(&self) -> Tally {
        self.borrow().state.own_tally()
    }

    fn counters(&self, slot: FaceId) -> FaceCounters {
        *self.borrow().state.node.face(slot).counters
    }

    fn traffic(&self, slot: FaceId) -> Option<FaceTraffic> {
        self.borrow().state.face(slot).map(|face| face.traffic)
    }
}
