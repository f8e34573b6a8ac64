//! The event queue.

use narrows_units::Time;

/// When each element of the world wants to be looked at next: one time per element, the earliest first, equal times by element number.
///
/// A tournament tree: the winner of each pair moves up. Changing one element's time replays its games only, until one has the winner it had before: at most
/// log2(n) comparisons, few for an element that is not among the next. The winner of all is at the top.
#[derive(Clone, Debug)]
pub struct Agenda {
    nodes: Vec<Node>,
    leaves: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    time: Time,
    element: u32,
}

impl Agenda {
    /// An agenda of `elements`, none of which wants anything yet.
    pub fn new(elements: usize) -> Agenda {
        let leaves = elements.next_power_of_two().max(2);
        let mut nodes = vec![Node { time: Time::NEVER, element: 0 }; 2 * leaves];
        for element in 0..leaves {
            nodes[leaves + element].element = element as u32;
        }
        let mut agenda = Agenda { nodes, leaves };
        agenda.decide();
        agenda
    }

    /// Makes room for `elements` at least.
    pub fn grow(&mut self, elements: usize) {
        if elements <= self.leaves {
            return;
        }
        let mut larger = Agenda::new(elements);
        larger.nodes[larger.leaves..][..self.leaves].copy_from_slice(&self.nodes[self.leaves..]);
        larger.decide();
        *self = larger;
    }

    /// Plays all games.
    fn decide(&mut self) {
        for parent in (1..self.leaves).rev() {
            let (left, right) = (self.nodes[2 * parent], self.nodes[2 * parent + 1]);
            self.nodes[parent] = if right.time < left.time { right } else { left };
        }
    }

    /// When `element` is due.
    #[inline]
    pub fn time_of(&self, element: usize) -> Time {
        self.nodes[self.leaves + element].time
    }

    /// Changes when `element` is due; [`Time::NEVER`] for not at all.
    #[inline]
    pub fn set(&mut self, element: usize, time: Time) {
        let mut place = self.leaves + element;
        if self.nodes[place].time == time {
            return;
        }
        self.nodes[place].time = time;
        let mut winner = self.nodes[place];
        while place > 1 {
            let other = self.nodes[place ^ 1];
            // Of equal times the left one wins: it has the lower number.
            let other_wins = other.time < winner.time || (other.time == winner.time && place & 1 == 1);
            winner = if other_wins { other } else { winner };
            place /= 2;
            if self.nodes[place] == winner {
                // Nothing changes from here on: the games above were already won or lost by others.
                return;
            }
            self.nodes[place] = winner;
        }
    }

    /// The earliest element and its time, [`Time::NEVER`] if there is none.
    #[inline]
    pub fn first(&self) -> (Time, usize) {
        let top = self.nodes[1];
        (top.time, top.element as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_units::Random;

    #[test]
    fn agrees_with_a_sorted_list() {
        let mut random = Random::stream(7, "agenda");
        for elements in [1usize, 2, 3, 5, 8, 100] {
            let mut agenda = Agenda::new(elements);
            let mut times = vec![Time::NEVER; elements];
            for step in 0..2000 {
                if step == 1000 {
                    agenda.grow(elements * 3);
                    times.resize(elements * 3, Time::NEVER);
                }
                let elements = times.len();
                let element = random.below(elements as u64) as usize;
                let time = if random.chance(0.1) { Time::NEVER } else { Time::from_nanos(random.below(50)) };
                agenda.set(element, time);
                times[element] = time;
                let first = (0..elements).min_by_key(|e| (times[*e], *e)).unwrap();
                assert_eq!(agenda.first().0, times[first]);
                if times[first] != Time::NEVER {
                    assert_eq!(agenda.first().1, first);
                }
            }
        }
    }
}
