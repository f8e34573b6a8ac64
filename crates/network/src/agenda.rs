//! The event queue.

use narrows_units::Time;

/// When each element of the world wants to be looked at next: one time per element, the earliest
/// first, equal times by element number.
///
/// A tournament tree: the winner of each pair moves up. Changing one element's time replays its
/// games only, until one has the winner it had before: at most log2(n) comparisons, few for an
/// element that is not among the next. The winner of all is at the top.
#[derive(Clone, Debug)]
pub struct Agenda {
    /// The tree from the top at 1; below place n are 2 n and 2 n + 1. In each place the winner's
    /// time and, in the lower half, its number: so one comparison decides a game, by numbers at
    /// equal times.
    places: Vec<u128>,
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
    /// An agenda of `elements`, none of which wants anything yet.
    pub fn new(elements: usize) -> Agenda {
        debug_assert!(elements <= u32::MAX as usize, "{elements} elements");
        let leaves = elements.next_power_of_two().max(2);
        let mut agenda = Agenda { places: vec![entry(Time::NEVER, 0); 2 * leaves], leaves };
        for element in 0..leaves {
            agenda.places[leaves + element] = entry(Time::NEVER, element);
        }
        agenda.decide();
        agenda
    }

    /// Makes room for `elements` at least.
    pub fn grow(&mut self, elements: usize) {
        if elements <= self.leaves {
            return;
        }
        let mut larger = Agenda::new(elements);
        larger.places[larger.leaves..][..self.leaves].copy_from_slice(&self.places[self.leaves..]);
        larger.decide();
        *self = larger;
    }

    /// Plays all games.
    fn decide(&mut self) {
        for parent in (1..self.leaves).rev() {
            self.places[parent] = self.places[2 * parent].min(self.places[2 * parent + 1]);
        }
    }

    /// When `element` is due.
    #[inline]
    pub fn time_of(&self, element: usize) -> Time {
        time(self.places[self.leaves + element])
    }

    /// Changes when `element` is due; [`Time::NEVER`] for not at all.
    #[inline]
    pub fn set(&mut self, element: usize, time: Time) {
        let mut place = self.leaves + element;
        let mut winner = entry(time, element);
        // Once a winner stays, the games above it were already won or lost by others.
        while self.places[place] != winner {
            self.places[place] = winner;
            if place == 1 {
                return;
            }
            winner = winner.min(self.places[place ^ 1]);
            place /= 2;
        }
    }

    /// Checks that each place of the tree has the earlier of the two below it. For tests.
    ///
    /// # Panics
    ///
    /// One has not.
    pub fn check(&self) {
        for place in 1..self.leaves {
            let below = self.places[2 * place].min(self.places[2 * place + 1]);
            assert_eq!(self.places[place], below, "place {place} of {}", self.leaves);
        }
    }

    /// The earliest element and its time, [`Time::NEVER`] if nothing is due.
    #[inline]
    pub fn first(&self) -> (Time, usize) {
        (time(self.places[1]), self.places[1] as u32 as usize)
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
