//! Jain's index.

use super::contest::Contest;
use crate::part::standing;
use crate::{FlowRecord, Record};
use narrows_units::Time;

pub(super) fn jain(record: &Record) -> Option<f64> {
    let contest = Contest::of(record)?;
    let (warm, over) = (Time::ZERO + record.warmup, Time::ZERO + record.duration);
    let from = contest.from.max(warm);
    if contest.flows.len() < 2 || contest.to <= from {
        return None;
    }
    let counted = from == warm && contest.to == over;
    let goodput = |flow: &&FlowRecord| match counted {
        true => flow.steady.goodput.get(),
        false => delivered(flow, contest.to).saturating_sub(delivered(flow, from)),
    };
    index(&contest.flows.iter().map(|flow| goodput(flow) as f64).collect::<Vec<f64>>())
}

fn index(shares: &[f64]) -> Option<f64> {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

fn delivered(flow: &FlowRecord, at: Time) -> u64 {
    standing(&flow.samples, at).goodput.get()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, record, sending};
    use super::*;
    use narrows_units::{Bytes, Span};

    #[test]
    fn known_shares() {
        assert_eq!(index(&[1.0, 1.0, 1.0, 1.0]), Some(1.0));
        assert_eq!(index(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(index(&[3.0, 1.0]), Some(0.8));
        assert_eq!(index(&[0.0, 0.0]), None);
    }

    #[test]
    fn exact_counts_where_all_ran_throughout() {
        let mut run = record(vec![flow("a"), flow("b")], vec![]);
        run.flows[0].steady.goodput = Bytes::new(3_000);
        run.flows[1].steady.goodput = Bytes::new(1_000);
        assert_eq!(jain(&run), Some(0.8));
    }

    #[test]
    fn a_late_flow_is_compared_from_its_start() {
        // Until 15 s a has everything, then both have the same.
        let mut run =
            record(vec![sending("a", |s| if s < 15.0 { 10.0 } else { 5.0 }), sending("b", |s| if s < 15.0 { 0.0 } else { 5.0 })], vec![]);
        run.flows[1].start = Time::ZERO + Span::from_secs(15);
        assert_eq!(jain(&run), Some(1.0));
    }

    #[test]
    fn one_flow_is_no_contest() {
        assert_eq!(jain(&record(vec![flow("a")], vec![])), None);
    }
}
