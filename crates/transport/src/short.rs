//! Segments that are shorter than the others.

use narrows_units::Bytes;
use std::collections::VecDeque;

/// The last segments of messages, where they are short: number and payload, in order. Bulk data has
/// none.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShortSegments(VecDeque<(u64, Bytes)>);

impl ShortSegments {
    /// Segment `number`, above all others here, has only `bytes`.
    pub(crate) fn push(&mut self, number: u64, bytes: Bytes) {
        self.0.push_back((number, bytes));
    }

    /// The payload of a segment if it is short.
    #[inline]
    pub(crate) fn payload(&self, number: u64) -> Option<Bytes> {
        if self.0.is_empty() { None } else { self.find(number) }
    }

    fn find(&self, number: u64) -> Option<Bytes> {
        self.0
            .binary_search_by_key(&number, |(number, _)| *number)
            .ok()
            .map(|place| self.0[place].1)
    }

    /// Segments below `number` are acknowledged.
    #[inline]
    pub(crate) fn forget_below(&mut self, number: u64) {
        while self.0.front().is_some_and(|(first, _)| *first < number) {
            self.0.pop_front();
        }
    }

    /// Segments from `number` on were never sent and never will be.
    pub(crate) fn forget_from(&mut self, number: u64) {
        while self.0.back().is_some_and(|(last, _)| *last >= number) {
            self.0.pop_back();
        }
    }
}
