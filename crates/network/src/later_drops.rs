//! Drops that are known before their time.

use narrows_path::DropReason;
use narrows_units::Time;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A link will drop a packet, which was offered to it early.
#[derive(Debug)]
pub(crate) struct LaterDrop<I> {
    pub(crate) at: Time,
    pub(crate) link: usize,
    pub(crate) why: DropReason,
    pub(crate) identity: I,
    number: u64,
}

impl<I> LaterDrop<I> {
    fn key(&self) -> (Time, usize, u64) {
        (self.at, self.link, self.number)
    }
}

impl<I> PartialEq for LaterDrop<I> {
    fn eq(&self, other: &LaterDrop<I>) -> bool {
        self.key() == other.key()
    }
}

impl<I> Eq for LaterDrop<I> {}

impl<I> PartialOrd for LaterDrop<I> {
    fn partial_cmp(&self, other: &LaterDrop<I>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<I> Ord for LaterDrop<I> {
    fn cmp(&self, other: &LaterDrop<I>) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// All of them, in order of time, at one time by the links' numbers.
#[derive(Debug)]
pub(crate) struct Drops<I> {
    heap: BinaryHeap<Reverse<LaterDrop<I>>>,
    due: Time,
    numbered: u64,
}

impl<I> Default for Drops<I> {
    fn default() -> Drops<I> {
        Drops { heap: BinaryHeap::new(), due: Time::NEVER, numbered: 0 }
    }
}

impl<I> Drops<I> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// When the next one happens, [`Time::NEVER`] if none does.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        self.due
    }

    #[cold]
    pub(crate) fn push(&mut self, at: Time, link: usize, why: DropReason, identity: I) {
        self.numbered += 1;
        self.heap.push(Reverse(LaterDrop { at, link, why, identity, number: self.numbered }));
        self.due = self.due.min(at);
    }

    #[cold]
    pub(crate) fn pop(&mut self) -> Option<LaterDrop<I>> {
        let Reverse(first) = self.heap.pop()?;
        self.due = self.heap.peek().map_or(Time::NEVER, |Reverse(next)| next.at);
        Some(first)
    }
}
