//! Histograms as JSON: the counts of their buckets, the sum, the least and the largest value, in
//! nanoseconds.

use narrows_measure::Histogram;
use narrows_units::Span;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Kept {
    counts: Vec<(u64, u64)>,
    sum: u64,
    ends: [u64; 2],
}

pub(super) fn serialize<S: Serializer>(own: &Histogram, to: S) -> Result<S::Ok, S::Error> {
    let end = |own: Option<Span>| own.map_or(0, Span::as_nanos);
    let counts = own.counts().map(|(low, count)| (low.as_nanos(), count)).collect();
    let sum = u64::try_from(own.sum()).unwrap_or(u64::MAX);
    Kept { counts, sum, ends: [end(own.min()), end(own.max())] }.serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Histogram, D::Error> {
    let kept = Kept::deserialize(from)?;
    if kept.counts.is_empty() {
        return Ok(Histogram::new());
    }
    // The middles of buckets are at most twice their lower ends.
    let within = |(low, count): &(u64, u64)| *low <= u64::MAX / 4 && *count < 1 << 40;
    let all: u128 = kept.counts.iter().map(|(_, count)| u128::from(*count)).sum();
    let is_large = all > 1 << 52 || kept.ends[1] > u64::MAX / 2;
    if is_large || !kept.counts.iter().all(within) || kept.ends[0] > kept.ends[1] {
        return Err(D::Error::custom("it has counts that no histogram has"));
    }
    let counts = kept.counts.into_iter().map(|(low, count)| (Span::from_nanos(low), count));
    let [least, most] = kept.ends.map(Span::from_nanos);
    Ok(Histogram::restore(counts, u128::from(kept.sum), least, most))
}
