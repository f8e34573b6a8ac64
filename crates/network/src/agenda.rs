//! The event queue.

use narrows_units::Time;

/// The time of the next event of each element: of links in a network, of flows and nodes in a
/// world. The earliest comes first; equal times come in the order of the elements' numbers.
///
/// A tournament tree beside its winner: each inner node holds the earlier of its two children. A
/// new time is compared from its leaf upwards, up to the first node that does not change. That
/// takes at most log2(n) comparisons, and few for an element whose event is far off. An element
/// that becomes the first does not enter the tree: mostly it is served, and far off, before another
/// overtakes it.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// The first element, its key and its time.
    number: usize,
    first: u64,
    at: Time,
    /// The tree: the root at 1, the children of node n at 2 n and 2 n + 1. The leaf of the first
    /// element may hold a later key than its own, all others hold their elements' keys.
    keys: Vec<u64>,
    /// When each element is due.
    times: Vec<Time>,
    /// The number of leaves: a power of two, at least 2.
    leaves: usize,
    /// Bits of an element's number. They are the low bits of a key, and the time since `base` is in
    /// the others: one comparison of words orders by time, and by number at equal times.
    bits: u32,
    base: Time,
    /// Stands in a key for all times that are too late for it. When nothing comes before these,
    /// keys begin anew from a later `base`. One more is never.
    far: u64,
    /// The lowest key of such a time.
    first_far: u64,
}

impl Agenda {
    /// An agenda of `elements`, none of which has an event.
    pub fn new(elements: usize) -> Agenda {
        debug_assert!(elements <= u32::MAX as usize, "{elements} elements");
        let leaves = elements.next_power_of_two().max(2);
        let bits = leaves.trailing_zeros();
        let mut agenda = Agenda {
            number: 0,
            first: 0,
            at: Time::NEVER,
            keys: vec![0; 2 * leaves],
            times: vec![Time::NEVER; leaves],
            leaves,
            bits,
            base: Time::ZERO,
            far: (u64::MAX >> bits) - 1,
            first_far: ((u64::MAX >> bits) - 1) << bits,
        };
        agenda.rebuild(Time::ZERO);
        agenda
    }

    /// Makes room for `elements` at least.
    pub fn grow(&mut self, elements: usize) {
        if elements <= self.leaves {
            return;
        }
        let mut larger = Agenda::new(elements);
        larger.times[..self.leaves].copy_from_slice(&self.times);
        larger.rebuild(self.base);
        larger.look_far();
        *self = larger;
    }

    /// Computes every key from the times.
    #[cold]
    fn rebuild(&mut self, base: Time) {
        self.base = base;
        for number in 0..self.leaves {
            let time = self.times[number];
            let never = time == Time::NEVER;
            let since = time.since(base).as_nanos().min(self.far + u64::from(never));
            self.keys[self.leaves + number] = self.key(number, since);
        }
        for parent in (1..self.leaves).rev() {
            self.keys[parent] = self.keys[2 * parent].min(self.keys[2 * parent + 1]);
        }
        self.take_first();
    }

    #[inline]
    fn key(&self, number: usize, since: u64) -> u64 {
        since << self.bits | number as u64
    }

    /// The first of the tree is the first.
    #[inline]
    fn take_first(&mut self) {
        self.first = self.keys[1];
        self.number = self.first as usize & (self.leaves - 1);
        self.at = self.times[self.number];
    }

    /// When an element is due.
    #[inline]
    pub fn time_of(&self, number: usize) -> Time {
        self.times[number]
    }

    /// Changes when an element is due; [`Time::NEVER`] for not at all.
    #[inline]
    pub fn set(&mut self, number: usize, time: Time) {
        self.times[number] = time;
        let since = time.as_nanos().wrapping_sub(self.base.as_nanos());
        if since >= self.far && time != Time::NEVER {
            return self.set_beyond(number, time);
        }
        let key = self.key(number, since.min(self.far + 1));
        self.put(number, key, time);
        if self.first >= self.first_far {
            self.look_far();
        }
    }

    /// The time is too far off for a key, or before the base of all keys.
    #[cold]
    fn set_beyond(&mut self, number: usize, time: Time) {
        if time < self.base {
            self.rebuild(Time::ZERO);
        } else {
            let key = self.key(number, self.far);
            self.put(number, key, time);
        }
        self.look_far();
    }

    /// Nothing is due before what is too far off for keys: they begin anew there.
    #[cold]
    fn look_far(&mut self) {
        if self.first >> self.bits == self.far {
            let first = self.times.iter().copied().min().unwrap_or(self.base);
            self.rebuild(first);
        }
    }

    #[inline]
    fn put(&mut self, number: usize, key: u64, time: Time) {
        let is_first = number == self.number;
        let mut entering = (number, key);
        if is_first {
            if key <= self.keys[1] {
                (self.first, self.at) = (key, time);
                return;
            }
        } else if key < self.first {
            entering = (self.number, self.first);
            (self.number, self.first, self.at) = (number, key, time);
        }
        self.enter(entering.0, entering.1);
        if is_first {
            self.take_first();
        }
    }

    /// Puts the key of an element into the tree.
    #[inline]
    fn enter(&mut self, number: usize, mut key: u64) {
        let mut node = self.leaves + number;
        // Where a node does not change, the nodes above it do not change either.
        while self.keys[node] != key {
            self.keys[node] = key;
            if node == 1 {
                return;
            }
            key = key.min(self.keys[node ^ 1]);
            node /= 2;
        }
    }

    /// Checks that each inner node holds the earlier of its children, and that nothing comes before
    /// the first. For tests.
    ///
    /// # Panics
    ///
    /// One does not, or something does.
    pub fn check(&self) {
        for node in 1..self.leaves {
            let below = self.keys[2 * node].min(self.keys[2 * node + 1]);
            assert_eq!(self.keys[node], below, "node {node} of {}", self.leaves);
        }
        assert!(self.first <= self.keys[1], "the first is first");
        assert_eq!(self.at, self.times[self.number], "the time of the first");
    }

    /// The earliest element and its time, [`Time::NEVER`] if nothing is due.
    #[inline]
    pub fn first(&self) -> (Time, usize) {
        (self.at, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::{Random, Span};

    /// Elements are set to times near by and far off, as often as not the first of them, so that
    /// time goes on.
    #[test]
    fn agrees_with_a_sorted_list() {
        let mut random = Random::stream(7, "agenda");
        for elements in [1usize, 2, 3, 5, 8, 100] {
            let mut agenda = Agenda::new(elements);
            let mut times = vec![Time::NEVER; elements];
            let mut now = Time::ZERO;
            for step in 0..6000 {
                if step == 3000 {
                    agenda.grow(elements * 30);
                    times.resize(elements * 30, Time::NEVER);
                }
                let mut element = random.below(times.len() as u64) as usize;
                let elements = times.len();
                if random.chance(0.5) && agenda.first().0 != Time::NEVER {
                    (now, element) = agenda.first();
                }
                // Events draw together and apart, so that gaps between them vary.
                let range = [50, 100_000, 1_000_000_000, 20_000_000_000]
                    [(step / 500 + random.below(2) as usize) % 4];
                let time = if random.chance(0.1) {
                    Time::NEVER
                } else {
                    now + Span::from_nanos(random.below(range))
                };
                agenda.set(element, time);
                agenda.check();
                times[element] = time;
                assert_eq!(agenda.time_of(element), time);
                let first = (0..elements).min_by_key(|e| (times[*e], *e)).unwrap();
                assert_eq!(agenda.first().0, times[first]);
                if times[first] != Time::NEVER {
                    assert_eq!(agenda.first().1, first);
                }
            }
        }
    }

    /// Keys have no room for times so far apart.
    #[test]
    fn orders_times_that_are_centuries_apart() {
        let mut agenda = Agenda::new(1 << 20);
        let at = |ns: u64| Time::from_nanos(ns);
        agenda.set(7, at(1 << 62));
        agenda.set(9, at((1 << 62) - 1));
        assert_eq!(agenda.first(), (at((1 << 62) - 1), 9));
        agenda.set(3, at(5));
        agenda.set(4, at(1 << 50));
        agenda.check();
        assert_eq!(agenda.first(), (at(5), 3));
        agenda.set(3, Time::NEVER);
        assert_eq!(agenda.first(), (at(1 << 50), 4));
        agenda.set(4, Time::NEVER);
        assert_eq!(agenda.first(), (at((1 << 62) - 1), 9));
        agenda.set(9, at(1 << 63));
        assert_eq!(agenda.first(), (at(1 << 62), 7));
        agenda.set(2, at(1 << 62));
        assert_eq!(agenda.first(), (at(1 << 62), 2));
        agenda.check();
    }
}
