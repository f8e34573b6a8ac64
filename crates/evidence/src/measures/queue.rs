//! Waiting times of packets.

use narrows_measure::metrics::{Better, Metric, bottleneck};

pub(super) const QUEUEING_MEAN: Metric = Metric {
    name: "queueing_mean",
    unit: "ms",
    better: Better::Lower,
    summary: "Mean time that packets wait in the bottleneck's queue.",
    formula: "mean of the times since warm-up from a packet's arrival in the bottleneck's queue to the start of its transmission",
    source: "draft-irtf-iccrg-tcpeval-01, section on the basic scenarios",
    compute: |record| Some(bottleneck(record)?.queueing.mean()?.as_millis_f64()),
};
