//! Intervals of a run.

use narrows_measure::Record;
use narrows_units::{Span, Time};

/// Returns the whole intervals of this length since warm-up.
pub(super) fn intervals(record: &Record, length: Span) -> impl Iterator<Item = (Time, Time)> {
    let (begin, over) = (Time::ZERO + record.warmup, Time::ZERO + record.duration);
    (0u64..)
        .map(move |n| (begin + length * n, begin + length * (n + 1)))
        .take_while(move |(_, to)| *to <= over)
}
