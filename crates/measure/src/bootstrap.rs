//! How far a median over seeds can be trusted: bootstrap intervals.
//!
//! The percentile bootstrap of Efron and Tibshirani, An Introduction to the Bootstrap (1993),
//! chapter 13: values are drawn again with replacement, the statistic is computed anew, and the
//! interval holds the middle 95 % of what comes out. It assumes nothing of the distribution, and
//! with few values it is too narrow. Draws are seeded, so that the same values give the same
//! interval everywhere, in whatever order they come.

use crate::statistics::ordered;
use narrows_units::Random;
use std::collections::BTreeMap;

/// How often values are drawn again.
pub const RESAMPLES: usize = 2000;

/// The two ends of an interval that holds a quantity in 95 of 100 cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// True if `value` lies within, ends included.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The 95 % interval of the median of `values`; `None` of fewer than two, of which no spread is
/// known. Of up to seven values it reaches from the smallest to the largest or nearly so.
pub fn median_interval(values: &[f64]) -> Option<Interval> {
    median_intervals(&[values])[0]
}

/// The same of several columns of values, one interval for each. Columns of the same length are
/// drawn again together, which costs little more than one of them.
pub fn median_intervals(columns: &[impl AsRef<[f64]>]) -> Vec<Option<Interval>> {
    let mut intervals = vec![None; columns.len()];
    let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (column, values) in columns.iter().enumerate() {
        match values.as_ref() {
            [] | [_] => {}
            // It is this value, whatever is drawn.
            [first, rest @ ..] if rest.iter().all(|value| value == first) => {
                intervals[column] = Some(Interval { low: *first, high: *first });
            }
            values => alike.entry(values.len()).or_default().push(column),
        }
    }
    for (length, group) in alike {
        let ranks = middle_ranks(length, &mut Random::stream(length as u64, "bootstrap"));
        for column in group {
            intervals[column] =
                Some(middle(medians_at(&ranks, &ordered(columns[column].as_ref()))));
        }
    }
    intervals
}

/// The 95 % interval of the median of `after` less the median of `before`, each resampled for
/// itself; `None` if one of them has no values, or both have only one.
pub fn difference_interval(before: &[f64], after: &[f64]) -> Option<Interval> {
    if before.is_empty() || after.is_empty() || before.len() + after.len() < 3 {
        return None;
    }
    let resampled = |values: &[f64], name: &str| {
        let ranks = middle_ranks(values.len(), &mut Random::stream(values.len() as u64, name));
        medians_at(&ranks, &ordered(values))
    };
    let first = resampled(before, "before");
    let second = resampled(after, "after");
    Some(middle(first.iter().zip(&second).map(|(before, after)| after - before).collect()))
}

/// Which of `length` ordered values are in the middle of each resample: one of them twice if the
/// number is odd.
fn middle_ranks(length: usize, random: &mut Random) -> Vec<[usize; 2]> {
    let mut drawn = vec![0; length];
    let resample = |_| {
        drawn.iter_mut().for_each(|rank| *rank = random.below(length as u64) as usize);
        let (below, upper, _) = drawn.select_nth_unstable(length / 2);
        let lower =
            if length % 2 == 1 { *upper } else { below.iter().copied().max().unwrap_or(*upper) };
        [lower, *upper]
    };
    (0..RESAMPLES).map(resample).collect()
}

fn medians_at(ranks: &[[usize; 2]], ordered: &[f64]) -> Vec<f64> {
    let of = |[lower, upper]: &[usize; 2]| {
        if lower == upper { ordered[*lower] } else { (ordered[*lower] + ordered[*upper]) / 2.0 }
    };
    ranks.iter().map(of).collect()
}

/// The middle 95 % of resampled statistics: the 2.5th and the 97.5th percentile, between order
/// statistics.
fn middle(mut statistics: Vec<f64>) -> Interval {
    let last = statistics.len() - 1;
    let mut ordered = |place: usize| *statistics.select_nth_unstable_by(place, f64::total_cmp).1;
    let mut at = |share: f64| {
        let place = share * last as f64;
        let low = place as usize;
        let part = place - (place as usize) as f64;
        let below = ordered(low);
        below + part * (ordered((low + 1).min(last)) - below)
    };
    Interval { low: at(0.025), high: at(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::median;

    /// Survival times of treated mice, Efron and Tibshirani, table 2.1.
    const MICE: [f64; 7] = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0];

    #[test]
    fn medians_of_three_values_are_one_of_three() {
        // All 27 resamples of 1, 2 and 9: the median is 1 in 7 of them, 9 in 7, 2 in 13. So the
        // middle 95 % reaches both ends.
        assert_eq!(median_interval(&[9.0, 1.0, 2.0]), Some(Interval { low: 1.0, high: 9.0 }));
        assert_eq!(
            (median_interval(&[3.0]), median_interval(&[3.0; 4])),
            (None, Some(Interval { low: 3.0, high: 3.0 }))
        );
    }

    #[test]
    fn medians_agree_with_all_resamples_there_are() {
        // The j-th of 7 ordered values is the median of a resample with probability P(at least 4 of
        // 7 draws are among the first j) less the same of j - 1. Those of j = 1 and 2 are 0.010 and
        // 0.092, so the 2.5th percentile is the second value, and the 97.5th the sixth.
        assert_eq!(median_interval(&MICE), Some(Interval { low: 23.0, high: 141.0 }));
    }

    #[test]
    fn columns_together_are_as_columns_alone() {
        let columns =
            [&MICE[..], &[3.0; 7], &[], &MICE[2..5], &[1.0], &[-1.0, 0.1, 0.2, 0.3, 0.7, 1e9, 4.0]];
        assert_eq!(median_intervals(&columns), columns.map(median_interval));
        let mut turned = MICE;
        turned.reverse();
        assert_eq!(median_interval(&turned), median_interval(&MICE));
    }

    /// The medians of all resamples of a few values, each once.
    fn enumerated(values: &[f64]) -> Interval {
        let length = values.len();
        let resample = |code: usize| {
            let drawn: Vec<f64> =
                (0..length).map(|place| values[code / length.pow(place as u32) % length]).collect();
            median(&drawn).unwrap()
        };
        middle((0..length.pow(length as u32)).map(resample).collect())
    }

    #[test]
    fn resampling_agrees_with_all_resamples_there_are() {
        assert_eq!(median_interval(&MICE), Some(enumerated(&MICE)));
        // Of an even number the median lies between two.
        let drawn = median_interval(&MICE[..6]).unwrap();
        let all = enumerated(&MICE[..6]);
        assert!(
            (drawn.low - all.low).abs() < 8.0 && (drawn.high - all.high).abs() < 8.0,
            "{drawn:?}, {all:?}"
        );
    }

    #[test]
    fn differences_are_of_independent_samples() {
        let control = [52.0, 104.0, 146.0, 10.0, 51.0, 30.0, 40.0, 27.0, 46.0];
        let interval = difference_interval(&control, &MICE).unwrap();
        // Efron and Tibshirani, table 2.2: the medians differ by 48 with a standard error of 40.11:
        // no difference beyond chance.
        assert_eq!(median(&MICE).unwrap() - median(&control).unwrap(), 48.0);
        assert!(interval.contains(0.0) && interval.contains(48.0), "{interval:?}");
        assert_eq!(difference_interval(&[1.0], &[2.0]), None);
        assert_eq!(
            difference_interval(&[1.0, 1.0], &[2.0]),
            Some(Interval { low: 1.0, high: 1.0 })
        );
    }

    #[test]
    fn ninety_five_of_a_hundred_intervals_hold_the_median() {
        let mut random = Random::stream(1, "coverage");
        let trials = 400;
        let held = (0..trials).filter(|_| {
            let values: Vec<f64> = (0..30).map(|_| random.exponential(1.0)).collect();
            median_interval(&values).unwrap().contains(std::f64::consts::LN_2)
        });
        let share = held.count() as f64 / trials as f64;
        assert!((0.90..=0.98).contains(&share), "{share}");
    }
}
