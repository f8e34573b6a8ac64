//! How long transfers take.

use super::{Better, Metric};
use crate::{Histogram, Ratios, Record, SizeBin, Transfers};
use narrows_units::Bytes;
use std::ops::Range;

pub(super) const FCT_P50: Metric = Metric {
    name: "fct_p50",
    unit: "s",
    better: Better::Lower,
    summary: "Median completion time of transfers.",
    formula: "median over the transfers (files, bursts, frames, responses) of all flows that began after warm-up and were completed, of the time from the transfer's start \
              until its last byte was delivered in order to the application at its far end",
    source: "RFC 7928, section 2.1",
    compute: fct_p50,
};

pub(super) const FCT_P95: Metric = Metric {
    name: "fct_p95",
    unit: "s",
    better: Better::Lower,
    summary: "95th percentile of completion times of transfers.",
    formula: "95th percentile of the same times as fct_p50",
    source: "RFC 7928, section 2.1",
    compute: fct_p95,
};

pub(super) const FCT_P99: Metric = Metric {
    name: "fct_p99",
    unit: "s",
    better: Better::Lower,
    summary: "99th percentile of completion times of transfers.",
    formula: "99th percentile of the same times as fct_p50",
    source: "RFC 7928, section 2.1",
    compute: fct_p99,
};

pub(super) const FCT_MEAN: Metric = Metric {
    name: "fct_mean",
    unit: "s",
    better: Better::Lower,
    summary: "Mean completion time of transfers.",
    formula: "mean of the same times as fct_p50",
    source: "RFC 7928, section 2.1",
    compute: fct_mean,
};

pub(super) const UNFINISHED: Metric = Metric {
    name: "unfinished",
    unit: "%",
    better: Better::Lower,
    summary: "Share of transfers that had not completed when the run ended, and so are in no completion time.",
    formula: "transfers that began after warm-up and were not complete at the end of the run / transfers that began after warm-up, all flows together; flows of \
              media frames have late_frames. In a long run at less than full load it is near the mean completion time / the time since warm-up; what is \
              beyond that hides slow transfers from the percentiles",
    source: "ours: percentiles of a truncated sample",
    compute: unfinished,
};

pub(super) const SLOWDOWN_P50: Metric = Metric {
    name: "slowdown_p50",
    unit: "",
    better: Better::Lower,
    summary: "Median slowdown of transfers: completion time divided by the ideal time on an idle path.",
    formula: "median over the same transfers as fct_p50 of completion time / ideal time. The ideal time is a bound below which no transfer comes: propagation along the path + the transfer with its headers at \
              the rate of the slowest link + its first packet at each link before that one + its last packet at each link after it. On a link with a trace \
              the transfer takes until the trace has served all of it, from when its first packet can be there. A link that changes counts with its highest rate and its least \
              delay of the run. While the route of a flow changes, an equal share of the packets on the fastest of its routes counts. For a response, the \
              request's way to the server is counted in both times; for a new connection, the SYN and its answer. Slow start is not part of the ideal, so a transfer alone on its \
              path has a slowdown above 1. The ideal of a content is its first Data by the fastest way from a producer + the \
              rest at what all ways that its Interests may take bring together, links at the best that they are during the run and traces at their mean; only a cache, or a trace above its mean, is faster",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: slowdown_p50,
};

pub(super) const SLOWDOWN_P95: Metric = Metric {
    name: "slowdown_p95",
    unit: "",
    better: Better::Lower,
    summary: "95th percentile of the slowdown of transfers.",
    formula: "95th percentile of the same ratios as slowdown_p50",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: slowdown_p95,
};

pub(super) const SLOWDOWN_P99: Metric = Metric {
    name: "slowdown_p99",
    unit: "",
    better: Better::Lower,
    summary: "99th percentile of the slowdown of transfers.",
    formula: "99th percentile of the same ratios as slowdown_p50",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: slowdown_p99,
};

pub(super) const SHORT_SLOWDOWN_P50: Metric = Metric {
    name: "short_slowdown_p50",
    unit: "",
    better: Better::Lower,
    summary: "Median slowdown of transfers below 100 kB.",
    formula: "median of the same ratios as slowdown_p50, of transfers below 100 kB",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: short_slowdown_p50,
};

pub(super) const SHORT_SLOWDOWN_P99: Metric = Metric {
    name: "short_slowdown_p99",
    unit: "",
    better: Better::Lower,
    summary: "99th percentile of the slowdown of transfers below 100 kB.",
    formula: "99th percentile of the same ratios as slowdown_p50, of transfers below 100 kB",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: short_slowdown_p99,
};

pub(super) const MEDIUM_SLOWDOWN_P50: Metric = Metric {
    name: "medium_slowdown_p50",
    unit: "",
    better: Better::Lower,
    summary: "Median slowdown of transfers from 100 kB to below 10 MB.",
    formula: "median of the same ratios as slowdown_p50, of transfers from 100 kB to below 10 MB",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: medium_slowdown_p50,
};

pub(super) const MEDIUM_SLOWDOWN_P99: Metric = Metric {
    name: "medium_slowdown_p99",
    unit: "",
    better: Better::Lower,
    summary: "99th percentile of the slowdown of transfers from 100 kB to below 10 MB.",
    formula: "99th percentile of the same ratios as slowdown_p50, of transfers from 100 kB to below 10 MB",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: medium_slowdown_p99,
};

pub(super) const LONG_SLOWDOWN_P50: Metric = Metric {
    name: "long_slowdown_p50",
    unit: "",
    better: Better::Lower,
    summary: "Median slowdown of transfers of 10 MB and more.",
    formula: "median of the same ratios as slowdown_p50, of transfers of 10 MB and more",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: long_slowdown_p50,
};

pub(super) const LONG_SLOWDOWN_P99: Metric = Metric {
    name: "long_slowdown_p99",
    unit: "",
    better: Better::Lower,
    summary: "99th percentile of the slowdown of transfers of 10 MB and more.",
    formula: "99th percentile of the same ratios as slowdown_p50, of transfers of 10 MB and more",
    source: "Montazeri et al., Homa, SIGCOMM 2018, section 5.2 (slowdown against an unloaded network); Alizadeh et al., pFabric, SIGCOMM 2013, section 5, for the sizes",
    compute: long_slowdown_p99,
};

pub(super) const FRAME_DELAY_P95: Metric = Metric {
    name: "frame_delay_p95",
    unit: "ms",
    better: Better::Lower,
    summary: "95th percentile of the delay of media frames.",
    formula: "95th percentile of the completion times of frames that began after warm-up and arrived whole, all flows of frames together; a transfer that follows the frames of \
              a flow counts with them",
    source: "RFC 8868, section 3",
    compute: frame_delay_p95,
};

pub(super) const LATE_FRAMES: Metric = Metric {
    name: "late_frames",
    unit: "%",
    better: Better::Lower,
    summary: "Share of media frames that arrived after their deadline, or never.",
    formula: "frames whose completion time exceeds their flow's deadline, that lost a packet for ever, or that were still missing at the end of the run \
              when their deadline had passed / transfers of these flows that began after warm-up: the frames, and the transfer that may follow them, which has no \
              deadline",
    source: "ITU-T G.114 for the default deadline of 150 ms",
    compute: late_frames,
};

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

/// In percent.
pub(super) fn unfinished(record: &Record) -> Option<f64> {
    if record.part.is_some() {
        return None;
    }
    let transfers = record
        .flows
        .iter()
        .filter_map(|flow| flow.transfers.as_ref())
        .filter(|transfers| transfers.deadline.is_none());
    let (completed, begun) = transfers.fold((0, 0), |(completed, begun), transfers| {
        (
            completed + transfers.sizes.iter().map(|bin| bin.completion.count()).sum::<u64>(),
            begun + transfers.begun,
        )
    });
    (begun > 0).then(|| 100.0 * begun.saturating_sub(completed) as f64 / begun as f64)
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
    let (late, begun) = frames(record)
        .fold((0, 0), |(late, begun), frames| (late + frames.late, begun + frames.begun));
    (begun > 0).then(|| 100.0 * late as f64 / begun as f64)
}

fn frames(record: &Record) -> impl Iterator<Item = &Transfers> {
    record
        .flows
        .iter()
        .filter_map(|flow| flow.transfers.as_ref())
        .filter(|transfers| transfers.deadline.is_some())
}

fn bins(record: &Record) -> impl Iterator<Item = &SizeBin> {
    record
        .flows
        .iter()
        .filter_map(|flow| flow.transfers.as_ref())
        .flat_map(|transfers| &transfers.sizes)
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
    use crate::{FlowRecord, Transfer};
    use narrows_units::{Span, Time};

    /// A flow with these transfers: bytes, and milliseconds that each took; alone they would take
    /// 10.
    fn transferring(transfers: &[(u64, u64)]) -> FlowRecord {
        let mut all = Transfers::default();
        for (bytes, ms) in transfers {
            let ideal = Span::from_millis(10);
            all.count(&Transfer {
                start: Time::ZERO,
                size: Bytes::new(*bytes),
                took: Span::from_millis(*ms),
                ideal,
            });
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
        let run = record(
            vec![transferring(&[
                (99_999, 20),
                (100_000, 30),
                (9_999_999, 40),
                (10_000_000, 50),
                (1 << 40, 60),
            ])],
            vec![],
        );
        near(short_slowdown_p99(&run), 2.0);
        near(medium_slowdown_p50(&run), 3.0);
        near(medium_slowdown_p99(&run), 4.0);
        near(long_slowdown_p50(&run), 5.0);
        near(long_slowdown_p99(&run), 6.0);
    }

    #[test]
    fn frames_are_late_after_their_deadline_or_if_they_never_come() {
        let mut media =
            Transfers { deadline: Some(Span::from_millis(150)), begun: 8, ..Transfers::default() };
        for ms in [100, 120, 150, 151, 200] {
            let ideal = Span::from_millis(10);
            media.count(&Transfer {
                start: Time::ZERO,
                size: Bytes::new(5_000),
                took: Span::from_millis(ms),
                ideal,
            });
        }
        media.late += 1;
        let run = record(
            vec![
                FlowRecord { transfers: Some(media), ..flow("media") },
                transferring(&[(5_000, 900)]),
            ],
            vec![],
        );
        assert_eq!(late_frames(&run), Some(37.5));
        near(frame_delay_p95(&run), 200.0);
    }

    #[test]
    fn what_never_ends_is_in_no_completion_time() {
        let mut slow = transferring(&[(1_000, 100), (1_000, 100), (1_000, 100)]);
        slow.transfers.as_mut().unwrap().begun = 4;
        let media =
            Transfers { deadline: Some(Span::from_millis(150)), begun: 8, ..Transfers::default() };
        let run = record(
            vec![slow, FlowRecord { transfers: Some(media), ..flow("media") }, flow("bulk")],
            vec![],
        );
        assert_eq!(unfinished(&run), Some(25.0));
        assert_eq!(unfinished(&record(vec![flow("bulk")], vec![])), None);
    }

    #[test]
    fn no_transfers() {
        let run = record(vec![flow("a")], vec![]);
        assert_eq!((fct_p50(&run), fct_mean(&run), slowdown_p50(&run)), (None, None, None));
    }
}
