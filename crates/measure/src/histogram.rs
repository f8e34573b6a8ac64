//! A streamed histogram of durations.

use narrows_units::Span;

const SUB_BITS: u32 = 6;
const SUB: usize = 1 << SUB_BITS;
const OCTAVES: usize = 64 - SUB_BITS as usize + 1;

/// Counts durations in buckets of at most 1/64 of their value: a quantile read from it is at most 1.6 % from the true one. An octave of buckets takes memory
/// only once something falls into it, so that a hundred thousand of these fit in memory.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    octaves: Vec<Option<Box<[u64; SUB]>>>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Histogram {
        Histogram::default()
    }

    /// Counts one duration.
    pub fn record(&mut self, value: Span) {
        let ns = value.as_nanos();
        let (octave, sub) = place(ns);
        match self.octaves.get_mut(octave) {
            Some(Some(counts)) => counts[sub] += 1,
            _ => self.open(octave)[sub] += 1,
        }
        self.min = if self.count == 0 { ns } else { self.min.min(ns) };
        self.max = self.max.max(ns);
        self.count += 1;
        self.sum += ns as u128;
    }

    #[cold]
    fn open(&mut self, octave: usize) -> &mut [u64; SUB] {
        if self.octaves.is_empty() {
            self.octaves.resize(OCTAVES, None);
        }
        self.octaves[octave].get_or_insert_with(|| Box::new([0; SUB]))
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        for (octave, counts) in other.octaves.iter().enumerate() {
            if let Some(counts) = counts {
                let into = self.open(octave);
                for (into, from) in into.iter_mut().zip(counts.iter()) {
                    *into += from;
                }
            }
        }
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
    }

    /// A histogram from what [`Histogram::counts`], [`Histogram::sum`], [`Histogram::min`] and [`Histogram::max`] of another said.
    pub fn restore(counts: impl IntoIterator<Item = (Span, u64)>, sum: u128, min: Span, max: Span) -> Histogram {
        let mut restored = Histogram { sum, min: min.as_nanos(), max: max.as_nanos(), ..Histogram::default() };
        for (low, count) in counts {
            let (octave, sub) = place(low.as_nanos());
            restored.open(octave)[sub] += count;
            restored.count += count;
        }
        restored
    }

    /// Each occupied bucket's lower edge and how many values it holds, in rising order.
    pub fn counts(&self) -> impl Iterator<Item = (Span, u64)> + '_ {
        self.occupied().map(|(octave, sub, count)| (Span::from_nanos(bounds(octave, sub).0), count))
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

    /// The smallest value that at least the share `q` (0 to 1) of all values does not exceed, to the middle of its bucket; `None` if empty.
    pub fn quantile(&self, q: f64) -> Option<Span> {
        let wanted = ((self.count as f64 * q).ceil() as u64).clamp(1, self.count.max(1));
        self.buckets()
            .scan(0, |seen, (middle, count)| {
                *seen += count;
                Some((middle, *seen))
            })
            .find(|(_, seen)| *seen >= wanted)
            .map(|(middle, _)| Span::from_nanos(middle.clamp(self.min, self.max)))
    }

    /// The cumulative distribution: each occupied bucket's upper edge with the share of values up to it.
    pub fn cdf(&self) -> Vec<(Span, f64)> {
        let mut seen = 0;
        self.occupied()
            .map(|(octave, sub, count)| {
                seen += count;
                let (low, width) = bounds(octave, sub);
                (Span::from_nanos((low + width).min(self.max)), seen as f64 / self.count as f64)
            })
            .collect()
    }

    fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.occupied().map(|(octave, sub, count)| {
            let (low, width) = bounds(octave, sub);
            (low + width / 2, count)
        })
    }

    fn occupied(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        self.octaves.iter().enumerate().flat_map(|(octave, counts)| {
            counts.iter().flat_map(move |counts| {
                counts.iter().enumerate().filter(|(_, count)| **count > 0).map(move |(sub, count)| (octave, sub, *count))
            })
        })
    }
}

/// Octave 0 holds 0..64 exactly; octave k holds 64·2^(k-1) to 64·2^k in 64 steps.
fn place(ns: u64) -> (usize, usize) {
    let octave = (64 - (ns >> SUB_BITS).leading_zeros()) as usize;
    let shift = octave.saturating_sub(1) as u32;
    (octave, (ns >> shift) as usize & (SUB - 1))
}

fn bounds(octave: usize, sub: usize) -> (u64, u64) {
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
                let (octave, sub) = place(ns);
                let (low, width) = bounds(octave, sub);
                assert!(low <= ns && ns - low <= width, "{ns} in {low}+{width}");
                assert!(width <= low / 64 || octave == 0);
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
        let restored = Histogram::restore(histogram.counts(), histogram.sum(), histogram.min().unwrap(), histogram.max().unwrap());
        assert_eq!(format!("{restored:?}"), format!("{histogram:?}"));
    }

    #[test]
    fn merging_equals_recording_both() {
        let (mut a, mut b, mut both) = (Histogram::new(), Histogram::new(), Histogram::new());
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
