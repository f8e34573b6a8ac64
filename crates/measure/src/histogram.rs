//! A streamed histogram of durations.

use narrows_units::Span;

const SUB_BITS: u32 = 6;
/// Buckets of an octave.
const SUB: usize = 1 << SUB_BITS;

/// Counts durations in buckets of at most 1/64 of their value: a quantile read from it is at most
/// 1.6 % from the true one. Memory follows the octaves between the smallest and the largest value
/// (256 bytes each; zero takes none), so that a hundred thousand of these fit in memory. A bucket
/// holds up to 2^32 - 1.
#[derive(Clone, Debug)]
pub struct Histogram {
    zeros: u64,
    /// The place of the first of `buckets`, at the beginning of an octave.
    first: usize,
    buckets: Vec<u32>,
    count: u64,
    sum: u128,
    /// `u64::MAX` while nothing is counted.
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            zeros: 0,
            first: 0,
            buckets: Vec::new(),
            count: 0,
            sum: 0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Histogram {
        Histogram::default()
    }

    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, value: Span) {
        let ns = value.as_nanos();
        if ns == 0 {
            return self.record_zeros(1);
        }
        let place = place(ns);
        match self.buckets.get_mut(place.wrapping_sub(self.first)) {
            Some(bucket) => *bucket = bucket.saturating_add(1),
            None => *self.open(place) = 1,
        }
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.count += 1;
        self.sum += u128::from(ns);
    }

    /// Counts so many durations of zero.
    #[inline]
    pub fn record_zeros(&mut self, number: u64) {
        if number > 0 {
            self.zeros += number;
            self.count += number;
            self.min = 0;
        }
    }

    /// The bucket at `place`, made if it is not there.
    #[cold]
    fn open(&mut self, place: usize) -> &mut u32 {
        let octave = place / SUB * SUB;
        if self.buckets.is_empty() {
            self.first = octave;
        }
        if octave < self.first {
            self.buckets.splice(0..0, std::iter::repeat_n(0, self.first - octave));
            self.first = octave;
        }
        let needed = octave + SUB - self.first;
        if self.buckets.len() < needed {
            self.buckets.resize(needed, 0);
        }
        &mut self.buckets[place - self.first]
    }

    fn add(&mut self, place: usize, count: u64) {
        if place == 0 {
            self.zeros += count;
        } else {
            let bucket = self.open(place);
            *bucket = bucket.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        }
        self.count += count;
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        for (place, count) in other.occupied() {
            self.add(place, count);
        }
    }

    /// A histogram from what [`Histogram::counts`], [`Histogram::sum`], [`Histogram::min`] and
    /// [`Histogram::max`] of another said.
    pub fn restore(
        counts: impl IntoIterator<Item = (Span, u64)>,
        sum: u128,
        min: Span,
        max: Span,
    ) -> Histogram {
        let mut restored =
            Histogram { sum, min: min.as_nanos(), max: max.as_nanos(), ..Histogram::default() };
        for (low, count) in counts {
            restored.add(place(low.as_nanos()), count);
        }
        restored
    }

    /// Each occupied bucket's lower edge and how many values it holds, in rising order.
    pub fn counts(&self) -> impl Iterator<Item = (Span, u64)> + '_ {
        self.occupied().map(|(place, count)| (Span::from_nanos(bounds(place).0), count))
    }

    /// The sum of all values in nanoseconds.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The smallest, exact; `None` if empty.
    pub fn min(&self) -> Option<Span> {
        (self.count > 0).then(|| Span::from_nanos(self.min))
    }

    /// The largest, exact; `None` if empty.
    pub fn max(&self) -> Option<Span> {
        (self.count > 0).then(|| Span::from_nanos(self.max))
    }

    /// The mean, rounded down to a nanosecond; `None` if empty.
    pub fn mean(&self) -> Option<Span> {
        (self.count > 0).then(|| Span::from_nanos((self.sum / self.count as u128) as u64))
    }

    /// The smallest value that at least the share `q` (0 to 1) of all values does not exceed, to
    /// the middle of its bucket; `None` if empty.
    pub fn quantile(&self, q: f64) -> Option<Span> {
        let wanted = ((self.count as f64 * q).ceil() as u64).clamp(1, self.count.max(1));
        self.middles()
            .scan(0, |seen, (middle, count)| {
                *seen += count;
                Some((middle, *seen))
            })
            .find(|(_, seen)| *seen >= wanted)
            .map(|(middle, _)| Span::from_nanos(middle))
    }

    /// The cumulative distribution: each occupied bucket's upper edge with the share of values up
    /// to it.
    pub fn cdf(&self) -> Vec<(Span, f64)> {
        let mut seen = 0;
        self.occupied()
            .map(|(place, count)| {
                seen += count;
                let (low, width) = bounds(place);
                (Span::from_nanos((low + width).min(self.max)), seen as f64 / self.count as f64)
            })
            .collect()
    }

    /// The middle of each occupied bucket, within the smallest and the largest value, and how many
    /// it holds, in rising order.
    pub(crate) fn middles(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.occupied().map(|(place, count)| {
            let (low, width) = bounds(place);
            ((low + width / 2).clamp(self.min, self.max), count)
        })
    }

    /// Occupied buckets in rising order.
    fn occupied(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let zeros = (self.zeros > 0).then_some((0, self.zeros));
        let others = self
            .buckets
            .iter()
            .enumerate()
            .map(|(index, count)| (self.first + index, *count as u64));
        zeros.into_iter().chain(others.filter(|(_, count)| *count > 0))
    }
}

/// Octave 0 holds 0..64 exactly; octave k holds 64·2^(k-1) to 64·2^k in 64 steps. A place is an
/// octave and a step in it.
#[inline]
fn place(ns: u64) -> usize {
    // Octave 1 has the steps of octave 0; in the others the step's highest bit counts the octave.
    let shift = u64::BITS - 1 - SUB_BITS - (ns | (2 * SUB as u64 - 1)).leading_zeros();
    shift as usize * SUB + (ns >> shift) as usize
}

/// The lowest value of a place, and how much more the highest is.
fn bounds(place: usize) -> (u64, u64) {
    let octave = place / SUB;
    let sub = place % SUB;
    match octave {
        0 => (sub as u64, 0),
        _ => {
            let width = 1u64 << (octave - 1);
            ((SUB + sub) as u64 * width, width - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket() {
        for shift in 0..64 {
            for offset in [0u64, 1, 17] {
                let ns = (1u64 << shift).saturating_add(offset);
                let (low, width) = bounds(place(ns));
                assert!(low <= ns && ns - low <= width, "{ns} in {low}+{width}");
                assert!(width <= low / 64 || ns < 64);
            }
        }
    }

    #[test]
    fn quantiles_of_a_known_set() {
        let mut histogram = Histogram::new();
        for ms in 1..=1000 {
            histogram.record(Span::from_millis(ms));
        }
        for (q, ms) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0), (1.0, 1000.0)] {
            let got = histogram.quantile(q).unwrap().as_millis_f64();
            assert!((got / ms - 1.0).abs() < 0.016, "{q}: {got}");
        }
        assert_eq!(histogram.mean(), Some(Span::from_nanos(500_500_000)));
        assert_eq!(histogram.min(), Some(Span::from_millis(1)));
        assert_eq!(histogram.cdf().last().unwrap().1, 1.0);
    }

    #[test]
    fn a_restored_histogram_is_the_same() {
        let mut histogram = Histogram::new();
        for i in 0..100u64 {
            histogram.record(Span::from_nanos(i * i * i * 1_000));
        }
        let restored = Histogram::restore(
            histogram.counts(),
            histogram.sum(),
            histogram.min().unwrap(),
            histogram.max().unwrap(),
        );
        assert_eq!(format!("{restored:?}"), format!("{histogram:?}"));
    }

    #[test]
    fn merging_equals_recording_both() {
        let mut a = Histogram::new();
        let mut b = Histogram::new();
        let mut both = Histogram::new();
        for i in 0..100u64 {
            let span = Span::from_nanos(i * i * 1_000);
            if i % 2 == 0 {
                a.record(span)
            } else {
                b.record(span)
            }
            both.record(span);
        }
        a.merge(&b);
        assert_eq!(format!("{a:?}"), format!("{both:?}"));
    }
}
