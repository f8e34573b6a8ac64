//! Numbers of a run that only verdicts need, as metrics: each with its definition beside its code.

mod breakers;
mod convergence;
mod fairness;
mod queue;
mod recovery;
mod sending;

pub use convergence::{CONVERGED_PERCENT, DRIFT};
use narrows_measure::Record;
use narrows_measure::metrics::Metric;
use narrows_units::{Span, Time};

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

/// Whole intervals of this length since warm-up.
fn intervals(record: &Record, length: Span) -> impl Iterator<Item = (Time, Time)> {
    let (begin, over) = (Time::ZERO + record.warmup, Time::ZERO + record.duration);
    (0u64..).map(move |n| (begin + length * n, begin + length * (n + 1))).take_while(move |(_, to)| *to <= over)
}
