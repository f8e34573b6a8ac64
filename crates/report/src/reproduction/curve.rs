//! A curve of a figure over the time of a run.

use crate::page::lines::Curve;
use narrows_measure::Record;
use serde::{Deserialize, Serialize};

/// Number of bins of a curve of extremes. Each bin has a smallest and a largest value.
pub(super) const BINS: usize = 150;

/// A curve over the time of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// Name of the flow, the flows or the link.
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) curve: Curve,
}

/// Fills missing samples of a count with its last value, so that a sum of counts does not fall.
pub(super) fn kept(counts: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let mut last = 0.0;
    let keep = |count: Option<f64>| {
        last = count.unwrap_or(last);
        Some(last)
    };
    counts.into_iter().map(keep).collect()
}

/// Returns the number of samples per bin of a rate: at least a round trip, and at most some 300
/// bins in all.
pub(super) fn bin(record: &Record) -> usize {
    let rtt = record.flows.iter().map(|flow| flow.base_rtt.as_nanos()).max().unwrap_or(0);
    (record.duration.as_nanos() / 300).max(rtt).div_ceil(record.interval.as_nanos().max(1)).max(1)
        as usize
}
