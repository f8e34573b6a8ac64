//! The content store: Data that this node has forwarded, for later Interests.

use crate::name::Name;
use crate::packet::{Data, Interest};
use crate::route::Route;
use narrows_units::Time;
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

/// Up to `limit` Data packets; the least recently used is replaced first. Rates and route are not stored, since they belong to another time
/// and path: as after a producer, the first link downstream writes first. This rule is ours: the paper leaves caches out (MIRCC, section
/// 4).
#[derive(Clone, Debug)]
pub(crate) struct Cache<N: Name> {
    limit: usize,
    index: BTreeMap<N, u32>,
    stored: Vec<StoredData<N>>,
    newest: u32,
    oldest: u32,
}

impl<N: Name> Cache<N> {
    pub(crate) fn new(limit: usize) -> Cache<N> {
        Cache { limit, index: BTreeMap::new(), stored: Vec::new(), newest: NONE, oldest: NONE }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.limit == 0
    }

    /// Stores a copy.
    pub(crate) fn insert(&mut self, now: Time, data: &Data<N>) {
        let data = Data { rates: Rates::UNLIMITED, route: Route::default(), marked: false, ..data.clone() };
        let fresh_until = now + data.freshness;
        if let Some(slot) = self.index.get(&data.name).copied() {
            let stored = &mut self.stored[slot as usize];
            (stored.data, stored.fresh_until) = (data, fresh_until);
            self.touch(slot);
            return;
        }
        let name = data.name.clone();
        let stored = StoredData { data, fresh_until, newer: NONE, older: NONE };
        let slot = if self.stored.len() < self.limit {
            self.stored.push(stored);
            self.stored.len() as u32 - 1
        } else {
            let slot = self.oldest;
            self.unlink(slot);
            self.index.remove(&self.stored[slot as usize].data.name);
            self.stored[slot as usize] = stored;
            slot
        };
        self.index.insert(name, slot);
        self.link(slot);
    }

    /// A copy of the Data that answers the Interest: for a prefix, the first match in the order of names.
    pub(crate) fn lookup(&mut self, now: Time, interest: &Interest<N>) -> Option<Data<N>> {
        let usable = |slot: &u32| !interest.must_be_fresh || self.stored[*slot as usize].fresh_until > now;
        let slot = if interest.can_be_prefix {
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
    use narrows_units::{Bytes, Span};
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
            body: (),
        }
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn stale_data_answers_only_interests_that_accept_it() {
        let mut cache = Cache::new(4);
        cache.insert(ms(0), &data(1, 10));
        let any = interest(data(1, 0).name);
        let fresh = Interest { must_be_fresh: true, ..any.clone() };
        assert!(cache.lookup(ms(9), &fresh).is_some());
        assert!(cache.lookup(ms(10), &fresh).is_none());
        assert!(cache.lookup(ms(10), &any).is_some());
    }

    #[test]
    fn a_prefix_is_answered_by_the_first_name_below_it() {
        let mut cache = Cache::new(4);
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
            let mut cache = Cache::new(limit);
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
