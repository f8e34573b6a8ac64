//! Completion times of transfers of fixed size.

use crate::Record;
use narrows_units::{Span, Time};

pub(super) fn fct_p50(record: &Record) -> Option<f64> {
    quantile(record, 0.50)
}

pub(super) fn fct_p95(record: &Record) -> Option<f64> {
    quantile(record, 0.95)
}

fn quantile(record: &Record, q: f64) -> Option<f64> {
    let warm = Time::ZERO + record.warmup;
    let counted = record.flows.iter().filter(|flow| flow.size.is_some() && flow.completed && flow.start >= warm);
    let mut times: Vec<Span> = counted.filter_map(|flow| flow.end.map(|end| end.since(flow.start))).collect();
    times.sort_unstable();
    let rank = (times.len() as f64 * q).ceil() as usize;
    times.get(rank.saturating_sub(1)).map(|time| time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, record};
    use super::*;
    use narrows_units::Bytes;

    #[test]
    fn only_whole_transfers_after_warm_up_count() {
        let transfer = |start: u64, ms: u64, completed: bool| {
            let mut flow = flow("f");
            flow.start = Time::ZERO + Span::from_secs(start);
            flow.end = Some(flow.start + Span::from_millis(ms));
            (flow.size, flow.completed) = (Some(Bytes::new(1)), completed);
            flow
        };
        let mut flows: Vec<_> = (1..=20).map(|i| transfer(10, i * 100, true)).collect();
        flows.push(transfer(1, 9_000, true));
        flows.push(transfer(12, 9_000, false));
        flows.push(flow("endless"));
        let run = record(flows, vec![]);
        assert_eq!((fct_p50(&run), fct_p95(&run)), (Some(1.0), Some(1.9)));
    }

    #[test]
    fn no_transfers() {
        assert_eq!(fct_p50(&record(vec![flow("a")], vec![])), None);
    }
}
