//! The table of histograms.

use super::column::{Column, damaged, from_ms, ms};
use super::table::Table;
use super::transfers::{size_bin, size_bins};
use narrows_measure::{Histogram, Ratios, Record};
use narrows_sheet::{ParquetError, Sheet};
use narrows_units::{Bytes, Span};
use std::sync::LazyLock;

pub(crate) static HISTOGRAMS: LazyLock<Table<Bucket, Read>> = LazyLock::new(|| Table {
    file: "histograms.parquet",
    about: "One row per non-empty bucket, since the warm-up.",
    rows: buckets,
    columns: columns(),
});

/// A histogram of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HistogramKind {
    Rtt,
    OneWay,
    Queueing,
    Completion,
    Slowdown,
}

impl HistogramKind {
    const ALL: [HistogramKind; 5] = [
        HistogramKind::Rtt,
        HistogramKind::OneWay,
        HistogramKind::Queueing,
        HistogramKind::Completion,
        HistogramKind::Slowdown,
    ];

    fn name(self) -> &'static str {
        match self {
            HistogramKind::Rtt => "rtt",
            HistogramKind::OneWay => "one_way",
            HistogramKind::Queueing => "queueing",
            HistogramKind::Completion => "completion",
            HistogramKind::Slowdown => "slowdown",
        }
    }
}

/// A bucket of a histogram.
#[derive(Clone, Copy)]
pub(crate) struct Bucket {
    kind: HistogramKind,
    /// Row of the flow, link or range of sizes.
    index: usize,
    /// Flow or link whose name the row has.
    named: usize,
    from: Span,
    count: u64,
}

/// A bucket that was read.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    kind: HistogramKind,
    index: usize,
    from: Span,
    count: u64,
}

/// Returns a bucket with nothing in it.
pub(crate) fn blank() -> Read {
    Read { kind: HistogramKind::Rtt, index: 0, from: Span::ZERO, count: 0 }
}

fn buckets(run: &Record) -> Vec<Bucket> {
    let mut all = Vec::new();
    let mut add = |kind, index, named, histogram: &Histogram| {
        let bucket = |(from, count)| Bucket { kind, index, named, from, count };
        all.extend(histogram.counts().map(bucket));
    };
    for (index, flow) in run.flows.iter().enumerate() {
        add(HistogramKind::Rtt, index, index, &flow.rtt);
        add(HistogramKind::OneWay, index, index, &flow.one_way);
    }
    for (index, link) in run.links.iter().enumerate() {
        add(HistogramKind::Queueing, index, index, &link.queueing);
    }
    for (row, place) in size_bins(run).into_iter().enumerate() {
        let bin = size_bin(run, place);
        add(HistogramKind::Completion, row, place.0, &bin.completion);
        add(HistogramKind::Slowdown, row, place.0, &bin.slowdown.0);
    }
    all
}

fn columns() -> Vec<Column<Bucket, Read>> {
    type Own = Column<Bucket, Read>;
    const ROW: &str = "row; name of the flow or link";
    vec![
        Own::parsed(
            ("of", "a histogram"),
            "`rtt` or `one_way` (flow), `queueing` (link), `completion` or `slowdown` (row of `transfer_sizes.parquet`)",
            |_, bucket: Bucket| bucket.kind.name().into(),
            |read, name| {
                read.kind = HistogramKind::ALL.into_iter().find(|kind| kind.name() == name)?;
                Some(())
            },
        ),
        Own::of(
            "index",
            ROW,
            |_, bucket: Bucket| bucket.index as u64,
            |read, index| read.index = index as usize,
        ),
        Own::name("name", ROW, |run, bucket: Bucket| {
            match bucket.kind {
                HistogramKind::Queueing => run.links[bucket.named].name.as_str(),
                _ => run.flows[bucket.named].name.as_str(),
            }
            .into()
        }),
        Own::of(
            "from",
            "lower end of the bucket, in ms, or a slowdown",
            |_, bucket: Bucket| ms(bucket.from),
            |read, from| read.from = from_ms(from),
        ),
        Own::of(
            "count",
            "values",
            |_, bucket: Bucket| bucket.count,
            |read, count| read.count = count,
        ),
    ]
}

/// Puts the histograms into a record, whose transfers have the ranges `bins` of sizes. The minimum,
/// maximum and sum of each histogram are in the table that describes its flow, link or range.
pub(crate) fn restore(
    buckets: &[Read],
    (flows, links, sizes): (&Sheet, &Sheet, &Sheet),
    bins: &[(usize, Bytes)],
    record: &mut Record,
) -> Result<(), ParquetError> {
    for own in buckets.chunk_by(|one, other| (one.kind, one.index) == (other.kind, other.index)) {
        let (kind, place) = (own[0].kind, own[0].index);
        let (ends, unit, sum) = match kind {
            HistogramKind::Queueing => (links, "_ms", "sum_ns"),
            HistogramKind::Completion => (sizes, "_ms", "sum_ns"),
            HistogramKind::Slowdown => (sizes, "", "sum_millionths"),
            HistogramKind::Rtt | HistogramKind::OneWay => (flows, "_ms", "sum_ns"),
        };
        let name = kind.name();
        let edge = |edge: &str| {
            let column = ends.maybe_real(&format!("{name}_{edge}{unit}"))?;
            column.get(place).copied().flatten().map(from_ms).ok_or_else(|| damaged("a histogram"))
        };
        let (min, max) = (edge("min")?, edge("max")?);
        let sum = ends.count(&format!("{name}_{sum}"))?[place];
        let counts = own.iter().map(|bucket| (bucket.from, bucket.count));
        let histogram = Histogram::restore(counts, sum.into(), min, max);
        match kind {
            HistogramKind::Rtt => record.flows[place].rtt = histogram,
            HistogramKind::OneWay => record.flows[place].one_way = histogram,
            HistogramKind::Queueing => record.links[place].queueing = histogram,
            HistogramKind::Completion | HistogramKind::Slowdown => {
                let (flow, from) = bins[place];
                let transfers = record.flows.get_mut(flow).and_then(|own| own.transfers.as_mut());
                let bin = transfers.ok_or_else(|| damaged("a transfer of a flow"))?.bin(from);
                match kind {
                    HistogramKind::Completion => bin.completion = histogram,
                    _ => bin.slowdown = Ratios(histogram),
                }
            }
        }
    }
    Ok(())
}
