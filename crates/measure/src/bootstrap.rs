//! How far a mean over seeds can be trusted: bootstrap intervals.
//!
//! The percentile bootstrap of Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13: values are drawn again with
//! replacement, the statistic is computed anew, and the interval holds the middle 95 % of what comes out. It assumes nothing of the
//! distribution, and with few values it is too narrow: the spread of resampled means is that of the values times sqrt((n - 1) / n). Draws
//! are seeded, so that the same values give the same interval everywhere.

use narrows_units::Random;

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

/// The 95 % interval of the mean of `values`; `None` of fewer than two, of which no spread is known.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let mut random = Random::stream(values.len() as u64, "bootstrap");
    (values.len() >= 2).then(|| middle((0..RESAMPLES).map(|_| resampled_mean(values, &mut random)).collect()))
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

fn resampled_mean(values: &[f64], random: &mut Random) -> f64 {
    let sum: f64 = (0..values.len()).map(|_| values[random.below(values.len() as u64) as usize]).sum();
    sum / values.len() as f64
}

/// The middle 95 % of resampled statistics: the 2.5th and the 97.5th percentile, between order statistics.
fn middle(mut statistics: Vec<f64>) -> Interval {
    statistics.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (statistics.len() - 1) as f64;
        let (low, part) = (place as usize, place - (place as usize) as f64);
        statistics[low] + part * (statistics[(low + 1).min(statistics.len() - 1)] - statistics[low])
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
