//! The order of stored names.

use crate::name::Name;
use hashbrown::HashTable;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

/// Names in their order, by the places at which they are stored. Names that differ in their last
/// component only are a family. The next segment of a content goes to the end of its family, and
/// the one used longest ago leaves from the beginning: neither costs a search.
#[derive(Clone)]
pub(super) struct Families<N: Name> {
    hashing: N::Hashing,
    families: Vec<Family<N>>,
    free: Vec<u32>,
    /// Families by the hash of their parents, and by the order of these.
    index: HashTable<u32>,
    order: BTreeMap<N, u32>,
}

#[derive(Clone, Debug)]
struct Family<N> {
    /// The beginning of its names: all of their components but the last one.
    parent: N,
    hash: u64,
    /// In the order of their names.
    places: VecDeque<u32>,
}

impl<N: Name> Families<N> {
    pub(super) fn new(hashing: N::Hashing) -> Families<N> {
        Families {
            hashing,
            families: Vec::new(),
            free: Vec::new(),
            index: HashTable::new(),
            order: BTreeMap::new(),
        }
    }

    /// The hash of a name.
    pub(super) fn hash(&self, name: &N) -> u64 {
        name.hash_prefix(name.components(), &self.hashing)
    }

    /// Adds the name stored at a place, which no other place holds; `name_at` tells the names of
    /// places. Returns its family.
    pub(super) fn insert<'a>(&mut self, name: &N, place: u32, name_at: impl Fn(u32) -> &'a N) -> u32
    where
        N: 'a,
    {
        let id = self.family_of(name);
        let places = &mut self.families[id as usize].places;
        if places.back().is_none_or(|last| name_at(*last) < name) {
            places.push_back(place);
        } else {
            let at = places.partition_point(|other| name_at(*other) < name);
            places.insert(at, place);
        }
        id
    }

    /// The family of a name; a new one if the name has no family.
    fn family_of(&mut self, name: &N) -> u32 {
        let length = name.components().saturating_sub(1);
        let hash = name.hash_prefix(length, &self.hashing);
        let families = &self.families;
        let is_parent = |parent: &N| parent.components() == length && name.has_prefix(parent);
        if let Some(id) = self.index.find(hash, |id| is_parent(&families[*id as usize].parent)) {
            return *id;
        }
        // The parent would keep the packet in which it came.
        let parent = name.first(length).detached();
        let id = self.free.pop().unwrap_or(self.families.len() as u32);
        self.order.insert(parent.clone(), id);
        match self.families.get_mut(id as usize) {
            Some(family) => (family.parent, family.hash) = (parent, hash),
            None => self.families.push(Family { parent, hash, places: VecDeque::new() }),
        }
        self.index.insert_unique(hash, id, |id| self.families[*id as usize].hash);
        id
    }

    /// Removes the name stored at a place.
    pub(super) fn remove<'a>(&mut self, id: u32, place: u32, name_at: impl Fn(u32) -> &'a N)
    where
        N: 'a,
    {
        let family = &mut self.families[id as usize];
        if family.places.front() == Some(&place) {
            family.places.pop_front();
        } else {
            let name = name_at(place);
            let at = family.places.partition_point(|other| name_at(*other) < name);
            family.places.remove(at);
        }
        if family.places.is_empty() {
            self.order.remove(&family.parent);
            if let Ok(entry) = self.index.find_entry(family.hash, |other| *other == id) {
                entry.remove();
            }
            self.free.push(id);
        }
    }

    /// The place of the first `wanted` one of the names longer than `prefix` that begin with it.
    /// `wanted`.
    pub(super) fn first_below<'a>(
        &self,
        prefix: &N,
        name_at: impl Fn(u32) -> &'a N,
        wanted: impl Fn(u32) -> bool,
    ) -> Option<u32>
    where
        N: 'a,
    {
        let mut first: Option<u32> = None;
        for (parent, id) in self.order.range((Bound::Included(prefix), Bound::Unbounded)) {
            // All names of a family come behind its parent, and so do those of the families behind
            // it.
            if !parent.has_prefix(prefix) || first.is_some_and(|first| name_at(first) <= parent) {
                break;
            }
            let mut places = self.families[*id as usize].places.iter().copied();
            let own = places.find(|place| wanted(*place));
            first = [first, own].into_iter().flatten().min_by(|a, b| name_at(*a).cmp(name_at(*b)));
        }
        first
    }
}
