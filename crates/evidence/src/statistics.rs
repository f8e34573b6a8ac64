//! Means over seeds with their intervals.

use narrows_measure::bootstrap::RESAMPLES;
use narrows_measure::statistics::mean;
use narrows_units::Random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mean and its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Computes the mean of values with its percentile bootstrap interval (Efron and Tibshirani, An
/// Introduction to the Bootstrap, 1993, chapter 13), from 2000 resamples. The draws are seeded, so
/// equal values give equal intervals. `None` without values. A single value, or equal values, have
/// an interval of zero width.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    let own = mean(values)?;
    if values.iter().all(|value| *value == values[0]) {
        return Some(Estimate { mean: values[0], low: values[0], high: values[0] });
    }
    let mut ordered = values.to_vec();
    ordered.sort_unstable_by(f64::total_cmp);
    let mut random = Random::stream(values.len() as u64, "bootstrap of means");
    let length = ordered.len() as u64;
    let resample = |_| {
        (0..length).map(|_| ordered[random.below(length) as usize]).sum::<f64>() / length as f64
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(resample).collect();
    means.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (means.len() - 1) as f64;
        let (below, above) =
            (means[place as usize], means[(place as usize + 1).min(means.len() - 1)]);
        below + place.fract() * (above - below)
    };
    Some(Estimate { mean: own, low: at(0.025), high: at(0.975) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_about_two_standard_errors_each_way() {
        // The numbers 1 to 100 have mean 50.5, standard deviation 28.87 and standard error of the
        // mean 2.887.
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        let own = estimate(&values).unwrap();
        assert_eq!(own.mean, 50.5);
        assert!(
            (own.low - (50.5 - 1.96 * 2.887)).abs() < 0.5
                && (own.high - (50.5 + 1.96 * 2.887)).abs() < 0.5,
            "{own:?}"
        );
    }

    #[test]
    fn what_does_not_vary_has_no_width() {
        assert_eq!(estimate(&[3.0; 5]), Some(Estimate { mean: 3.0, low: 3.0, high: 3.0 }));
        assert_eq!(estimate(&[]), None);
    }

    #[test]
    fn order_does_not_matter() {
        assert_eq!(
            estimate(&[1.0, 5.0, 2.0]).map(|own| own.low),
            estimate(&[5.0, 2.0, 1.0]).map(|own| own.low)
        );
    }
}
