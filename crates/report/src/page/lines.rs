//! Curves for plots: evenly spaced, with few enough points to draw.

use narrows_measure::Histogram;
use narrows_units::{Span, Time};
use serde::{Deserialize, Serialize, Serializer};

/// A number for a plot, serialised with five significant digits.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Point(pub f64);

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rounded(self.0, 4, serializer)
    }
}

/// A time for a plot, serialised with nine significant digits.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Instant(pub f64);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rounded(self.0, 8, serializer)
    }
}

fn rounded<S: Serializer>(value: f64, decimals: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let rounded: f64 = format!("{value:.decimals$e}").parse().unwrap_or(0.0);
    if rounded % 1.0 == 0.0 && rounded.abs() < 1e15 {
        serializer.serialize_i64(rounded as i64)
    } else {
        serializer.serialize_f64(rounded)
    }
}

/// A curve with values at `x0`, `x0 + dx` and so on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Curve {
    pub x0: Instant,
    pub dx: Instant,
    pub y: Vec<Option<Point>>,
}

impl Curve {
    /// Returns the points as pairs of time and value.
    pub fn points(&self) -> Vec<Option<(f64, f64)>> {
        let at = |index: usize| self.x0.0 + index as f64 * self.dx.0;
        self.y.iter().enumerate().map(|(index, y)| y.map(|y| (at(index), y.0))).collect()
    }
}

/// Places samples on the grid of sampling times. Missing samples are `None`.
pub(crate) fn grid<T>(
    samples: &[T],
    interval: Span,
    at: impl Fn(&T) -> Time,
    value: impl Fn(&T) -> Option<f64>,
) -> Vec<Option<f64>> {
    let step = interval.as_nanos().max(1);
    let mut grid = Vec::with_capacity(samples.len());
    for sample in samples {
        let index = ((at(sample).as_nanos() + step / 2) / step).saturating_sub(1) as usize;
        if index >= grid.len() {
            grid.resize(index + 1, None);
        }
        grid[index] = value(sample);
    }
    grid
}

/// Reduces several curves to one of at most `bins` pairs: the smallest and the largest value in a
/// bin, in their order of time. A single curve with at most two values per bin stays unchanged.
pub(crate) fn extremes(curves: &[Vec<Option<f64>>], interval: Span, bins: usize) -> Curve {
    let dx = interval.as_secs_f64();
    let length = curves.iter().map(Vec::len).max().unwrap_or(0);
    if let ([curve], true) = (curves, length <= 2 * bins) {
        return Curve {
            x0: Instant(dx),
            dx: Instant(dx),
            y: curve.iter().map(|value| value.map(Point)).collect(),
        };
    }
    let per = length.div_ceil(bins.max(1)).max(1);
    let mut y = Vec::with_capacity(2 * length.div_ceil(per));
    for start in (0..length).step_by(per) {
        let (mut low, mut high) = (None::<(usize, f64)>, None::<(usize, f64)>);
        for at in start..(start + per).min(length) {
            for value in curves.iter().filter_map(|curve| curve.get(at).copied().flatten()) {
                low = low.filter(|(_, best)| *best <= value).or(Some((at, value)));
                high = high.filter(|(_, best)| *best >= value).or(Some((at, value)));
            }
        }
        let pair = match (low, high) {
            (Some(low), Some(high)) if low.0 <= high.0 => [Some(low.1), Some(high.1)],
            (Some(low), Some(high)) => [Some(high.1), Some(low.1)],
            _ => [None, None],
        };
        y.extend(pair.map(|value| value.map(Point)));
    }
    let per = per as f64;
    Curve { x0: Instant(dx * (0.5 + per / 4.0)), dx: Instant(dx * per / 2.0), y }
}

/// Returns the growth of a count per second, as means over `per` samples. A missing sample leaves
/// the count unchanged. Values before `since` are undefined.
pub(crate) fn growth(counts: &[Option<f64>], interval: Span, per: usize, since: Time) -> Curve {
    let width = interval.as_secs_f64() * per as f64;
    let mut last = 0.0;
    let mut y = Vec::with_capacity(counts.len() / per + 1);
    for (index, bin) in counts.chunks_exact(per).enumerate() {
        let now = bin.iter().rev().find_map(|count| *count).unwrap_or(last).max(last);
        let begun = width * (index + 1) as f64 > since.as_secs_f64();
        y.push(begun.then_some(Point((now - last) / width)));
        last = now;
    }
    Curve { x0: Instant(width / 2.0), dx: Instant(width), y }
}

/// Returns the time that the waiting data takes to drain, in ms: the time until the link's
/// cumulative capacity has grown by as much. Undefined if the samples end earlier.
pub(crate) fn draining(
    waiting: &[Option<f64>],
    capacity: &[Option<f64>],
    interval: Span,
) -> Vec<Option<f64>> {
    let mut last = 0.0;
    let grown: Vec<f64> = capacity
        .iter()
        .map(|now| {
            last = now.unwrap_or(last);
            last
        })
        .collect();
    let leaves = |(at, waiting): (usize, &Option<f64>)| {
        let gone = grown[at] + (*waiting)?;
        let after = grown.partition_point(|capacity| *capacity < gone);
        let high = *grown.get(after)?;
        let low = if after > 0 { grown[after - 1] } else { 0.0 };
        let part = if high > low { (high - gone) / (high - low) } else { 0.0 };
        Some((after as f64 - part - at as f64).max(0.0) * interval.as_secs_f64() * 1e3)
    };
    waiting.iter().enumerate().map(leaves).collect()
}

/// Adds curves. A sum is undefined if all its terms are undefined.
pub(crate) fn sum(curves: &[Vec<Option<f64>>]) -> Vec<Option<f64>> {
    let length = curves.iter().map(Vec::len).max().unwrap_or(0);
    let at = |index: usize| {
        curves.iter().filter_map(|curve| curve.get(index).copied().flatten()).reduce(|a, b| a + b)
    };
    (0..length).map(at).collect()
}

/// A cumulative distribution: `y` is the share of values that do not exceed `x`, in ms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Steps {
    pub x: Vec<Point>,
    pub y: Vec<Point>,
}

/// Converts a histogram into a distribution of about `most` points; `None` if it is empty.
pub(crate) fn steps(histogram: &Histogram, most: usize) -> Option<Steps> {
    let first = histogram.min()?;
    let cdf = histogram.cdf();
    let every = cdf.len().div_ceil(most).max(1);
    let kept = cdf
        .iter()
        .enumerate()
        .filter(|(index, _)| index % every == every - 1 || index + 1 == cdf.len())
        .map(|(_, step)| *step);
    let (x, y) = std::iter::once((first, 0.0))
        .chain(kept)
        .map(|(span, share)| (Point(span.as_millis_f64()), Point(share)))
        .unzip();
    Some(Steps { x, y })
}

/// Fills missing samples of a count with its last value.
pub(crate) fn keep(counts: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let mut last = None;
    counts
        .into_iter()
        .map(|count| {
            last = count.or(last);
            last
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Span = Span::from_millis(100);

    fn ys(curve: &Curve) -> Vec<Option<f64>> {
        curve.y.iter().map(|point| point.map(|point| point.0)).collect()
    }

    #[test]
    fn few_values_stay_as_they_are() {
        let curve = extremes(&[vec![Some(1.0), None, Some(3.0)]], TENTH, 2);
        assert_eq!((curve.x0.0, ys(&curve)), (0.1, vec![Some(1.0), None, Some(3.0)]));
    }

    #[test]
    fn no_peak_is_lost() {
        let mut values = vec![Some(5.0); 1000];
        (values[500], values[501], values[777]) = (Some(9.0), Some(1.0), Some(99.0));
        let curve = extremes(&[values], TENTH, 50);
        let y = ys(&curve);
        assert_eq!(y.len(), 100);
        assert_eq!(y[50..52], [Some(9.0), Some(1.0)]);
        assert!(y.contains(&Some(99.0)));
    }

    #[test]
    fn growth_is_a_mean_over_bins() {
        let counts: Vec<Option<f64>> = [1.0, 2.0, 4.0, 6.0, 6.0, 6.0].map(Some).to_vec();
        let curve = growth(&counts, TENTH, 2, Time::ZERO);
        assert_eq!(ys(&curve), [Some(10.0), Some(20.0), Some(0.0)]);
        assert_eq!(ys(&growth(&counts, TENTH, 2, Time::from_nanos(250_000_000)))[0], None);
    }

    #[test]
    fn a_queue_drains_as_its_link_carries_it() {
        // The link carries 10 per step, then nothing for two steps, then 5 per step.
        let capacity = [10.0, 20.0, 20.0, 20.0, 25.0, 30.0].map(Some);
        let waiting = [Some(5.0), Some(0.0), Some(5.0), Some(7.5), Some(10.0), None];
        let ms: Vec<_> =
            draining(&waiting, &capacity, TENTH).iter().map(|ms| ms.map(f64::round)).collect();
        assert_eq!(ms, [Some(50.0), Some(0.0), Some(200.0), Some(150.0), None, None]);
    }

    #[test]
    fn samples_find_their_place() {
        let samples = [(Time::from_nanos(200_000_000), 2.0), (Time::from_nanos(400_000_000), 4.0)];
        assert_eq!(
            grid(&samples, TENTH, |s| s.0, |s| Some(s.1)),
            [None, Some(2.0), None, Some(4.0)]
        );
        assert_eq!(
            sum(&[vec![Some(1.0), None], vec![Some(2.0), None, Some(5.0)]]),
            [Some(3.0), None, Some(5.0)]
        );
    }

    #[test]
    fn numbers_are_short() {
        let text =
            serde_json::to_string(&[Point(1.0 / 3.0), Point(40.0), Point(123_456.7)]).unwrap();
        assert_eq!(text, "[0.33333,40,123460]");
    }
}
