//! The tables of a forwarder.

use crate::config::Tables;
use crate::face::Face;
use crate::memory::Memory;
use crate::name::PacketName;
use crate::rib::{Hop, Rib};
use narrows_icn::{FaceCounters, FaceId, Node};
use std::collections::BTreeMap;

pub(crate) struct State {
    pub(crate) node: Node<PacketName>,
    /// By place in the node.
    faces: Vec<Option<Face>>,
    /// The places of faces by their numbers to the outside.
    pub(crate) ids: BTreeMap<u64, FaceId>,
    pub(crate) rib: Rib<PacketName>,
    pub(crate) memory: Memory,
    pub(crate) tables: Tables,
    /// What faces counted that are gone.
    past: FaceCounters,
}

impl State {
    pub(crate) fn new(node: Node<PacketName>, memory: Memory, tables: Tables) -> State {
        State { node, faces: Vec::new(), ids: BTreeMap::new(), rib: Rib::default(), memory, tables, past: FaceCounters::default() }
    }

    pub(crate) fn insert(&mut self, face: Face) {
        let place = face.slot.0 as usize;
        if self.faces.len() <= place {
            self.faces.resize_with(place + 1, || None);
        }
        self.ids.insert(face.id, face.slot);
        self.faces[place] = Some(face);
    }

    pub(crate) fn remove(&mut self, slot: FaceId) -> Option<Face> {
        let face = self.faces.get_mut(slot.0 as usize)?.take()?;
        self.ids.remove(&face.id);
        add(&mut self.past, self.node.face(slot).counters);
        Some(face)
    }

    #[inline]
    pub(crate) fn face(&self, slot: FaceId) -> Option<&Face> {
        self.faces.get(slot.0 as usize)?.as_ref()
    }

    #[inline]
    pub(crate) fn face_mut(&mut self, slot: FaceId) -> Option<&mut Face> {
        self.faces.get_mut(slot.0 as usize)?.as_mut()
    }

    /// The face with this number to the outside.
    pub(crate) fn face_of(&self, id: u64) -> Option<&Face> {
        self.face(*self.ids.get(&id)?)
    }

    /// The faces, in the order of their numbers.
    pub(crate) fn faces(&self) -> impl Iterator<Item = &Face> {
        self.ids.values().filter_map(|slot| self.face(*slot))
    }

    /// Packets of all faces, also of those that are gone.
    pub(crate) fn totals(&self) -> FaceCounters {
        let mut totals = self.past;
        self.faces().for_each(|face| add(&mut totals, self.node.face(face.slot).counters));
        totals
    }

    /// Applies changed routes to the node.
    pub(crate) fn update_fib(&mut self) {
        for (prefix, hops) in self.rib.changes() {
            match hops {
                Some(hops) => {
                    let slots = hops.iter().filter_map(|Hop { face, .. }| self.ids.get(face).copied()).collect();
                    self.node.route(prefix, slots);
                }
                None => {
                    self.node.unroute(&prefix);
                }
            }
        }
    }
}

fn add(totals: &mut FaceCounters, face: &FaceCounters) {
    totals.interests_in += face.interests_in;
    totals.interests_out += face.interests_out;
    totals.data_in += face.data_in;
    totals.data_out += face.data_out;
    totals.nacks_in += face.nacks_in;
    totals.nacks_out += face.nacks_out;
}
