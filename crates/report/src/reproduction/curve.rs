//! A curve of a figure over the time of a run.

use crate::page::lines::Curve;
use narrows_measure::Record;
use serde::{Deserialize, Serialize};

/// Pairs of extremes in a curve.
pub(super) const BINS: usize = 150;

/// A curve over the time of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// The flow or flows, or the link, that it is of.
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) curve: Curve,
}

/// A count keeps its value where samples are missing, so that a sum does not fall.
pub(super) fn kept(counts: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let mut last = 0.0;
    let keep = |count: Option<f64>| {
        last = count.unwrap_or(last);
        Some(last)
    };
    counts.into_iter().map(keep).collect()
}

/// Samples in a bin of a rate: at least a round trip, and some 300 bins in all.
pub(super) fn bin(record: &Record) -> usize {
    let rtt = record.flows.iter().map(|flow| flow.base_rtt.as_nanos()).max().unwrap_or(0);
    (record.duration.as_nanos() / 300).max(rtt).div_ceil(record.interval.as_nanos().max(1)).max(1)
        as usize
}
