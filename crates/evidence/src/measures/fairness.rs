//! Fairness over short times.

use super::convergence::{delivered, is_long};
use super::intervals::intervals;
use narrows_measure::metrics::{Better, Metric};
use narrows_measure::{FlowRecord, Record};
use narrows_units::{Span, Time};

pub(super) const JAIN_1: Metric =
    over("jain_1s", "Jain's index over seconds.", "as jain_20s, over intervals of 1 s", |record| {
        jain(record, Span::from_secs(1))
    });

pub(super) const JAIN_5: Metric =
    over("jain_5s", "Jain's index over 5 s.", "as jain_20s, over intervals of 5 s", |record| {
        jain(record, Span::from_secs(5))
    });

pub(super) const JAIN_20: Metric = over(
    "jain_20s",
    "Jain's index over 20 s.",
    "mean over consecutive intervals of 20 s since warm-up of (sum x)^2 / (n sum x^2), x being the goodput in the interval of each flow that always has something to send, from \
     warm-up or before to the end. Intervals in which nothing arrives are left out. Not defined for one flow",
    |record| jain(record, Span::from_secs(20)),
);

const fn over(
    name: &'static str,
    summary: &'static str,
    formula: &'static str,
    compute: fn(&Record) -> Option<f64>,
) -> Metric {
    let source = "Jain, Chiu and Hawe, DEC TR-301, 1984; RFC 8868, section 3, asks for throughput over 1, 5 and 20 s";
    Metric { name, unit: "", better: Better::Higher, summary, formula, source, compute }
}

fn jain(record: &Record, interval: Span) -> Option<f64> {
    let flows: Vec<&FlowRecord> =
        record.flows.iter().filter(|flow| is_long(record, flow)).collect();
    let index = |(from, to): (Time, Time)| {
        let shares: Vec<f64> =
            flows.iter().map(|flow| (delivered(flow, to) - delivered(flow, from)) as f64).collect();
        let (sum, squares) =
            (shares.iter().sum::<f64>(), shares.iter().map(|share| share * share).sum::<f64>());
        (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
    };
    let indices: Vec<f64> = intervals(record, interval).filter_map(index).collect();
    if flows.len() < 2 { None } else { narrows_measure::statistics::mean(&indices) }
}
