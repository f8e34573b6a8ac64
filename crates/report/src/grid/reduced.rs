//! What is kept of the runs of a cell.

use crate::sheet::Sheet;
use crate::tables;
use narrows_measure::Record;
use narrows_measure::bootstrap::{Interval, mean, mean_interval, mean_intervals};
use narrows_measure::metrics::METRICS;
use serde::{Deserialize, Serialize};

/// What a sweep keeps of the record of a cell: every metric, and a row for each flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduced {
    /// In the order of the table of metrics; `None` where one is not defined.
    pub(crate) metrics: Vec<Option<f64>>,
    pub(crate) flows: Sheet,
}

impl Reduced {
    /// Computes everything that is kept, so that the record itself can go.
    pub fn of(record: &Record) -> Reduced {
        let metrics = METRICS.iter().map(|metric| (metric.compute)(record).filter(|value| value.is_finite())).collect();
        Reduced { metrics, flows: tables::flows("", record) }
    }

    /// The metrics, in the order of the table of metrics.
    pub fn metrics(&self) -> &[Option<f64>] {
        &self.metrics
    }
}

/// One metric over the seeds of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    pub mean: Option<f64>,
    pub interval: Option<Interval>,
}

impl Spread {
    pub fn over(values: &[f64]) -> Spread {
        Spread { mean: mean(values), interval: mean_interval(values) }
    }

    /// The same of several metrics.
    pub fn of_columns(columns: &[Vec<f64>]) -> Vec<Spread> {
        columns.iter().zip(mean_intervals(columns)).map(|(values, interval)| Spread { mean: mean(values), interval }).collect()
    }
}
