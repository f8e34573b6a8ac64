//! Names of Interests and Data.

use std::fmt::Debug;
use std::hash::BuildHasher;

/// A name: interned numbers in the simulator, NDN names in a daemon.
///
/// A name is a sequence of components. A forwarder only hashes its prefixes and compares them. Names are in the canonical order of NDN (NDN
/// Packet Format Specification 0.3, "Name"): a prefix precedes all names under it.
pub trait Name: Clone + Eq + Ord + Debug {
    /// The hasher. A forwarder of untrusted names needs a keyed hash; the simulator does not. No order depends on hashes.
    type Hashing: BuildHasher + Clone + Default;

    /// Packet content that forwarders do not read: octets in a daemon, nothing in the simulator.
    type Body: Clone + Default + Debug;

    /// The number of components.
    fn components(&self) -> usize;

    /// The hash of its first `components` components, equal for equal prefixes.
    fn hash_prefix(&self, components: usize, hashing: &Self::Hashing) -> u64;

    /// True if `prefix` is this name or a prefix of it.
    fn has_prefix(&self, prefix: &Self) -> bool;
}

/// The segments of one content, by number from 0.
pub trait Content {
    /// Its names.
    type Name: Name;

    /// The name of a segment.
    fn name(&self, segment: u64) -> Self::Name;

    /// The segment with this name; `None` if the name is not of this content.
    fn segment(&self, name: &Self::Name) -> Option<u64>;
}
