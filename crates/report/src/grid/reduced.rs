//! What is kept of the runs of a cell.

use crate::tables;
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS};
use narrows_measure::{Group, Record};
use narrows_sheet::Sheet;
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
    /// Of each controller that drives several of the groups, but not all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) controllers: Vec<OfGroup>,
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
        let reduced = |group: Group| OfGroup {
            name: group.name.into(),
            controller: group.controller.into(),
            metrics: computed(OF_FLOWS, &group.record),
        };
        let groups = record.into_groups();
        let controllers = of_controllers(&groups).into_iter().map(reduced).collect();
        Reduced { metrics, flows, groups: groups.into_iter().map(reduced).collect(), controllers }
    }

    /// The metrics, in the order of the table of metrics.
    pub fn metrics(&self) -> &[Option<f64>] {
        &self.metrics
    }
}

/// The groups of each controller that drives several of these, but not all, as one.
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
