//! Names of Interests and Data.

use std::fmt::Debug;
use std::hash::BuildHasher;

/// A name: interned numbers in the simulator, NDN names in a daemon.
///
/// A name is a sequence of components. A forwarder only hashes its prefixes and compares them.
/// Names are in the canonical order of NDN (NDN Packet Format Specification 0.3, "Name"): a prefix
/// precedes all names under it.
pub trait Name: Clone + Eq + Ord + Debug {
    /// The hasher. A forwarder of untrusted names needs a keyed hash; the simulator does not. No
    /// order depends on hashes.
    type Hashing: BuildHasher + Clone + Default;

    /// Packet content that forwarders do not read: nothing in the simulator. It goes with the name
    /// of its packet, which a daemon keeps in the octets of the packet.
    type Body: Clone + Default + Debug;

    /// Octets by which a neighbour finds its Interest when the answer arrives (NDNLPv2,
    /// "PitToken"): nothing in the simulator.
    type Token: Clone + Default + Debug;

    /// The number of components.
    fn components(&self) -> usize;

    /// The hash of its first `components` components, equal for equal prefixes.
    fn hash_prefix(&self, components: usize, hashing: &Self::Hashing) -> u64;

    /// True if `prefix` is this name or a prefix of it.
    fn has_prefix(&self, prefix: &Self) -> bool;

    /// The first `components` components, which must not be more than it has.
    fn first(&self, components: usize) -> Self;

    /// The same name, which keeps nothing else: a daemon's names are parts of the packets in which
    /// they came.
    fn detached(&self) -> Self {
        self.clone()
    }

    /// The octets that it takes by itself: none in the simulator.
    fn octets(&self) -> usize {
        0
    }

    /// It will be dropped soon. A daemon, which then uses its octets for another packet, has the
    /// processor fetch them from memory meanwhile.
    fn warm(&self) {}

    /// The implicit digest of Data with this name and body: the SHA-256 digest of the whole packet.
    /// `None` if it has no octets.
    fn digest_with(&self, _body: &Self::Body) -> Option<[u8; 32]> {
        None
    }

    /// The implicit digest with which it ends: only Data with this digest has this name (NDN Packet
    /// Format Specification 0.3, "Name").
    fn implicit_digest(&self) -> Option<[u8; 32]> {
        None
    }

    /// How far packets with this name may go.
    fn scope(&self) -> Scope {
        Scope::Global
    }
}

/// How far packets with a name may go (NFD Developer's Guide, section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Anywhere.
    Global,
    /// Interests from other hosts not to further hosts: names under `/localhop`.
    LocalHop,
    /// Only within this host: names under `/localhost`.
    LocalHost,
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
