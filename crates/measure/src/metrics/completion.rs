//! How long transfers take.

use crate::{FlowRecord, Histogram, Ratios, Record, SizeBin, Transfers};
use narrows_units::{Bytes, Time};
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

/// In milliseconds.
pub(super) fn frame_delay_p95(record: &Record) -> Option<f64> {
    let mut all = Histogram::new();
    frames(record).flat_map(|frames| &frames.sizes).for_each(|bin| all.merge(&bin.completion));
    all.quantile(0.95).map(|time| time.as_millis_f64())
}

/// In percent.
pub(super) fn late_frames(record: &Record) -> Option<f64> {
    if record.part.is_some() {
        return None;
    }
    let (late, begun) = frames(record).fold((0, 0), |(late, begun), frames| (late + frames.late, begun + frames.begun));
    (begun > 0).then(|| 100.0 * late as f64 / begun as f64)
}

fn frames(record: &Record) -> impl Iterator<Item = &Transfers> {
    record.flows.iter().filter_map(|flow| flow.transfers.as_ref()).filter(|transfers| transfers.deadline.is_some())
}

/// The mean number of connections of flows that make transfers.
pub(super) fn active_connections(record: &Record) -> Option<f64> {
    let warm = Time::ZERO + record.warmup;
    let flows = record.flows.iter().filter(|flow| flow.transfers.is_some());
    let mean = |flow: &FlowRecord| {
        let (sum, count) = flow
            .samples
            .iter()
            .filter(|sample| sample.at > warm)
            .fold((0, 0u64), |(sum, count), sample| (sum + u64::from(sample.connections), count + 1));
        (count > 0).then(|| sum as f64 / count as f64)
    };
    flows.filter_map(mean).reduce(|all, next| all + next)
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
    use crate::{FlowSample, Transfer};
    use narrows_units::Span;

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
    fn frames_are_late_after_their_deadline_or_if_they_never_come() {
        let mut media = Transfers { deadline: Some(Span::from_millis(150)), begun: 8, ..Transfers::default() };
        for ms in [100, 120, 150, 151, 200] {
            let ideal = Span::from_millis(10);
            media.count(&Transfer { start: Time::ZERO, size: Bytes::new(5_000), took: Span::from_millis(ms), ideal });
        }
        media.late += 1;
        let run = record(vec![FlowRecord { transfers: Some(media), ..flow("media") }, transferring(&[(5_000, 900)])], vec![]);
        assert_eq!(late_frames(&run), Some(37.5));
        near(frame_delay_p95(&run), 200.0);
    }

    #[test]
    fn connections_are_counted_after_the_warm_up() {
        let mut web = transferring(&[(1_000, 10)]);
        let sample = |s: u64, connections| FlowSample { at: Time::ZERO + Span::from_secs(s), connections, ..FlowSample::default() };
        web.samples = vec![sample(10, 90), sample(15, 2), sample(20, 4)];
        let run = record(vec![web, flow("bulk")], vec![]);
        assert_eq!(active_connections(&run), Some(3.0));
    }

    #[test]
    fn no_transfers() {
        let run = record(vec![flow("a")], vec![]);
        assert_eq!((fct_p50(&run), fct_mean(&run), slowdown_p50(&run)), (None, None, None));
    }
}
