//! The table of periods.

use super::Ended;
use crate::experiment::Metric;
use narrows_report::BundleColumn;

/// Returns the columns of `periods.parquet`. A row is an arm of a period that is over, with the
/// levels of all metrics.
pub fn table(own: &Ended) -> Vec<(String, BundleColumn)> {
    let trial = own.trial;
    let rows: Vec<(usize, usize)> =
        (0..trial.over()).flat_map(|period| [(period, 0), (period, 1)]).collect();
    let count = |of: &dyn Fn(usize, usize) -> u64| {
        BundleColumn::Count(rows.iter().map(|(period, arm)| of(*period, *arm)).collect())
    };
    let real = |of: &dyn Fn(usize, usize) -> Option<f64>| {
        BundleColumn::Real(rows.iter().map(|(period, arm)| of(*period, *arm)).collect())
    };
    let arms = ["control", "treatment"];
    let mut columns = vec![
        ("period".to_owned(), count(&|period, _| period as u64)),
        ("share".to_owned(), real(&|period, _| Some(trial.slots()[period].share))),
        (
            "arm".to_owned(),
            BundleColumn::Text(rows.iter().map(|(_, arm)| arms[*arm].to_owned()).collect()),
        ),
        ("void".to_owned(), count(&|period, _| trial.is_void(period).into())),
        ("connections".to_owned(), count(&|period, arm| trial.measured(period)[arm].connections())),
        ("bytes_acked".to_owned(), count(&|period, arm| trial.measured(period)[arm].acked())),
    ];
    for metric in Metric::ALL {
        let level = |period: usize, arm: usize| trial.measured(period)[arm].level(metric);
        columns.push((metric.name().to_owned(), real(&level)));
    }
    columns
}
