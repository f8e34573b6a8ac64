//! Names: what Interests ask for and Data answers.

use std::fmt::Debug;
use std::hash::BuildHasher;

/// A name of any world: interned numbers in the simulator, NDN names in a daemon.
///
/// A name is a sequence of components. A forwarder hashes prefixes of it and compares them; it never takes it apart otherwise. Names are ordered so that a prefix stands
/// right before all names that begin with it, as the canonical order of NDN names has it (NDN Packet Format Specification 0.3, section 2.1).
pub trait Name: Clone + Eq + Ord + Debug {
    /// How names are hashed. A world whose names are chosen by strangers needs a keyed hash; the simulator does not. No order ever follows from a hash.
    type Hashing: BuildHasher + Clone + Default;

    /// What a packet carries beside what a forwarder reads: its octets in a daemon, nothing in the simulator.
    type Body: Clone + Default + Debug;

    /// How many components it has.
    fn components(&self) -> usize;

    /// The hash of its first `components` components; of equal prefixes it is equal.
    fn hash_prefix(&self, components: usize, hashing: &Self::Hashing) -> u64;

    /// True if `prefix` is this name or the beginning of it.
    fn has_prefix(&self, prefix: &Self) -> bool;
}

/// The segments of one content, by number from 0.
pub trait Content {
    /// Its names.
    type Name: Name;

    /// The name of a segment.
    fn name(&self, segment: u64) -> Self::Name;

    /// The segment that a name is of; `None` if it is of no segment of this content.
    fn segment(&self, name: &Self::Name) -> Option<u64>;
}
