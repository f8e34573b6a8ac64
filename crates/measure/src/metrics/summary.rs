//! One metric over several seeds.

use super::Metric;
use crate::Record;
use crate::bootstrap::{Interval, median_interval};
use crate::statistics::median;

/// The values of a metric over the seeds of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One value for each run, in order; `None` where the metric is not defined.
    pub values: Vec<Option<f64>>,
    /// The median of the defined values: the middle one, or the mean of the middle two.
    pub median: f64,
    /// The 95 % interval of the median; `None` of a single value, of which no spread is known.
    pub interval: Option<Interval>,
}

impl Summary {
    /// Summarises `metric` over `runs`; `None` if no run defines it.
    pub fn of(metric: &Metric, runs: &[Record]) -> Option<Summary> {
        Summary::over(runs.iter().map(metric.compute).collect())
    }

    /// Summarises values already computed; `None` if none is defined.
    pub fn over(values: Vec<Option<f64>>) -> Option<Summary> {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        Some(Summary { median: median(&defined)?, interval: median_interval(&defined), values })
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
    fn median_and_interval_of_what_is_defined() {
        let summary = Summary::over(vec![Some(3.0), None, Some(1.0), Some(10.0)]).unwrap();
        assert_eq!(
            (summary.median, summary.interval, summary.defined()),
            (3.0, Some(Interval { low: 1.0, high: 10.0 }), 3)
        );
        assert_eq!(Summary::over(vec![Some(1.0), Some(2.0)]).unwrap().median, 1.5);
        assert_eq!(Summary::over(vec![Some(1.0), None]).unwrap().interval, None);
        assert_eq!(Summary::over(vec![None]), None);
    }
}
