//! A set of segment numbers kept as disjoint ranges.

use std::collections::VecDeque;
use std::ops::Range;

/// Numbers as sorted, disjoint, non-touching half-open ranges. Memory and time follow the number of
/// ranges (holes), not of members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSet {
    ranges: VecDeque<Range<u64>>,
}

impl RangeSet {
    /// True if it has no members.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.ranges.iter().cloned()
    }

    /// The lowest member.
    pub fn first(&self) -> Option<u64> {
        self.ranges.front().map(|range| range.start)
    }

    /// The member that `count` - 1 others are above, if there are so many.
    pub fn from_top(&self, count: u64) -> Option<u64> {
        let mut left = count.max(1);
        for range in self.ranges.iter().rev() {
            let size = range.end - range.start;
            if size >= left {
                return Some(range.end - left);
            }
            left -= size;
        }
        None
    }

    /// One past the last member of the range that holds `n`, if one does.
    #[inline]
    pub fn end_of(&self, n: u64) -> Option<u64> {
        let last = self.ranges.back()?;
        let range = if last.start <= n {
            last
        } else {
            &self.ranges[self.ranges.partition_point(|range| range.end <= n)]
        };
        range.contains(&n).then_some(range.end)
    }

    /// True if `n` is a member.
    pub fn contains(&self, n: u64) -> bool {
        self.end_of(n).is_some()
    }

    /// Index of the first range that ends after `n`. New members are nearly always in the last
    /// range or behind it.
    #[inline]
    fn position(&self, n: u64) -> usize {
        match self.ranges.back() {
            Some(last) if last.end <= n => self.ranges.len(),
            Some(last) if last.start <= n => self.ranges.len() - 1,
            _ => self.ranges.partition_point(|range| range.end <= n),
        }
    }

    /// Adds `new`, which is not empty, and calls `added` with each maximal part that was not a
    /// member before, ascending. Returns the range that holds it now.
    pub fn insert(&mut self, new: Range<u64>, mut added: impl FnMut(Range<u64>)) -> Range<u64> {
        debug_assert!(!new.is_empty(), "nothing to add");
        // As nearly always: the last range grows, or what it holds is added once more.
        if let Some(last) = self.ranges.back_mut()
            && last.start <= new.start
            && new.start <= last.end
        {
            let before = last.end;
            last.end = before.max(new.end);
            let whole = last.clone();
            if before < new.end {
                added(before..new.end);
            }
            return whole;
        }
        // Ranges first..end touch or overlap the new one.
        let mut first = self.position(new.start);
        if first > 0 && self.ranges[first - 1].end == new.start {
            first -= 1;
        }
        let mut end = first;
        let mut from = new.start;
        let mut merged = new.clone();
        while let Some(range) = self.ranges.get(end).filter(|range| range.start <= new.end) {
            if from < range.start {
                added(from..range.start);
            }
            from = from.max(range.end);
            merged = merged.start.min(range.start)..merged.end.max(range.end);
            end += 1;
        }
        if from < new.end {
            added(from..new.end);
        }
        if first == end {
            self.ranges.insert(first, merged.clone());
        } else {
            self.ranges[first] = merged.clone();
            if end - first > 1 {
                self.ranges.drain(first + 1..end);
            }
        }
        merged
    }

    /// Removes one member; true if it was one.
    pub fn remove(&mut self, n: u64) -> bool {
        let index = self.position(n);
        let Some(range) = self.ranges.get_mut(index).filter(|range| range.contains(&n)) else {
            return false;
        };
        match (range.start == n, range.end == n + 1) {
            (true, true) => drop(self.ranges.remove(index)),
            (true, false) => range.start = n + 1,
            (false, true) => range.end = n,
            (false, false) => {
                let tail = n + 1..range.end;
                range.end = n;
                self.ranges.insert(index + 1, tail);
            }
        }
        true
    }

    /// Removes every member below `n`.
    pub fn remove_below(&mut self, n: u64) {
        while let Some(front) = self.ranges.front_mut() {
            if front.start >= n {
                return;
            }
            if front.end > n {
                front.start = n;
                return;
            }
            self.ranges.pop_front();
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }
}
