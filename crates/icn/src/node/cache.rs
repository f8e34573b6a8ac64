//! The content store: Data that this node has forwarded, for later Interests.

use crate::name::{Body, Name, Scope};
use crate::packet::{Data, Interest};
use crate::route::Route;
use narrows_units::{Bytes, Time};
use narrows_wire::Rates;
use std::collections::BTreeMap;
use std::ops::Bound;

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct StoredData<N: Name> {
    data: Data<N>,
    fresh_until: Time,
    /// Neighbours in the list by time of use.
    newer: u32,
    older: u32,
}

/// The most that a content store keeps, and what it is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// Data packets.
    pub packets: usize,
    /// Their size on the wire.
    pub bytes: Bytes,
    /// Data that comes is stored.
    pub admit: bool,
    /// Stored Data answers Interests.
    pub serve: bool,
}

impl CacheLimits {
    /// No content store.
    pub const OFF: CacheLimits = CacheLimits::packets(0);

    /// A content store of so many Data packets of any size.
    pub const fn packets(packets: usize) -> CacheLimits {
        CacheLimits { packets, bytes: Bytes::new(u64::MAX), admit: true, serve: true }
    }
}

/// Data packets within limits; the least recently used is replaced first. Rates and route are not stored, since they belong to another time
/// and path: as after a producer, the first link downstream writes first. This rule is ours: the paper leaves caches out (MIRCC, section
/// 4).
#[derive(Clone, Debug)]
pub(crate) struct Cache<N: Name> {
    limits: CacheLimits,
    index: BTreeMap<N, u32>,
    stored: Vec<StoredData<N>>,
    /// Places in `stored` without Data.
    free: Vec<u32>,
    bytes: Bytes,
    newest: u32,
    oldest: u32,
}

impl<N: Name> Cache<N> {
    pub(crate) fn new(limits: CacheLimits) -> Cache<N> {
        Cache { limits, index: BTreeMap::new(), stored: Vec::new(), free: Vec::new(), bytes: Bytes::ZERO, newest: NONE, oldest: NONE }
    }

    /// Number of Data packets stored.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    pub(crate) fn limits(&self) -> CacheLimits {
        self.limits
    }

    /// Sets new limits. What exceeds them is removed.
    pub(crate) fn set_limits(&mut self, limits: CacheLimits) {
        self.limits = limits;
        self.shrink();
    }

    /// Removes up to `most` Data packets under `prefix`, in the order of names. Returns their number.
    pub(crate) fn erase(&mut self, prefix: &N, most: usize) -> usize {
        let below = self.index.range(prefix..).take_while(|(name, _)| name.has_prefix(prefix));
        let slots: Vec<u32> = below.map(|(_, slot)| *slot).take(most).collect();
        slots.iter().for_each(|slot| self.remove(*slot));
        slots.len()
    }

    /// Stores a copy, unless the Data must not be stored or is larger than the whole store.
    pub(crate) fn offer(&mut self, now: Time, data: &Data<N>) {
        let CacheLimits { packets, bytes, admit, .. } = self.limits;
        if packets > 0 && admit && !data.no_cache && data.size <= bytes && data.name.scope() != Scope::LocalHost {
            self.insert(now, data);
        }
    }

    fn insert(&mut self, now: Time, data: &Data<N>) {
        let data = Data { rates: Rates::UNLIMITED, route: Route::default(), marked: false, token: N::Token::default(), ..data.clone() };
        let fresh_until = now + data.freshness;
        if let Some(slot) = self.index.get(&data.name).copied() {
            let stored = &mut self.stored[slot as usize];
            self.bytes = self.bytes + data.size - stored.data.size;
            (stored.data, stored.fresh_until) = (data, fresh_until);
            self.touch(slot);
            return self.shrink();
        }
        self.bytes += data.size;
        let name = data.name.clone();
        let stored = StoredData { data, fresh_until, newer: NONE, older: NONE };
        if self.index.len() == self.limits.packets {
            self.remove(self.oldest);
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                self.stored[slot as usize] = stored;
                slot
            }
            None => {
                self.stored.push(stored);
                self.stored.len() as u32 - 1
            }
        };
        self.index.insert(name, slot);
        self.link(slot);
        self.shrink();
    }

    /// Removes what has not been used for longest until the limits hold.
    fn shrink(&mut self) {
        while self.index.len() > self.limits.packets || self.bytes > self.limits.bytes {
            self.remove(self.oldest);
        }
    }

    fn remove(&mut self, slot: u32) {
        self.unlink(slot);
        let stored = &mut self.stored[slot as usize];
        self.bytes -= stored.data.size;
        stored.data.body = N::Body::default();
        self.index.remove(&stored.data.name);
        self.free.push(slot);
    }

    /// A copy of the Data that answers the Interest: for a prefix, the first match in the order of names.
    pub(crate) fn lookup(&mut self, now: Time, interest: &Interest<N>) -> Option<Data<N>> {
        if self.index.is_empty() || !self.limits.serve {
            return None;
        }
        let usable = |slot: &u32| !interest.must_be_fresh || self.stored[*slot as usize].fresh_until > now;
        let slot = if let Some(digest) = interest.name.implicit_digest() {
            let name = interest.name.first(interest.name.components() - 1);
            let of_digest = |slot: &u32| self.stored[*slot as usize].data.body.digest() == Some(digest);
            self.index.get(&name).copied().filter(|slot| usable(slot) && of_digest(slot))
        } else if interest.can_be_prefix {
            let from = (Bound::Included(&interest.name), Bound::Unbounded);
            let below = self.index.range(from).take_while(|(name, _)| name.has_prefix(&interest.name));
            below.map(|(_, slot)| *slot).find(usable)
        } else {
            self.index.get(&interest.name).copied().filter(usable)
        }?;
        self.touch(slot);
        Some(self.stored[slot as usize].data.clone())
    }

    fn touch(&mut self, slot: u32) {
        self.unlink(slot);
        self.link(slot);
    }

    fn unlink(&mut self, slot: u32) {
        let StoredData { newer, older, .. } = self.stored[slot as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.stored[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.stored[older as usize].newer = newer,
        }
    }

    fn link(&mut self, slot: u32) {
        let older = std::mem::replace(&mut self.newest, slot);
        (self.stored[slot as usize].newer, self.stored[slot as usize].older) = (NONE, older);
        match older {
            NONE => self.oldest = slot,
            _ => self.stored[older as usize].newer = slot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interned::Interned;
    use crate::packet::Class;
    use crate::route::Steer;
    use narrows_units::Span;
    use proptest::prelude::*;

    fn data(segment: u32, freshness_ms: u64) -> Data<Interned> {
        Data {
            name: Interned::segment(1, segment / 10, segment % 10),
            freshness: Span::from_millis(freshness_ms),
            rates: Rates::UNLIMITED,
            route: Route::default(),
            marked: false,
            no_cache: false,
            size: Bytes::new(1000),
            token: (),
            body: (),
        }
    }

    fn interest(name: Interned) -> Interest<Interned> {
        Interest {
            name,
            can_be_prefix: false,
            must_be_fresh: false,
            nonce: 1,
            lifetime: Span::from_secs(4),
            hop_limit: 64,
            class: Class::Primary,
            srtt: Span::ZERO,
            steer: Steer::default(),
            size: Bytes::new(100),
            via: None,
            token: (),
            body: (),
        }
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn stale_data_answers_only_interests_that_accept_it() {
        let mut cache = Cache::new(CacheLimits::packets(4));
        cache.insert(ms(0), &data(1, 10));
        let any = interest(data(1, 0).name);
        let fresh = Interest { must_be_fresh: true, ..any.clone() };
        assert!(cache.lookup(ms(9), &fresh).is_some());
        assert!(cache.lookup(ms(10), &fresh).is_none());
        assert!(cache.lookup(ms(10), &any).is_some());
    }

    #[test]
    fn a_prefix_is_answered_by_the_first_name_below_it() {
        let mut cache = Cache::new(CacheLimits::packets(4));
        for segment in [13, 11, 21, 12] {
            cache.insert(ms(0), &data(segment, if segment == 11 { 0 } else { 10 }));
        }
        let below = |content| Interest { can_be_prefix: true, ..interest(Interned::content(1, content)) };
        assert_eq!(cache.lookup(ms(1), &below(1)).unwrap().name, data(11, 0).name);
        let fresh = Interest { must_be_fresh: true, ..below(1) };
        assert_eq!(cache.lookup(ms(1), &fresh).unwrap().name, data(12, 0).name);
        assert!(cache.lookup(ms(1), &below(3)).is_none());
        assert!(cache.lookup(ms(1), &interest(Interned::content(1, 1))).is_none(), "whole names only");
    }

    proptest! {
        /// Against a list in the order of use.
        #[test]
        fn the_least_recently_used_goes_first(limit in 1usize..6, steps in prop::collection::vec((0u32..12, any::<bool>()), 1..100)) {
            let mut cache = Cache::new(CacheLimits::packets(limit));
            let mut used: Vec<u32> = Vec::new();
            for (segment, insert) in steps {
                let known = used.iter().position(|other| *other == segment);
                known.map(|at| used.remove(at));
                if insert {
                    cache.insert(ms(0), &data(segment, 0));
                    used.truncate(limit - 1);
                } else {
                    let found = cache.lookup(ms(0), &interest(data(segment, 0).name));
                    prop_assert_eq!(found.is_some(), known.is_some());
                }
                if insert || known.is_some() {
                    used.insert(0, segment);
                }
            }
        }
    }
}
