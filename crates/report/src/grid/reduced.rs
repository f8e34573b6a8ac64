//! What is kept of the runs of a cell.

use crate::sheet::Sheet;
use crate::tables;
use narrows_measure::bootstrap::{Interval, mean, mean_interval, mean_intervals};
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS};
use narrows_measure::{Group, Record};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a sweep keeps of the record of a run: every metric, those of each group of flows, and a row for each flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduced {
    /// In the order of the table of metrics; `None` where one is not defined.
    pub(crate) metrics: Vec<Option<f64>>,
    /// Empty where all flows are of one group, which has the metrics of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) groups: Vec<OfGroup>,
    pub(crate) flows: Sheet,
}

/// What a sweep keeps of a group of flows: those that a scenario made of one `[[flow]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfGroup {
    /// Its name.
    pub name: Arc<str>,
    /// Its controller as written.
    pub controller: Arc<str>,
    /// In the order of [`OF_FLOWS`]; nothing of the only group of a run, which has the metrics of the run.
    pub(crate) metrics: Vec<Option<f64>>,
}

impl Reduced {
    /// Computes everything that is kept, so that the record itself can go.
    pub fn of(record: Record) -> Reduced {
        let (metrics, flows) = (computed(METRICS, &record), tables::flows("", &record));
        let group = |group: Group| OfGroup {
            name: group.name.into(),
            controller: group.controller.into(),
            metrics: computed(OF_FLOWS, &group.record),
        };
        Reduced { metrics, flows, groups: record.into_groups().into_iter().map(group).collect() }
    }

    /// The metrics, in the order of the table of metrics.
    pub fn metrics(&self) -> &[Option<f64>] {
        &self.metrics
    }
}

fn computed(metrics: &[Metric], record: &Record) -> Vec<Option<f64>> {
    metrics.iter().map(|metric| (metric.compute)(record).filter(|value| value.is_finite())).collect()
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
