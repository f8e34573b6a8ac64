//! The data of a run that a sweep keeps.

use crate::tables;
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS};
use narrows_measure::{Group, Record};
use narrows_sheet::Sheet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The data of a run that a sweep keeps: every metric, the metrics of each group of flows, and a
/// row for each flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduced {
    /// Metrics in the order of [`METRICS`]; `None` if a metric is undefined.
    pub(crate) metrics: Vec<Option<f64>>,
    /// Empty if all flows belong to one group: its metrics are those of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) groups: Vec<OfGroup>,
    /// Metrics of each controller that drives several but not all of the groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) controllers: Vec<OfGroup>,
    pub(crate) flows: Sheet,
}

/// The metrics of a group of flows: the copies that a scenario makes of one `[[flow]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfGroup {
    /// Name of the group.
    pub name: Arc<str>,
    /// Controller of the group, as written in the scenario.
    pub controller: Arc<str>,
    /// Metrics in the order of [`OF_FLOWS`]; empty for the only group of a run, which has the
    /// metrics of the run.
    pub(crate) metrics: Vec<Option<f64>>,
}

impl Reduced {
    /// Reduces a record, so that the record itself can be dropped.
    pub fn of(record: Record) -> Reduced {
        let (metrics, flows) = (computed(METRICS, &record), tables::flows("", &record));
        let reduced = |group: Group| OfGroup {
            name: group.name.into(),
            controller: group.controller.into(),
            metrics: computed(OF_FLOWS, &group.record),
        };
        let groups = record.into_groups();
        let controllers = of_controllers(&groups).into_iter().map(reduced).collect();
        Reduced { metrics, flows, groups: groups.into_iter().map(reduced).collect(), controllers }
    }

    /// Returns the metrics in the order of [`METRICS`].
    pub fn metrics(&self) -> &[Option<f64>] {
        &self.metrics
    }
}

/// Merges the groups of each controller that drives several but not all of them.
fn of_controllers(groups: &[Group]) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for (place, first) in groups.iter().enumerate() {
        let own = |group: &&Group| group.controller == first.controller;
        let several = groups.iter().filter(own).count();
        if several < 2 || several == groups.len() || groups[..place].iter().any(|group| own(&group))
        {
            continue;
        }
        let mut whole = Group { name: first.controller.clone(), ..first.clone() };
        whole.record.flows = groups
            .iter()
            .filter(own)
            .flat_map(|group| group.record.flows.iter().cloned())
            .collect();
        all.push(whole);
    }
    all
}

fn computed(metrics: &[Metric], record: &Record) -> Vec<Option<f64>> {
    metrics
        .iter()
        .map(|metric| (metric.compute)(record).filter(|value| value.is_finite()))
        .collect()
}
