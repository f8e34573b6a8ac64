//! A timing wheel for the slots of an arena.

use narrows_units::Time;

/// No slot.
const NONE: u32 = u32::MAX;
/// Buckets per revolution.
const BUCKETS: u64 = 512;
/// A bucket is 2^24 ns = 16.8 ms wide, so that a revolution takes 8.6 s, twice the default lifetime
/// of an Interest.
const SHIFT: u32 = 24;

/// Slots by the time at which they expire (Varghese and Lauck 1987, scheme 6). Inserting, removing
/// and expiring a slot take constant time. A slot that expires later than one revolution ahead is
/// returned too early; the caller inserts it again.
#[derive(Clone, Debug)]
pub(crate) struct Wheel {
    /// The first slot of each bucket.
    heads: Box<[u32]>,
    /// A bit for each bucket that is not empty.
    occupied: [u64; (BUCKETS / 64) as usize],
    links: Vec<Link>,
    /// All buckets up to this one have been emptied.
    past: u64,
    /// The first tick after `past` whose bucket is not empty; [`EMPTY`] if all are.
    first: u64,
}

/// Later than every tick.
const EMPTY: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    bucket: u32,
    before: u32,
    after: u32,
}

impl Wheel {
    pub(crate) fn new() -> Wheel {
        Wheel {
            heads: vec![NONE; BUCKETS as usize].into(),
            occupied: [0; (BUCKETS / 64) as usize],
            links: Vec::new(),
            past: 0,
            first: EMPTY,
        }
    }

    /// Slot `slot` expires at `at`. It must not be in the wheel.
    pub(crate) fn insert(&mut self, slot: u32, at: Time) {
        let tick = at.as_nanos().div_ceil(1 << SHIFT).clamp(self.past + 1, self.past + BUCKETS - 1);
        self.first = self.first.min(tick);
        let bucket = (tick % BUCKETS) as u32;
        let after = std::mem::replace(&mut self.heads[bucket as usize], slot);
        let link = Link { bucket, before: NONE, after };
        if slot as usize == self.links.len() {
            self.links.push(link);
        } else {
            self.links[slot as usize] = link;
        }
        if after != NONE {
            self.links[after as usize].before = slot;
        }
        self.occupied[bucket as usize / 64] |= 1 << (bucket % 64);
    }

    /// Removes slot `slot`, which must be in the wheel.
    pub(crate) fn remove(&mut self, slot: u32) {
        let Link { bucket, before, after } = self.links[slot as usize];
        match before {
            NONE => self.heads[bucket as usize] = after,
            _ => self.links[before as usize].after = after,
        }
        if after != NONE {
            self.links[after as usize].before = before;
        }
        if self.heads[bucket as usize] == NONE {
            self.occupied[bucket as usize / 64] &= !(1 << (bucket % 64));
            if u64::from(bucket) == self.first % BUCKETS {
                self.first = self.next().unwrap_or(EMPTY);
            }
        }
    }

    /// It is `now`. True if slots are in the buckets that have ended.
    pub(crate) fn pass(&mut self, now: Time) -> bool {
        let current = now.as_nanos() >> SHIFT;
        let ended = self.first <= current;
        if !ended {
            self.past = self.past.max(current);
        }
        ended
    }

    /// Removes a slot from the buckets that ended by `now`; `None` if they are empty.
    pub(crate) fn expired(&mut self, now: Time) -> Option<u32> {
        if !self.pass(now) {
            return None;
        }
        // One tick behind the bucket until it is empty.
        self.past = self.first - 1;
        let slot = self.heads[(self.first % BUCKETS) as usize];
        self.remove(slot);
        Some(slot)
    }

    /// The end of the first bucket that is not empty.
    pub(crate) fn due(&self) -> Option<Time> {
        (self.first != EMPTY).then(|| Time::from_nanos(self.first << SHIFT))
    }

    /// Finds the first tick after `past` whose bucket is not empty.
    fn next(&self) -> Option<u64> {
        let first = (self.past + 1) % BUCKETS;
        let words = self.occupied.len();
        (0..=words).find_map(|step| {
            let index = (first as usize / 64 + step) % words;
            let from = if step == 0 { u64::MAX << (first % 64) } else { u64::MAX };
            let word = self.occupied[index] & from;
            let bucket =
                (word != 0).then(|| 64 * index as u64 + u64::from(word.trailing_zeros()))?;
            Some(self.past + 1 + (bucket + BUCKETS - first) % BUCKETS)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::Span;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Insert(u64),
        Remove(usize),
        Pass(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0u64..30_000).prop_map(Step::Insert),
            2 => any::<usize>().prop_map(Step::Remove),
            3 => prop_oneof![0u64..100, 0u64..20_000].prop_map(Step::Pass),
        ]
    }

    proptest! {
        /// Against a map of all times: each slot expires within a bucket's width of its time. Times
        /// beyond a revolution are inserted again.
        #[test]
        fn slots_come_out_at_their_times(steps in prop::collection::vec(step(), 1..200)) {
            let mut wheel = Wheel::new();
            let mut times: BTreeMap<u32, Time> = BTreeMap::new();
            let mut now = Time::ZERO;
            let mut slots = 0u32;
            for step in steps {
                match step {
                    Step::Insert(ms) => {
                        let at = now + Span::from_millis(ms);
                        wheel.insert(slots, at);
                        times.insert(slots, at);
                        slots += 1;
                    }
                    Step::Remove(which) => {
                        if let Some(slot) = times.keys().nth(which % times.len().max(1)).copied() {
                            wheel.remove(slot);
                            times.remove(&slot);
                        }
                    }
                    Step::Pass(ms) => {
                        now += Span::from_millis(ms);
                        while let Some(slot) = wheel.expired(now) {
                            let at = times[&slot];
                            if at > now {
                                wheel.insert(slot, at);
                            } else {
                                times.remove(&slot);
                            }
                        }
                        let width = Span::from_nanos(1 << SHIFT);
                        prop_assert!(times.values().all(|at| *at + width > now), "{times:?} at {now:?}");
                    }
                }
                prop_assert_eq!(wheel.due().is_some(), !times.is_empty());
                let first = times.values().copied().fold(Time::NEVER, Time::min);
                prop_assert!(wheel.due().is_none_or(|due| due <= first + Span::from_nanos(1 << SHIFT)));
            }
        }
    }
}
