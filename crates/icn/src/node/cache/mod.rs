//! The content store: Data that this node has forwarded, for later Interests.

mod families;

use crate::name::{Name, Scope};
use crate::packet::{Data, Interest};
use crate::route::Route;
use families::Families;
use hashbrown::HashTable;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;

const NONE: u32 = u32::MAX;

/// The kept part of Data. Rates and route are left out, since they belong to another time and path.
#[derive(Clone, Debug)]
struct StoredData<N: Name> {
    name: N,
    body: N::Body,
    /// The hash of the name.
    hash: u64,
    size: Bytes,
    freshness: Span,
    fresh_until: Time,
    family: u32,
    /// Neighbours in the list by time of use.
    newer: u32,
    older: u32,
}

impl<N: Name> StoredData<N> {
    fn data(&self) -> Data<N> {
        Data {
            name: self.name.clone(),
            marked: false,
            no_cache: false,
            size: self.size,
            rates: Rates::UNLIMITED,
            freshness: self.freshness,
            route: Route::default(),
            token: N::Token::default(),
            body: self.body.clone(),
        }
    }
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

/// Data packets within limits; the least recently used is replaced first. As after a producer, the
/// first link downstream writes rates first. This rule is ours: the paper leaves caches out (MIRCC,
/// section 4).
#[derive(Clone)]
pub(crate) struct Cache<N: Name> {
    limits: CacheLimits,
    /// Places in `stored` by the hashes of names.
    index: HashTable<u32>,
    families: Families<N>,
    stored: Vec<StoredData<N>>,
    /// Places in `stored` without Data.
    free: Vec<u32>,
    bytes: Bytes,
    evicted: u64,
    newest: u32,
    oldest: u32,
}

impl<N: Name> Cache<N> {
    /// `hashing` must be the one of the hashes that it is given.
    pub(crate) fn new(limits: CacheLimits, hashing: N::Hashing) -> Cache<N> {
        Cache {
            limits,
            index: HashTable::new(),
            families: Families::new(hashing),
            stored: Vec::new(),
            free: Vec::new(),
            bytes: Bytes::ZERO,
            evicted: 0,
            newest: NONE,
            oldest: NONE,
        }
    }

    /// Number of Data packets stored.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Their octets.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Data packets that gave way to newer ones.
    pub(crate) fn evicted(&self) -> u64 {
        self.evicted
    }

    pub(crate) fn limits(&self) -> CacheLimits {
        self.limits
    }

    /// Sets new limits. Data beyond them is removed.
    pub(crate) fn set_limits(&mut self, limits: CacheLimits) {
        self.limits = limits;
        self.shrink();
    }

    /// Removes up to `most` Data packets under `prefix`, in the order of names. Returns their
    /// number.
    pub(crate) fn erase(&mut self, prefix: &N, most: usize) -> usize {
        let mut erased = 0;
        while erased < most
            && let Some(place) = self.first(prefix, |_| true)
        {
            self.remove(place);
            erased += 1;
        }
        erased
    }

    /// Stores a copy, unless the Data must not be stored or is larger than the whole store. `hash`
    /// is the hash of its name.
    pub(crate) fn offer(&mut self, now: Time, data: &Data<N>, hash: u64) {
        let CacheLimits { packets, bytes, admit, .. } = self.limits;
        if packets > 0
            && admit
            && !data.no_cache
            && data.size <= bytes
            && data.name.scope() != Scope::LocalHost
        {
            self.insert(now, data, hash);
        }
    }

    fn insert(&mut self, now: Time, data: &Data<N>, hash: u64) {
        let size = data.size;
        let freshness = data.freshness;
        let fresh_until = now + data.freshness;
        if let Some(place) = self.find(&data.name, hash) {
            let stored = &mut self.stored[place as usize];
            self.bytes = self.bytes + size - stored.size;
            // The name is a part of the packet that it came with.
            (stored.name, stored.body) = (data.name.clone(), data.body.clone());
            (stored.size, stored.freshness, stored.fresh_until) = (size, freshness, fresh_until);
            self.touch(place);
            return self.shrink();
        }
        if self.index.len() == self.limits.packets {
            self.remove(self.oldest);
            self.evicted += 1;
        }
        self.bytes += size;
        let place = self.free.pop().unwrap_or(self.stored.len() as u32);
        let family =
            self.families.insert(&data.name, place, |place| &self.stored[place as usize].name);
        let name = data.name.clone();
        let body = data.body.clone();
        let stored = StoredData {
            name,
            body,
            hash,
            size,
            freshness,
            fresh_until,
            family,
            newer: NONE,
            older: NONE,
        };
        match self.stored.get_mut(place as usize) {
            Some(free) => *free = stored,
            None => self.stored.push(stored),
        }
        self.index.insert_unique(hash, place, |place| self.stored[*place as usize].hash);
        self.link(place);
        self.shrink();
        if self.oldest != NONE
            && (self.index.len() == self.limits.packets || self.bytes + size > self.limits.bytes)
        {
            // More Data like this takes its place.
            self.stored[self.oldest as usize].name.warm();
        }
    }

    /// Removes what has not been used for longest until the limits hold.
    fn shrink(&mut self) {
        while self.index.len() > self.limits.packets || self.bytes > self.limits.bytes {
            self.remove(self.oldest);
            self.evicted += 1;
        }
    }

    fn remove(&mut self, place: u32) {
        self.unlink(place);
        let StoredData { hash, size, family, .. } = self.stored[place as usize];
        self.bytes -= size;
        self.families.remove(family, place, |place| &self.stored[place as usize].name);
        if let Ok(entry) = self.index.find_entry(hash, |other| *other == place) {
            entry.remove();
        }
        let stored = &mut self.stored[place as usize];
        (stored.name, stored.body) = (stored.name.first(0).detached(), N::Body::default());
        self.free.push(place);
    }

    /// A copy of the Data that answers the Interest: for a prefix, the first match in the order of
    /// names. `hash` is the hash of its name, without an implicit digest.
    pub(crate) fn lookup(
        &mut self,
        now: Time,
        interest: &Interest<N>,
        hash: u64,
    ) -> Option<Data<N>> {
        if self.index.is_empty() || !self.limits.serve {
            return None;
        }
        let usable =
            |place: u32| !interest.must_be_fresh || self.stored[place as usize].fresh_until > now;
        let place = if let Some(digest) = interest.name.implicit_digest() {
            let name = interest.name.first(interest.name.components() - 1);
            let of_digest = |place: &u32| {
                let stored = &self.stored[*place as usize];
                stored.name.digest_with(&stored.body) == Some(digest)
            };
            self.find(&name, hash).filter(|place| usable(*place)).filter(of_digest)
        } else if interest.can_be_prefix {
            self.first(&interest.name, usable)
        } else {
            self.find(&interest.name, hash).filter(|place| usable(*place))
        }?;
        self.touch(place);
        Some(self.stored[place as usize].data())
    }

    /// The place of the Data with exactly this name.
    fn find(&self, name: &N, hash: u64) -> Option<u32> {
        self.index.find(hash, |place| self.stored[*place as usize].name == *name).copied()
    }

    /// The place of the first wanted Data whose name is `prefix` or begins with it.
    fn first(&self, prefix: &N, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let name_at = |place: u32| &self.stored[place as usize].name;
        let own = self.find(prefix, self.families.hash(prefix)).filter(|place| wanted(*place));
        own.or_else(|| self.families.first_below(prefix, name_at, wanted))
    }

    fn touch(&mut self, place: u32) {
        self.unlink(place);
        self.link(place);
    }

    fn unlink(&mut self, place: u32) {
        let StoredData { newer, older, .. } = self.stored[place as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.stored[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.stored[older as usize].newer = newer,
        }
    }

    fn link(&mut self, place: u32) {
        let older = std::mem::replace(&mut self.newest, place);
        (self.stored[place as usize].newer, self.stored[place as usize].older) = (NONE, older);
        match older {
            NONE => self.oldest = place,
            _ => self.stored[older as usize].newer = place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interned::Interned;
    use crate::packet::Class;
    use crate::route::Steer;
    use proptest::prelude::*;
    use rustc_hash::FxBuildHasher;
    use std::collections::BTreeMap;

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

    fn hash(name: &Interned) -> u64 {
        name.hash_prefix(name.components(), &FxBuildHasher)
    }

    fn store(cache: &mut Cache<Interned>, data: &Data<Interned>) {
        cache.insert(ms(0), data, hash(&data.name));
    }

    fn lookup(
        cache: &mut Cache<Interned>,
        now: Time,
        interest: &Interest<Interned>,
    ) -> Option<Data<Interned>> {
        cache.lookup(now, interest, hash(&interest.name))
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn stale_data_answers_only_interests_that_accept_it() {
        let mut cache = Cache::new(CacheLimits::packets(4), FxBuildHasher);
        store(&mut cache, &data(1, 10));
        let any = interest(data(1, 0).name);
        let fresh = Interest { must_be_fresh: true, ..any.clone() };
        assert!(lookup(&mut cache, ms(9), &fresh).is_some());
        assert!(lookup(&mut cache, ms(10), &fresh).is_none());
        assert!(lookup(&mut cache, ms(10), &any).is_some());
    }

    #[test]
    fn a_prefix_is_answered_by_the_first_name_below_it() {
        let mut cache = Cache::new(CacheLimits::packets(4), FxBuildHasher);
        for segment in [13, 11, 21, 12] {
            store(&mut cache, &data(segment, if segment == 11 { 0 } else { 10 }));
        }
        let below =
            |content| Interest { can_be_prefix: true, ..interest(Interned::content(1, content)) };
        assert_eq!(lookup(&mut cache, ms(1), &below(1)).unwrap().name, data(11, 0).name);
        let fresh = Interest { must_be_fresh: true, ..below(1) };
        assert_eq!(lookup(&mut cache, ms(1), &fresh).unwrap().name, data(12, 0).name);
        assert!(lookup(&mut cache, ms(1), &below(3)).is_none());
        assert!(
            lookup(&mut cache, ms(1), &interest(Interned::content(1, 1))).is_none(),
            "whole names only"
        );
    }

    fn any_name() -> impl Strategy<Value = Interned> {
        (0u32..2, 0u32..3, 0u32..4, 1usize..=3)
            .prop_map(|(a, b, c, length)| Interned::segment(a, b, c).first(length))
    }

    proptest! {
        /// Against a sorted map of names, each fresh or not.
        #[test]
        fn prefixes_find_names_in_their_order(steps in prop::collection::vec((any_name(), 0u8..5), 1..80)) {
            let mut cache = Cache::new(CacheLimits::packets(100), FxBuildHasher);
            let mut all: BTreeMap<Interned, bool> = BTreeMap::new();
            for (name, step) in steps {
                let below = |all: &BTreeMap<Interned, bool>| -> Vec<(Interned, bool)> {
                    all.range(name..).take_while(|(other, _)| other.has_prefix(&name)).map(|(name, fresh)| (*name, *fresh)).collect()
                };
                match step {
                    0 | 1 => {
                        store(&mut cache, &Data { name, ..data(0, if step == 0 { 10 } else { 0 }) });
                        all.insert(name, step == 0);
                    }
                    2 => {
                        let erased: Vec<_> = below(&all).into_iter().take(2).collect();
                        prop_assert_eq!(cache.erase(&name, 2), erased.len());
                        erased.iter().for_each(|(name, _)| { all.remove(name); });
                    }
                    _ => {
                        let asked = Interest { can_be_prefix: true, must_be_fresh: step == 3, ..interest(name) };
                        let found = lookup(&mut cache, ms(1), &asked).map(|data| data.name);
                        prop_assert_eq!(found, below(&all).into_iter().find(|(_, fresh)| *fresh || step == 4).map(|(name, _)| name));
                    }
                }
                prop_assert_eq!(cache.len(), all.len());
            }
        }

        /// Against a list in the order of use.
        #[test]
        fn the_least_recently_used_goes_first(limit in 1usize..6, steps in prop::collection::vec((0u32..12, any::<bool>()), 1..100)) {
            let mut cache = Cache::new(CacheLimits::packets(limit), FxBuildHasher);
            let mut used: Vec<u32> = Vec::new();
            for (segment, insert) in steps {
                let known = used.iter().position(|other| *other == segment);
                known.map(|at| used.remove(at));
                if insert {
                    store(&mut cache, &data(segment, 0));
                    used.truncate(limit - 1);
                } else {
                    let found = lookup(&mut cache, ms(0), &interest(data(segment, 0).name));
                    prop_assert_eq!(found.is_some(), known.is_some());
                }
                if insert || known.is_some() {
                    used.insert(0, segment);
                }
            }
        }
    }
}
