//! One metric over several seeds.

use super::Metric;
use crate::Record;
use crate::bootstrap::median;

/// The values of a metric over the seeds of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One value for each run, in order; `None` where the metric is not defined.
    pub values: Vec<Option<f64>>,
    /// The median of the defined values: the middle one, or the mean of the middle two.
    pub median: f64,
    /// The smallest defined value.
    pub min: f64,
    /// The largest defined value.
    pub max: f64,
}

impl Summary {
    /// Summarises `metric` over `runs`; `None` if no run defines it.
    pub fn of(metric: &Metric, runs: &[Record]) -> Option<Summary> {
        Summary::over(runs.iter().map(metric.compute).collect())
    }

    /// Summarises values already computed; `None` if none is defined.
    pub fn over(values: Vec<Option<f64>>) -> Option<Summary> {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        let (min, max) = (defined.iter().copied().min_by(f64::total_cmp)?, defined.iter().copied().max_by(f64::total_cmp)?);
        Some(Summary { median: median(&defined)?, min, max, values })
    }

    /// In how many runs the metric is defined.
    pub fn defined(&self) -> usize {
        self.values.iter().flatten().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_range_of_what_is_defined() {
        let summary = Summary::over(vec![Some(3.0), None, Some(1.0), Some(10.0)]).unwrap();
        assert_eq!((summary.median, summary.min, summary.max, summary.defined()), (3.0, 1.0, 10.0, 3));
        assert_eq!(Summary::over(vec![Some(1.0), Some(2.0)]).unwrap().median, 1.5);
        assert_eq!(Summary::over(vec![None]), None);
    }
}
