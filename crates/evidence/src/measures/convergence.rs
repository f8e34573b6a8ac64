//! Convergence of flows.

use narrows_measure::metrics::{Better, Metric};
use narrows_measure::{FlowRecord, Record, standing};
use narrows_units::Time;

/// Largest change of goodput between the halves of a run, in percent, with which a long flow counts
/// as converged. The value is our choice.
pub const CONVERGED_PERCENT: f64 = 20.0;

/// Change of the goodput of long flows.
pub const DRIFT: Metric = Metric {
    name: "drift",
    unit: "%",
    better: Better::Lower,
    summary: "Largest change of a long flow's goodput between the halves of the time since warm-up.",
    formula: "largest over flows that always have something to send, from warm-up or before to the end, of |goodput in the second half - in the first| / their mean. Not \
              defined where the network changes",
    source: "ours; HarmGen (SIGCOMM 2026) looks for the point where rates stop changing",
    compute: |record| {
        if !record.changes.is_empty() {
            return None;
        }
        let (from, to) = (Time::ZERO + record.warmup, Time::ZERO + record.duration);
        let middle = from + to.since(from) / 2;
        let lasting = record.flows.iter().filter(|flow| is_long(record, flow));
        let drift = |flow: &FlowRecord| {
            let [begin, half, end] = [from, middle, to].map(|at| delivered(flow, at) as f64);
            (end > begin)
                .then(|| 100.0 * 2.0 * ((end - half) - (half - begin)).abs() / (end - begin))
        };
        lasting.filter_map(drift).reduce(f64::max)
    },
};

/// True for a flow that always has data to send, from warm-up or earlier to the end.
pub(super) fn is_long(record: &Record, flow: &FlowRecord) -> bool {
    flow.transfers.is_none() && flow.start <= Time::ZERO + record.warmup && flow.end.is_none()
}

/// Returns the payload bytes that had arrived at a time, each counted once.
pub(super) fn delivered(flow: &FlowRecord, at: Time) -> u64 {
    standing(&flow.samples, at).goodput.get()
}
