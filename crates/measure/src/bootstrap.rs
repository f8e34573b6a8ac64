//! How far a mean or a median over seeds can be trusted: bootstrap intervals.
//!
//! The percentile bootstrap of Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13: values are drawn again with
//! replacement, the statistic is computed anew, and the interval holds the middle 95 % of what comes out. It assumes nothing of the
//! distribution, and with few values it is too narrow: the spread of resampled means is that of the values times sqrt((n - 1) / n). Draws
//! are seeded, so that the same values give the same interval everywhere.

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

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The median: the middle one, or the mean of the middle two; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut ordered = values.to_vec();
    (!ordered.is_empty()).then(|| middle_of(&mut ordered))
}

/// The 95 % interval of the median of `values`; `None` of fewer than two, of which no spread is known. Of up to seven values it reaches from the
/// smallest to the largest or nearly so.
pub fn median_interval(values: &[f64]) -> Option<Interval> {
    if values.len() < 2 {
        return None;
    }
    let length = values.len() as u64;
    let mut random = Random::stream(length, "bootstrap");
    let mut drawn = values.to_vec();
    let medians = (0..RESAMPLES).map(|_| {
        drawn.iter_mut().for_each(|value| *value = values[random.below(length) as usize]);
        middle_of(&mut drawn)
    });
    Some(middle(medians.collect()))
}

/// The median of at least one value.
fn middle_of(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 }
}

/// The 95 % interval of the mean of `values`; `None` of fewer than two, of which no spread is known.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    mean_intervals(&[values])[0]
}

/// The same of several columns of values, one interval for each. Columns of the same length are drawn again together, which costs little more
/// than one of them.
pub fn mean_intervals(columns: &[impl AsRef<[f64]>]) -> Vec<Option<Interval>> {
    let mut intervals = vec![None; columns.len()];
    let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (column, values) in columns.iter().enumerate() {
        match values.as_ref() {
            [] | [_] => {}
            // Whatever is drawn, it is this value.
            [first, rest @ ..] if rest.iter().all(|value| value == first) => {
                intervals[column] = mean(values.as_ref()).map(|mean| middle(vec![mean]));
            }
            values => alike.entry(values.len()).or_default().push(column),
        }
    }
    for (length, group) in alike {
        let values: Vec<&[f64]> = group.iter().map(|column| columns[*column].as_ref()).collect();
        let means = resampled_means(&values, length);
        group.iter().zip(means).for_each(|(column, means)| intervals[*column] = Some(middle(means)));
    }
    intervals
}

/// The 95 % interval of the mean of `after` less the mean of `before`, each resampled for itself; `None` if one of them has no values, or
/// both have only one.
pub fn difference_interval(before: &[f64], after: &[f64]) -> Option<Interval> {
    if before.is_empty() || after.is_empty() || before.len() + after.len() < 3 {
        return None;
    }
    let (mut first, mut second) = (Random::stream(before.len() as u64, "before"), Random::stream(after.len() as u64, "after"));
    Some(middle((0..RESAMPLES).map(|_| resampled_mean(after, &mut second) - resampled_mean(before, &mut first)).collect()))
}

/// The means of columns of one length, drawn again together.
fn resampled_means(columns: &[&[f64]], length: usize) -> Vec<Vec<f64>> {
    let width = columns.len();
    // One row after another: a draw adds a row.
    let rows: Vec<f64> = (0..length).flat_map(|row| columns.iter().map(move |values| values[row])).collect();
    let mut random = Random::stream(length as u64, "bootstrap");
    let mut means = vec![Vec::with_capacity(RESAMPLES); width];
    let mut sums = vec![0.0; width];
    for _ in 0..RESAMPLES {
        sums.fill(0.0);
        for _ in 0..length {
            let row = random.below(length as u64) as usize * width;
            sums.iter_mut().zip(&rows[row..][..width]).for_each(|(sum, value)| *sum += value);
        }
        means.iter_mut().zip(&sums).for_each(|(means, sum)| means.push(sum / length as f64));
    }
    means
}

fn resampled_mean(values: &[f64], random: &mut Random) -> f64 {
    let sum: f64 = (0..values.len()).map(|_| values[random.below(values.len() as u64) as usize]).sum();
    sum / values.len() as f64
}

/// The middle 95 % of resampled statistics: the 2.5th and the 97.5th percentile, between order statistics.
fn middle(mut statistics: Vec<f64>) -> Interval {
    let last = statistics.len() - 1;
    let mut ordered = |place: usize| *statistics.select_nth_unstable_by(place, f64::total_cmp).1;
    let mut at = |share: f64| {
        let place = share * last as f64;
        let (low, part) = (place as usize, place - (place as usize) as f64);
        let below = ordered(low);
        below + part * (ordered((low + 1).min(last)) - below)
    };
    Interval { low: at(0.025), high: at(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Survival times of treated mice, Efron and Tibshirani, table 2.1.
    const MICE: [f64; 7] = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0];

    #[test]
    fn means_of_two_values_are_one_of_three() {
        // Resampling 0 and 1 gives means 0, 1/2 and 1 with probabilities 1/4, 1/2, 1/4: the middle 95 % reaches both ends.
        assert_eq!(mean_interval(&[0.0, 1.0]), Some(Interval { low: 0.0, high: 1.0 }));
        assert_eq!(mean_interval(&[5.0; 9]), Some(Interval { low: 5.0, high: 5.0 }));
        assert_eq!((mean_interval(&[1.0]), mean(&[])), (None, None));
    }

    #[test]
    fn medians_of_three_values_are_one_of_three() {
        // All 27 resamples of 1, 2 and 9: the median is 1 in 7 of them, 9 in 7, 2 in 13. So the middle 95 % reaches both ends.
        assert_eq!((median(&[9.0, 1.0, 2.0]), median(&[1.0, 4.0]), median(&[])), (Some(2.0), Some(2.5), None));
        assert_eq!(median_interval(&[9.0, 1.0, 2.0]), Some(Interval { low: 1.0, high: 9.0 }));
        assert_eq!((median_interval(&[3.0]), median_interval(&[3.0; 4])), (None, Some(Interval { low: 3.0, high: 3.0 })));
    }

    #[test]
    fn medians_agree_with_all_resamples_there_are() {
        // The j-th of 7 ordered values is the median of a resample with probability P(at least 4 of 7 draws are among the first j) less the same
        // of j - 1. Those of j = 1 and 2 are 0.010 and 0.092, so the 2.5th percentile is the second value, and the 97.5th the sixth.
        assert_eq!(median_interval(&MICE), Some(Interval { low: 23.0, high: 141.0 }));
    }

    #[test]
    fn columns_together_are_as_columns_alone() {
        let columns = [&MICE[..], &[3.0; 7], &[], &MICE[2..5], &[1.0], &[-1.0, 0.1, 0.2, 0.3, 0.7, 1e9, 4.0]];
        assert_eq!(mean_intervals(&columns), columns.map(mean_interval));
        let mut random = Random::stream(7, "bootstrap");
        assert_eq!(mean_interval(&MICE), Some(middle((0..RESAMPLES).map(|_| resampled_mean(&MICE, &mut random)).collect())));
    }

    /// All 7^7 resamples, each once.
    fn enumerated() -> Interval {
        let mut means: Vec<f64> = Vec::new();
        for code in 0..7usize.pow(7) {
            let (mut left, mut sum) = (code, 0.0);
            for _ in 0..7 {
                sum += MICE[left % 7];
                left /= 7;
            }
            means.push(sum / 7.0);
        }
        middle(means)
    }

    #[test]
    fn resampling_agrees_with_all_resamples_there_are() {
        let (drawn, all) = (mean_interval(&MICE).unwrap(), enumerated());
        // The standard error of the mean of 7 is 23.4; that of a percentile drawn 2000 times about a tenth of it.
        assert!((drawn.low - all.low).abs() < 3.0 && (drawn.high - all.high).abs() < 3.0, "{drawn:?}, {all:?}");
        // Near the normal interval 86.9 +- 1.96 * 23.4.
        assert!((all.low - 41.1).abs() < 4.0 && (all.high - 132.6).abs() < 4.0, "{all:?}");
    }

    #[test]
    fn differences_are_of_independent_samples() {
        let control = [52.0, 104.0, 146.0, 10.0, 51.0, 30.0, 40.0, 27.0, 46.0];
        let interval = difference_interval(&control, &MICE).unwrap();
        // Efron and Tibshirani, section 2: 30.63 with a standard error of 26.85: no difference beyond chance.
        assert!((mean(&MICE).unwrap() - mean(&control).unwrap() - 30.63).abs() < 0.01);
        assert!(interval.contains(0.0) && (interval.high - interval.low - 2.0 * 1.96 * 26.85).abs() < 12.0, "{interval:?}");
        assert_eq!(difference_interval(&[1.0], &[2.0]), None);
        assert_eq!(difference_interval(&[1.0, 1.0], &[2.0]), Some(Interval { low: 1.0, high: 1.0 }));
    }

    #[test]
    fn ninety_five_of_a_hundred_intervals_hold_the_mean() {
        let mut random = Random::stream(1, "coverage");
        let trials = 400;
        let held = (0..trials).filter(|_| {
            let values: Vec<f64> = (0..30).map(|_| random.exponential(1.0)).collect();
            mean_interval(&values).unwrap().contains(1.0)
        });
        let share = held.count() as f64 / trials as f64;
        assert!((0.89..=0.97).contains(&share), "{share}");
    }
}
