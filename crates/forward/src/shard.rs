//! A shard of the tables on any thread, as the management sees it.

use crate::face::{FaceSetup, FaceTraffic};
use crate::memory::Settings;
use crate::name::PacketName;
use narrows_icn::{Budget, CacheLimits, FaceConfig, FaceCounters, FaceId, StrategyChoice};
use narrows_units::Time;

/// A change that every shard applies to its tables.
#[derive(Clone, Debug)]
pub(crate) enum TableChange {
    /// The prefix has these next hops.
    Route(PacketName, Vec<FaceId>),
    /// The prefix has no next hops any more.
    NoRoute(PacketName),
    /// Names under the prefix have this strategy.
    Strategy(PacketName, StrategyChoice),
    /// Names under the prefix have the strategy of a shorter prefix.
    NoStrategy(PacketName),
    /// The content stores of all shards have these limits together.
    Store(CacheLimits),
}

/// Octets in a table, and its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableUse {
    pub(crate) used: u64,
    pub(crate) limit: u64,
    /// Entries that were refused, or dropped for newer ones, because the table was full.
    pub(crate) refused: u64,
}

impl From<Budget> for TableUse {
    fn from(budget: Budget) -> TableUse {
        TableUse { used: budget.used(), limit: budget.limit(), refused: budget.refused() }
    }
}

/// Names of the tables whose octets are limited.
pub(crate) const TABLES: [&str; 7] =
    ["content-store", "pending", "names", "pieces", "pacing", "queues", "datasets"];

/// Counters and table sizes of a shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Pending Interests that Data has answered, and pending Interests that have expired.
    pub(crate) satisfied: u64,
    pub(crate) expired: u64,
    /// Interests that the content store answered, and Interests that it did not answer.
    pub(crate) cache_hits: u64,
    pub(crate) cache_misses: u64,
    /// Pending Interests.
    pub(crate) pending: u64,
    /// Data packets in the content store.
    pub(crate) cached: u64,
    /// Packets for other threads that were dropped because too many waited.
    pub(crate) lost: u64,
    /// Use of each table, in the order of [`TABLES`].
    pub(crate) uses: [TableUse; 7],
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.satisfied += other.satisfied;
        self.expired += other.expired;
        self.cache_hits += other.cache_hits;
        self.cache_misses += other.cache_misses;
        self.pending += other.pending;
        self.cached += other.cached;
        self.lost += other.lost;
        for (all, own) in self.uses.iter_mut().zip(&other.uses) {
            all.used += own.used;
            all.limit = all.limit.saturating_add(own.limit);
            all.refused += own.refused;
        }
    }
}

/// A face to be added to every shard.
pub(crate) struct NewFace<'a> {
    /// Slot of the face in every node.
    pub(crate) slot: FaceId,
    /// Number of the face in the management protocol.
    pub(crate) id: u64,
    /// Thread that reads and writes the socket of the face.
    pub(crate) owner: usize,
    pub(crate) setup: &'a FaceSetup,
    pub(crate) config: &'a FaceConfig,
}

/// A shard on another thread.
pub(crate) trait Shard: Send + Sync {
    /// Adds a face.
    fn add_face(&self, now: Time, face: &NewFace<'_>);

    /// Removes a face and its queued packets.
    fn remove_face(&self, now: Time, slot: FaceId);

    /// Applies settings to a face, if it belongs to the shard's thread.
    fn update_face(&self, slot: FaceId, settings: &Settings);

    /// Applies a change to the tables.
    fn change(&self, change: &TableChange);

    /// Removes at most `most` Data packets under `prefix` from the content store. Returns their
    /// number.
    fn erase(&self, prefix: &PacketName, most: usize) -> usize;

    /// Counters and table sizes of the shard.
    fn tally(&self) -> Tally;

    /// Packets of a face that this shard has counted.
    fn counters(&self, slot: FaceId) -> FaceCounters;

    /// Packets and octets of a face. `None` if it does not belong to the shard's thread.
    fn traffic(&self, slot: FaceId) -> Option<FaceTraffic>;
}
