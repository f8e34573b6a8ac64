//! The tables of a forwarder.

use crate::config::Tables;
use crate::face::{Face, FaceTraffic};
use crate::memory::ManagementState;
use crate::name::PacketName;
use crate::rib::{self, Hop, Rib};
use crate::shard::{Shard, TableChange, TableUse, Tally};
use narrows_icn::{Budget, CacheLimits, FaceCounters, FaceId, Node};
use narrows_units::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) struct State {
    pub(crate) node: Node<PacketName>,
    /// Faces by slot in the node. The first thread has all faces. For faces of other threads, it
    /// knows what their commands and datasets need.
    faces: Vec<Option<Face>>,
    /// Slots of faces by their numbers in the management protocol.
    pub(crate) ids: BTreeMap<u64, FaceId>,
    pub(crate) rib: Rib<PacketName>,
    pub(crate) memory: ManagementState,
    pub(crate) tables: Tables,
    /// Limits of the content stores of all threads together.
    store: CacheLimits,
    /// Number of threads that share the limits.
    threads: usize,
    /// Shards of the other threads, for the management on the first thread.
    pub(crate) others: Vec<Arc<dyn Shard>>,
    /// Packets for other threads that this thread has dropped because too many waited.
    pub(crate) lost: u64,
    /// Number of faces that neighbours on other hosts have created.
    pub(crate) guests: usize,
    /// Faces that were refused because there were too many, and faces that were evicted for new
    /// ones.
    pub(crate) faces_refused: u64,
    pub(crate) faces_evicted: u64,
    /// True if faces were refused recently.
    pub(crate) needs_eviction: bool,
    /// Use of the tables of fragments, of datagrams held back by pacing and of packets that sockets
    /// have not accepted, as of the latest upkeep.
    pub(crate) uses: [TableUse; 3],
    /// Octets of routes and strategies.
    pub(crate) names: Budget,
    /// Counters of removed faces, and the packets that these faces could not send.
    past: FaceCounters,
    pub(crate) past_dropped: u64,
}

impl State {
    pub(crate) fn new(node: Node<PacketName>, memory: ManagementState, tables: Tables) -> State {
        let threads = tables.threads;
        let names = Budget::new(tables.names_size.0.get());
        let store = CacheLimits {
            bytes: tables.content_store_size.0,
            ..CacheLimits::packets(tables.content_store)
        };
        let mut state = State {
            node,
            faces: Vec::new(),
            ids: BTreeMap::new(),
            rib: Rib::default(),
            memory,
            tables,
            store,
            threads,
            others: Vec::new(),
            lost: 0,
            guests: 0,
            faces_refused: 0,
            faces_evicted: 0,
            needs_eviction: false,
            uses: [TableUse::default(); 3],
            names,
            past: FaceCounters::default(),
            past_dropped: 0,
        };
        state.change(&TableChange::Store(store));
        state
    }

    pub(crate) fn insert(&mut self, face: Face) {
        let place = face.slot.0 as usize;
        if self.faces.len() <= place {
            self.faces.resize_with(place + 1, || None);
        }
        self.ids.insert(face.id, face.slot);
        self.guests += usize::from(face.is_guest);
        self.faces[place] = Some(face);
    }

    pub(crate) fn remove(&mut self, slot: FaceId) -> Option<Face> {
        let face = self.faces.get_mut(slot.0 as usize)?.take()?;
        self.ids.remove(&face.id);
        self.guests -= usize::from(face.is_guest);
        let counters = self.counters_of(slot);
        add(&mut self.past, &counters);
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

    /// The face with this number in the management protocol.
    pub(crate) fn face_of(&self, id: u64) -> Option<&Face> {
        self.face(*self.ids.get(&id)?)
    }

    /// The faces, in the order of their numbers.
    pub(crate) fn faces(&self) -> impl Iterator<Item = &Face> {
        self.ids.values().filter_map(|slot| self.face(*slot))
    }

    /// Packet counters of all faces, including removed ones.
    pub(crate) fn totals(&self) -> FaceCounters {
        let mut totals = self.past;
        self.faces().for_each(|face| add(&mut totals, &self.counters_of(face.slot)));
        totals
    }

    /// Packets that faces could not send, including removed faces.
    pub(crate) fn dropped(&self) -> u64 {
        let of_face = |face: &Face| {
            let traffic = self.traffic_of(face);
            traffic.dropped + traffic.refused
        };
        self.past_dropped + self.faces().map(of_face).sum::<u64>()
    }

    /// Packet counters of a face, summed over all threads.
    pub(crate) fn counters_of(&self, slot: FaceId) -> FaceCounters {
        let mut counters = *self.node.face(slot).counters;
        self.others.iter().for_each(|other| add(&mut counters, &other.counters(slot)));
        counters
    }

    /// Packets and octets of a face, from the thread that has its socket.
    pub(crate) fn traffic_of(&self, face: &Face) -> FaceTraffic {
        self.others.iter().find_map(|other| other.traffic(face.slot)).unwrap_or(face.traffic)
    }

    /// Counters and table sizes of this thread.
    pub(crate) fn own_tally(&self) -> Tally {
        let counters = self.node.counters();
        Tally {
            satisfied: counters.satisfied,
            expired: counters.expired,
            cache_hits: counters.cache_hits,
            cache_misses: counters.cache_misses,
            pending: self.node.pending() as u64,
            cached: self.node.cached() as u64,
            lost: self.lost,
            uses: self.own_uses(),
        }
    }

    /// Use of this thread's tables, in the order of [`TABLES`](crate::shard::TABLES).
    fn own_uses(&self) -> [TableUse; 7] {
        let limit = self.node.cache_limits().bytes.get();
        let store =
            TableUse { used: self.node.cached_octets().get(), limit, refused: self.node.evicted() };
        let [pieces, pacing, queues] = self.uses;
        [
            store,
            self.node.pending_octets().into(),
            self.names.into(),
            pieces,
            pacing,
            queues,
            self.memory.stored.budget().into(),
        ]
    }

    /// Counters and table sizes of all threads together.
    pub(crate) fn tally(&self) -> Tally {
        let mut all = self.own_tally();
        self.others.iter().for_each(|other| all.add(&other.tally()));
        all
    }

    /// Applies a change to the tables of all threads.
    pub(crate) fn change_all(&mut self, change: &TableChange) {
        self.change(change);
        self.others.iter().for_each(|other| other.change(change));
    }

    /// Applies a change to the tables of this thread.
    pub(crate) fn change(&mut self, change: &TableChange) {
        match change {
            TableChange::Route(prefix, slots) => self.node.route(prefix.clone(), slots.clone()),
            TableChange::NoRoute(prefix) => {
                self.node.unroute(prefix);
            }
            TableChange::Strategy(prefix, strategy) => {
                self.node.set_strategy(prefix.clone(), strategy)
            }
            TableChange::NoStrategy(prefix) => {
                self.node.unset_strategy(prefix);
            }
            TableChange::Store(limits) => {
                self.store = *limits;
                let bytes = Bytes::new(limits.bytes.get().div_ceil(self.threads as u64));
                self.node.set_cache_limits(CacheLimits {
                    packets: limits.packets.div_ceil(self.threads),
                    bytes,
                    ..*limits
                });
            }
        }
    }

    /// Limits of the content stores of all threads together.
    pub(crate) fn cache_limits(&self) -> CacheLimits {
        self.store
    }

    /// Removes at most `most` Data packets under `prefix` from the content stores of all threads.
    /// Returns their number.
    pub(crate) fn erase_cached(&mut self, prefix: &PacketName, most: usize) -> usize {
        let own = self.node.erase_cached(prefix, most);
        self.others.iter().fold(own, |erased, other| erased + other.erase(prefix, most - erased))
    }

    /// True if there is room for a route or a strategy of another prefix. Otherwise counts the
    /// refusal.
    pub(crate) fn admits_name(&mut self, prefix: &PacketName) -> bool {
        self.names.admits(0, rib::octets(prefix))
    }

    /// Updates the budget of names with the octets of routes and strategies.
    pub(crate) fn count_names(&mut self) {
        self.names.replace(self.names.used(), self.rib.octets() + self.memory.strategy_octets);
    }

    /// Applies changed routes to the node.
    pub(crate) fn update_fib(&mut self) {
        self.count_names();
        for (prefix, hops) in self.rib.changes() {
            let change = match hops {
                Some(hops) => TableChange::Route(
                    prefix,
                    hops.iter()
                        .filter_map(|Hop { face, .. }| self.ids.get(face).copied())
                        .collect(),
                ),
                None => TableChange::NoRoute(prefix),
            };
            self.change_all(&change);
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
