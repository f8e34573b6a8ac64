//! The forwarding information base (FIB): next hops by the longest matching prefix.

use super::prefixes::Prefixes;
use crate::face_id::FaceId;
use crate::name::Name;

/// A next hop of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextHop {
    /// Interests leave by this face.
    pub face: FaceId,
    /// Its weight in random choices: the capacity of the link out, in bit/s, below 2^48.
    pub weight: u64,
    /// The neighbour is on this host.
    pub local: bool,
}

/// The forwarding information base (NFD Developer's Guide, section 3.1): the next hops of prefixes,
/// in the order in which they were given.
#[derive(Clone)]
pub(crate) struct Fib<N: Name>(Prefixes<N, Vec<NextHop>>);

impl<N: Name> Fib<N> {
    pub(crate) fn new() -> Fib<N> {
        Fib(Prefixes::new())
    }

    /// Sets the next hops of a prefix, in place of earlier ones.
    pub(crate) fn insert(&mut self, prefix: N, next_hops: Vec<NextHop>) {
        self.0.insert(prefix, next_hops);
    }

    /// Removes a prefix; false if it is not present.
    pub(crate) fn remove(&mut self, prefix: &N) -> bool {
        self.0.remove(prefix)
    }

    /// The next hops of the longest prefix of `name`.
    pub(crate) fn lookup(&self, name: &N) -> Option<&[NextHop]> {
        self.0.lookup(name).map(Vec::as_slice)
    }

    /// Sets the weight of every next hop over `face`.
    pub(crate) fn set_weight(&mut self, face: FaceId, weight: u64) {
        let hops = self.0.values_mut().flatten();
        hops.filter(|hop| hop.face == face).for_each(|hop| hop.weight = weight);
    }

    /// Removes every next hop over `face`. Prefixes stay, also without a next hop.
    pub(crate) fn remove_face(&mut self, face: FaceId) {
        self.0.values_mut().for_each(|hops| hops.retain(|hop| hop.face != face));
    }
}
