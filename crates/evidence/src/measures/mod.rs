//! Numbers of a run that only verdicts need, as metrics: each with its definition beside its code.

mod breakers;
mod convergence;
mod fairness;
mod intervals;
mod queue;
mod recovery;
mod sending;

pub use convergence::{CONVERGED_PERCENT, DRIFT};
use narrows_measure::metrics::Metric;

/// All of them. Suites name them as they name the metrics of every run.
pub const MEASURES: &[Metric] = &[
    sending::SENT,
    sending::SENT_RATE,
    sending::USEFUL,
    sending::GAP_GROWTH,
    recovery::REGRET,
    recovery::LOST_FOR_GOOD,
    recovery::RECOVERY,
    recovery::FILLING,
    recovery::RISE_60,
    recovery::RISE_80,
    recovery::RISE_90,
    DRIFT,
    fairness::JAIN_1,
    fairness::JAIN_5,
    fairness::JAIN_20,
    queue::QUEUEING_MEAN,
    breakers::BREAKER,
    breakers::METER,
];
