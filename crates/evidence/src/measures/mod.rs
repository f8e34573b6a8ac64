//! Metrics that only verdicts need, each with its definition next to its code.

mod breakers;
mod convergence;
mod fairness;
mod intervals;
mod queue;
mod recovery;
mod sending;
mod starts;

pub use convergence::{CONVERGED_PERCENT, DRIFT};
use narrows_measure::metrics::Metric;

/// All metrics of this module. Suites name them like the metrics of every run.
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
    starts::START_EXIT_BDP,
    starts::START_CLASS,
    starts::START_CAUSE,
    starts::START_LEFT,
    starts::START_FALSE,
    starts::START_LOSS,
    starts::START_QUEUE,
    starts::START_T80,
    starts::START_HARM,
    starts::START_IDEAL,
    starts::LAST_SLOWDOWN,
    starts::LAST_DROPPED,
];
