//! Estimates over seeds, and the choice of the best one.

use narrows_figure::number::UNDEFINED;
use narrows_measure::bootstrap::median_interval;
use narrows_measure::metrics::Better;
use narrows_measure::statistics::median;
use serde::{Deserialize, Serialize};

/// Smallest relative difference that counts. Percentiles are exact to 1.6 % of their value. For
/// harm, the difference is relative to 1.
const RESOLUTION: f64 = 0.02;

/// A number over seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Median over the seeds that define the number.
    pub median: Option<f64>,
    /// Lower end of the 95 % interval of the median.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// One value for each seed.
    pub values: Vec<Option<f64>>,
}

impl Estimate {
    /// Computes median and interval of values over seeds.
    pub fn over(values: Vec<Option<f64>>) -> Estimate {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        let interval = median_interval(&defined);
        Estimate {
            median: median(&defined),
            low: interval.map(|own| own.low),
            high: interval.map(|own| own.high),
            values,
        }
    }

    /// Returns the number of seeds that define the number.
    pub fn defined(&self) -> usize {
        self.values.iter().flatten().count()
    }

    /// True if this number is smaller than `other`: the intervals do not overlap, and the
    /// difference of the medians exceeds the resolution, relative to the larger of the medians and
    /// `least`.
    pub(crate) fn below(&self, other: &Estimate, least: f64) -> bool {
        let (Some(own), Some(median)) = (self.median, other.median) else { return false };
        let apart = self.high.zip(other.low).is_some_and(|(high, low)| high < low);
        apart && median - own > RESOLUTION * own.abs().max(median.abs()).max(least)
    }
}

/// Returns the index of the estimate that is better than every other, beyond all intervals. `None`
/// if fewer than two estimates are defined.
pub(crate) fn best(all: &[&Estimate], better: Better, least: f64) -> Option<usize> {
    let beats = |own: &Estimate, other: &Estimate| match better {
        Better::Higher => other.below(own, least),
        Better::Lower => own.below(other, least),
        Better::Neither => false,
    };
    let known: Vec<usize> = (0..all.len()).filter(|place| all[*place].median.is_some()).collect();
    let wins =
        |own: &usize| known.iter().all(|other| other == own || beats(all[*own], all[*other]));
    if known.len() < 2 { None } else { known.iter().copied().find(|own| wins(own)) }
}

/// Formats a share as a whole number of percent.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| UNDEFINED.to_owned(), |share| format!("{:.0}", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: [f64; 3]) -> Estimate {
        Estimate::over(values.map(Some).to_vec())
    }

    #[test]
    fn the_best_lies_apart_from_all_others() {
        let (low, middle, high, wide) =
            (of([1.0, 2.0, 3.0]), of([4.0, 5.0, 6.0]), of([7.0, 8.0, 9.0]), of([2.5, 8.0, 8.5]));
        assert_eq!(best(&[&middle, &low, &high], Better::Lower, 0.0), Some(1));
        assert_eq!(best(&[&middle, &low, &high], Better::Higher, 0.0), Some(2));
        // The interval of `wide` overlaps the interval of `low`, the candidate.
        assert_eq!(best(&[&middle, &low, &wide], Better::Lower, 0.0), None);
        assert_eq!(best(&[&middle, &low], Better::Neither, 0.0), None);
    }

    #[test]
    fn alone_undefined_or_hardly_apart_is_not_best() {
        let (one, none, two) = (of([1.0; 3]), Estimate::over(vec![None; 3]), of([1.01; 3]));
        assert_eq!(best(&[&one, &none], Better::Lower, 0.0), None);
        assert_eq!(best(&[&one, &two], Better::Lower, 0.0), None);
        assert_eq!(best(&[&of([0.0; 3]), &of([0.01; 3])], Better::Lower, 0.0), Some(0));
        assert_eq!(best(&[&of([0.0; 3]), &of([0.01; 3])], Better::Lower, 1.0), None);
        // One seed gives no interval.
        assert_eq!(
            best(
                &[&Estimate::over(vec![Some(1.0)]), &Estimate::over(vec![Some(9.0)])],
                Better::Lower,
                0.0
            ),
            None
        );
    }
}
