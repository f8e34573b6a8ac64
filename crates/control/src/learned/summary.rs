//! Sums, means, deviations and extremes of numbers that come one by one.

/// The moments kept of a number's values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary {
    count: u32,
    sum: f64,
    /// As Welford's method has it, for the squares.
    mean: f64,
    /// The sum of squared distances from the mean (Welford 1962).
    squares: f64,
    least: f64,
    most: f64,
}

impl Summary {
    /// Of no values.
    pub(super) const NOTHING: Summary = Summary {
        count: 0,
        sum: 0.0,
        mean: 0.0,
        squares: 0.0,
        least: f64::INFINITY,
        most: f64::NEG_INFINITY,
    };

    /// Takes in a value.
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        let before = value - self.mean;
        self.mean += before / f64::from(self.count);
        self.squares += before * (value - self.mean);
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// True before the first value: there is no mean and no extreme.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn sum(&self) -> f64 {
        self.sum
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / f64::from(self.count)
    }

    /// The standard deviation of a sample; zero of a single value.
    pub(super) fn deviation(&self) -> f64 {
        if self.count > 1 { libm::sqrt(self.squares / f64::from(self.count - 1)) } else { 0.0 }
    }

    pub(super) fn least(&self) -> f64 {
        self.least
    }

    pub(super) fn most(&self) -> f64 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_2_4_4_and_6() {
        let mut summary = Summary::NOTHING;
        [2.0, 4.0, 4.0, 6.0].into_iter().for_each(|value| summary.add(value));
        assert_eq!(
            (summary.sum(), summary.mean(), summary.least(), summary.most()),
            (16.0, 4.0, 2.0, 6.0)
        );
        // (4 + 0 + 0 + 4) / 3.
        assert!((summary.deviation() - libm::sqrt(8.0 / 3.0)).abs() < 1e-12);
        let mut one = Summary::NOTHING;
        one.add(7.0);
        assert_eq!((one.deviation(), one.least(), one.most()), (0.0, 7.0, 7.0));
    }
}
