//! How long transfers take.

use crate::{Histogram, Ratios, Record, SizeBin};
use narrows_units::Bytes;
use std::ops::Range;

/// Transfers below this are short, as in pFabric's evaluation.
const SHORT: Bytes = Bytes::new(100_000);
/// Transfers from this size on are long.
const LONG: Bytes = Bytes::new(10_000_000);
const ALL: Range<Bytes> = Bytes::ZERO..Bytes::new(u64::MAX);

pub(super) fn fct_mean(record: &Record) -> Option<f64> {
    completion(record).mean().map(|time| time.as_secs_f64())
}

pub(super) fn fct_p50(record: &Record) -> Option<f64> {
    completion(record).quantile(0.50).map(|time| time.as_secs_f64())
}

pub(super) fn fct_p95(record: &Record) -> Option<f64> {
    completion(record).quantile(0.95).map(|time| time.as_secs_f64())
}

pub(super) fn fct_p99(record: &Record) -> Option<f64> {
    completion(record).quantile(0.99).map(|time| time.as_secs_f64())
}

pub(super) fn slowdown_p50(record: &Record) -> Option<f64> {
    slowdown(record, ALL).quantile(0.50)
}

pub(super) fn slowdown_p95(record: &Record) -> Option<f64> {
    slowdown(record, ALL).quantile(0.95)
}

pub(super) fn slowdown_p99(record: &Record) -> Option<f64> {
    slowdown(record, ALL).quantile(0.99)
}

pub(super) fn short_slowdown_p50(record: &Record) -> Option<f64> {
    slowdown(record, Bytes::ZERO..SHORT).quantile(0.50)
}

pub(super) fn short_slowdown_p99(record: &Record) -> Option<f64> {
    slowdown(record, Bytes::ZERO..SHORT).quantile(0.99)
}

pub(super) fn medium_slowdown_p50(record: &Record) -> Option<f64> {
    slowdown(record, SHORT..LONG).quantile(0.50)
}

pub(super) fn medium_slowdown_p99(record: &Record) -> Option<f64> {
    slowdown(record, SHORT..LONG).quantile(0.99)
}

pub(super) fn long_slowdown_p50(record: &Record) -> Option<f64> {
    slowdown(record, LONG..ALL.end).quantile(0.50)
}

pub(super) fn long_slowdown_p99(record: &Record) -> Option<f64> {
    slowdown(record, LONG..ALL.end).quantile(0.99)
}

fn bins(record: &Record) -> impl Iterator<Item = &SizeBin> {
    record.flows.iter().filter_map(|flow| flow.transfers.as_ref()).flat_map(|transfers| &transfers.sizes)
}

fn completion(record: &Record) -> Histogram {
    let mut all = Histogram::new();
    bins(record).for_each(|bin| all.merge(&bin.completion));
    all
}

fn slowdown(record: &Record, sizes: Range<Bytes>) -> Ratios {
    let mut all = Ratios::default();
    bins(record).filter(|bin| sizes.contains(&bin.from)).for_each(|bin| all.merge(&bin.slowdown));
    all
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, record};
    use super::*;
    use crate::{FlowRecord, Transfer, Transfers};
    use narrows_units::{Span, Time};

    /// A flow with these transfers: bytes, and milliseconds that each took; alone they would take 10.
    fn transferring(transfers: &[(u64, u64)]) -> FlowRecord {
        let mut all = Transfers::default();
        for (bytes, ms) in transfers {
            let ideal = Span::from_millis(10);
            all.count(&Transfer { start: Time::ZERO, size: Bytes::new(*bytes), took: Span::from_millis(*ms), ideal });
        }
        FlowRecord { transfers: Some(all), ..flow("f") }
    }

    fn near(got: Option<f64>, wanted: f64) {
        assert!(got.is_some_and(|got| (got / wanted - 1.0).abs() < 0.016), "{got:?}, not {wanted}");
    }

    #[test]
    fn transfers_of_all_flows_count_together() {
        let odd: Vec<_> = (1..=20).filter(|i| i % 2 == 1).map(|i| (1_000, i * 100)).collect();
        let even: Vec<_> = (1..=20).filter(|i| i % 2 == 0).map(|i| (5_000, i * 100)).collect();
        let run = record(vec![transferring(&odd), flow("endless"), transferring(&even)], vec![]);
        near(fct_p50(&run), 1.0);
        near(fct_p95(&run), 1.9);
        near(fct_p99(&run), 2.0);
        near(fct_mean(&run), 1.05);
        near(slowdown_p50(&run), 100.0);
        near(slowdown_p99(&run), 200.0);
    }

    #[test]
    fn slowdown_by_size() {
        let run = record(vec![transferring(&[(99_999, 20), (100_000, 30), (9_999_999, 40), (10_000_000, 50), (1 << 40, 60)])], vec![]);
        near(short_slowdown_p99(&run), 2.0);
        near(medium_slowdown_p50(&run), 3.0);
        near(medium_slowdown_p99(&run), 4.0);
        near(long_slowdown_p50(&run), 5.0);
        near(long_slowdown_p99(&run), 6.0);
    }

    #[test]
    fn no_transfers() {
        let run = record(vec![flow("a")], vec![]);
        assert_eq!((fct_p50(&run), fct_mean(&run), slowdown_p50(&run)), (None, None, None));
    }
}
