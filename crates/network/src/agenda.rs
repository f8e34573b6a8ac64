//! The event queue.

use narrows_units::Time;

/// The time of the next event of each element: of links in a network, of flows and nodes in a
/// world. The earliest comes first; equal times come in the order of the elements' numbers.
///
/// A tournament tree: each inner node holds the earlier of its two children. A new time is compared
/// from its leaf upwards, up to the first node that does not change. That takes at most log2(n)
/// comparisons, and few for an element whose event is far off.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// The tree: the root at 1, the children of node n at 2 n and 2 n + 1. Each node holds a time
    /// in its high 64 bits and the element's number in its low 64 bits. One comparison of integers
    /// then orders by time, and by number at equal times.
    nodes: Vec<u128>,
    /// The number of leaves: a power of two, at least 2.
    leaves: usize,
}

const NUMBER_BITS: u32 = 64;

#[inline]
fn entry(time: Time, element: usize) -> u128 {
    u128::from(time.as_nanos()) << NUMBER_BITS | element as u128
}

#[inline]
fn time(entry: u128) -> Time {
    Time::from_nanos((entry >> NUMBER_BITS) as u64)
}

impl Agenda {
    /// An agenda of `elements`, none of which has an event.
    pub fn new(elements: usize) -> Agenda {
        debug_assert!(elements <= u32::MAX as usize, "{elements} elements");
        let leaves = elements.next_power_of_two().max(2);
        let mut agenda = Agenda { nodes: vec![entry(Time::NEVER, 0); 2 * leaves], leaves };
        for element in 0..leaves {
            agenda.nodes[leaves + element] = entry(Time::NEVER, element);
        }
        agenda.rebuild();
        agenda
    }

    /// Makes room for `elements` at least.
    pub fn grow(&mut self, elements: usize) {
        if elements <= self.leaves {
            return;
        }
        let mut larger = Agenda::new(elements);
        larger.nodes[larger.leaves..][..self.leaves].copy_from_slice(&self.nodes[self.leaves..]);
        larger.rebuild();
        *self = larger;
    }

    /// Computes every inner node.
    fn rebuild(&mut self) {
        for parent in (1..self.leaves).rev() {
            self.nodes[parent] = self.nodes[2 * parent].min(self.nodes[2 * parent + 1]);
        }
    }

    /// When `element` is due.
    #[inline]
    pub fn time_of(&self, element: usize) -> Time {
        time(self.nodes[self.leaves + element])
    }

    /// Changes when `element` is due; [`Time::NEVER`] for not at all.
    #[inline]
    pub fn set(&mut self, element: usize, time: Time) {
        let mut node = self.leaves + element;
        let mut winner = entry(time, element);
        // Where a node does not change, the nodes above it do not change either.
        while self.nodes[node] != winner {
            self.nodes[node] = winner;
            if node == 1 {
                return;
            }
            winner = winner.min(self.nodes[node ^ 1]);
            node /= 2;
        }
    }

    /// Checks that each inner node holds the earlier of its children. For tests.
    ///
    /// # Panics
    ///
    /// One does not.
    pub fn check(&self) {
        for node in 1..self.leaves {
            let below = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
            assert_eq!(self.nodes[node], below, "node {node} of {}", self.leaves);
        }
    }

    /// The earliest element and its time, [`Time::NEVER`] if nothing is due.
    #[inline]
    pub fn first(&self) -> (Time, usize) {
        (time(self.nodes[1]), self.nodes[1] as u32 as usize)
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
}
