//! A shard of the tables as the management sees it, on whatever thread it is.

use crate::face::{FaceSetup, FaceTraffic};
use crate::memory::Settings;
use crate::name::PacketName;
use narrows_icn::{Budget, CacheLimits, FaceConfig, FaceCounters, FaceId, StrategyChoice};
use narrows_units::Time;

/// A change of tables that every shard has alike.
#[derive(Clone, Debug)]
pub(crate) enum TableChange {
    /// A prefix has these next hops.
    Route(PacketName, Vec<FaceId>),
    /// A prefix has none any more.
    NoRoute(PacketName),
    /// Names under a prefix have this strategy.
    Strategy(PacketName, StrategyChoice),
    /// They have that of a shorter prefix.
    NoStrategy(PacketName),
    /// The content stores of all shards together have these limits.
    Store(CacheLimits),
}

/// Octets in a table, and its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) used: u64,
    pub(crate) limit: u64,
    /// Entries refused, or dropped for newer ones, because the table was full.
    pub(crate) refused: u64,
}

impl From<Budget> for Use {
    fn from(budget: Budget) -> Use {
        Use { used: budget.used(), limit: budget.limit(), refused: budget.refused() }
    }
}

/// The tables whose octets are limited.
pub(crate) const TABLES: [&str; 7] =
    ["content-store", "pending", "names", "pieces", "pacing", "queues", "datasets"];

/// What a shard has counted and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Pending Interests that Data has answered, and those that have expired.
    pub(crate) satisfied: u64,
    pub(crate) expired: u64,
    /// Interests that its content store has answered, and those that it has not.
    pub(crate) cache_hits: u64,
    pub(crate) cache_misses: u64,
    /// Pending Interests.
    pub(crate) pending: u64,
    /// Data packets in its content store.
    pub(crate) cached: u64,
    /// Packets for other threads that it has dropped, because too many waited for them.
    pub(crate) lost: u64,
    /// Use of each table, in the order of [`TABLES`].
    pub(crate) uses: [Use; 7],
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

/// A face that every shard gets.
pub(crate) struct NewFace<'a> {
    /// Its place in every node.
    pub(crate) slot: FaceId,
    /// Its number to the outside.
    pub(crate) id: u64,
    /// The thread that reads and writes its socket.
    pub(crate) owner: usize,
    pub(crate) setup: &'a FaceSetup,
    pub(crate) config: &'a FaceConfig,
}

/// A shard on another thread.
pub(crate) trait Shard: Send + Sync {
    /// Adds a face.
    fn add_face(&self, now: Time, face: &NewFace<'_>);

    /// Removes a face, with what waits for it.
    fn remove_face(&self, now: Time, slot: FaceId);

    /// Applies settings to a face, if it belongs to the shard's thread.
    fn update_face(&self, slot: FaceId, settings: &Settings);

    /// Applies a change.
    fn change(&self, change: &TableChange);

    /// Removes up to `most` Data packets under `prefix` from its content store, and returns their number.
    fn erase(&self, prefix: &PacketName, most: usize) -> usize;

    /// What it has counted and holds.
    fn tally(&self) -> Tally;

    /// Packets of a face that it has counted.
    fn counters(&self, slot: FaceId) -> FaceCounters;

    /// Packets and octets of a face that belongs to the shard's thread.
    fn traffic(&self, slot: FaceId) -> Option<FaceTraffic>;
}
