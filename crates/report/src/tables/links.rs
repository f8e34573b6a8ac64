//! The tables of links and of their samples.

use super::column::{
    Column, Counter, at, counted, counters, from_mbps, from_ms, mbps_since, ms, summary,
};
use super::table::{Of, Table};
use narrows_measure::{Histogram, LinkCounters, LinkNature, LinkRecord, LinkSample, Record};
use narrows_units::{Bytes, Rate, Span};
use std::sync::LazyLock;

pub(crate) static LINKS: LazyLock<Table<usize, LinkRecord>> = LazyLock::new(|| Table {
    file: "links.parquet",
    about: "One row per link and direction.",
    rows: |run| (0..run.links.len()).collect(),
    columns: links(),
});

pub(crate) static LINK_SAMPLES: LazyLock<Table<Place, Of<LinkSample>>> = LazyLock::new(|| Table {
    file: "link_samples.parquet",
    about: "One row per link and sample.",
    rows: |run| {
        let samples = |(link, own): (usize, &LinkRecord)| {
            (0..own.samples.len()).map(move |sample| (link, sample))
        };
        run.links.iter().enumerate().flat_map(samples).collect()
    },
    columns: link_samples(),
});

/// Returns a link with nothing in it.
pub(crate) fn blank() -> LinkRecord {
    LinkRecord {
        name: String::new(),
        rate: None,
        delay: Span::ZERO,
        buffer: None,
        buffer_packets: None,
        nature: LinkNature { queue: String::new(), loss: String::new(), aggregate: Span::ZERO },
        total: LinkCounters::default(),
        steady: LinkCounters::default(),
        capacity: None,
        queueing: Histogram::new(),
        samples: vec![],
        left_queued: 0,
        left_in_flight: 0,
    }
}

fn links() -> Vec<Column<usize, LinkRecord>> {
    type Own = Column<usize, LinkRecord>;
    const LIMIT: &str = "limit of the queue, in one of the two";
    const LEFT: &str = "packets queued and under way at the end of the run";
    let mut columns = vec![
        Own::text(
            "link",
            "its name",
            |run, link| run.links[link].name.as_str().into(),
            |link, name| link.name = name.to_owned(),
        ),
        Own::of(
            "rate_mbps",
            "constant rate; null for traces and unlimited links",
            |run, link| run.links[link].rate.map(Rate::as_mbps),
            |link, rate: Option<f64>| link.rate = rate.map(from_mbps),
        ),
        Own::of(
            "delay_ms",
            "propagation",
            |run, link| ms(run.links[link].delay),
            |link, delay| link.delay = from_ms(delay),
        ),
        Own::of(
            "buffer_bytes",
            LIMIT,
            |run, link| run.links[link].buffer.map(Bytes::get),
            |link, buffer: Option<u64>| link.buffer = buffer.map(Bytes::new),
        ),
        Own::of(
            "buffer_packets",
            LIMIT,
            |run, link| run.links[link].buffer_packets.map(u64::from),
            |link, buffer: Option<u64>| link.buffer_packets = buffer.map(|packets| packets as u32),
        ),
        Own::text(
            "queue",
            "discipline, empty for drop-tail",
            |run, link| run.links[link].nature.queue.as_str().into(),
            |link, queue| link.nature.queue = queue.to_owned(),
        ),
        Own::text(
            "loss",
            "long-run loss of the loss model, in words; empty for none",
            |run, link| run.links[link].nature.loss.as_str().into(),
            |link, loss| link.nature.loss = loss.to_owned(),
        ),
        Own::of(
            "aggregate_ms",
            "interval of delivery bursts; 0 for none",
            |run, link| ms(run.links[link].nature.aggregate),
            |link, aggregate| link.nature.aggregate = from_ms(aggregate),
        ),
        Own::of(
            "steady_capacity_bytes",
            "bytes it could have sent since the warm-up",
            |run, link| run.links[link].capacity.map(Bytes::get),
            |link, capacity: Option<u64>| link.capacity = capacity.map(Bytes::new),
        ),
        Own::of(
            "left_queued_packets",
            LEFT,
            |run, link| run.links[link].left_queued,
            |link, packets| link.left_queued = packets,
        ),
        Own::of(
            "left_in_flight_packets",
            LEFT,
            |run, link| run.links[link].left_in_flight,
            |link, packets| link.left_in_flight = packets,
        ),
    ];
    columns.extend(summary::<usize, LinkRecord>(
        "queueing",
        "time from arrival to start of transmission",
        |run, link| &run.links[link].queueing,
    ));
    columns.extend(counted::<usize, LinkRecord, _>(
        "steady",
        COUNTERS,
        |run, link| &run.links[link].steady,
        |link| &mut link.steady,
    ));
    columns.extend(counted::<usize, LinkRecord, _>(
        "total",
        COUNTERS,
        |run, link| &run.links[link].total,
        |link| &mut link.total,
    ));
    columns
}

const COUNTERS: &[Counter<LinkCounters>] = counters![
    "offered_packets", "packets offered" => offered;
    "departed_packets", "packets and wire bytes transmitted" => departed;
    "departed_bytes", "packets and wire bytes transmitted" => departed_bytes as Bytes;
    "delivered_packets", "packets delivered at the far end" => delivered;
    "lost_packets", "losses of the loss model" => lost;
    "overflowed_packets", "drops at a full buffer" => overflowed;
    "dropped_early_packets", "earlier drops by the discipline" => dropped_early;
    "marked_packets", "CE marks" => marked;
];

type Place = (usize, usize);

/// Returns a sample.
fn sample(run: &Record, (link, sample): Place) -> &LinkSample {
    &run.links[link].samples[sample]
}

/// Returns the mean rate since the sample before.
fn since(run: &Record, (link, place): Place, of: fn(&LinkSample) -> Bytes) -> f64 {
    mbps_since(&run.links[link].samples, place, |own| (own.at, of(own)))
}

fn link_samples() -> Vec<Column<Place, Of<LinkSample>>> {
    type Own = Column<Place, Of<LinkSample>>;
    const RATES: &str = "wire bytes sent; possible, null without a rate";
    const QUEUE: &str = "queue, without the packet in transmission";
    const TOTALS: &str = "counts since the run began";
    vec![
        Own::name("link", "the link", |run, (link, _)| run.links[link].name.as_str().into()),
        Own::of(
            "link_index",
            "the link",
            |_, (link, _)| link as u64,
            |row, index| row.index = index,
        ),
        Own::of(
            "time_s",
            "time of the sample",
            |run, row| sample(run, row).at.as_secs_f64(),
            |row, time| row.value.at = at(time),
        ),
        Own::derived("throughput_mbps", RATES, |run, row| {
            since(run, row, |own| own.departed_bytes)
        }),
        Own::derived("capacity_mbps", RATES, |run, row: Place| {
            run.links[row.0].capacity.map(|_| since(run, row, |own| own.capacity))
        }),
        Own::of(
            "queue_bytes",
            QUEUE,
            |run, row| sample(run, row).queue.get(),
            |row, bytes| row.value.queue = Bytes::new(bytes),
        ),
        Own::of(
            "queue_packets",
            QUEUE,
            |run, row| sample(run, row).queue_packets,
            |row, packets| row.value.queue_packets = packets,
        ),
        Own::of(
            "total_departed_bytes",
            TOTALS,
            |run, row| sample(run, row).departed_bytes.get(),
            |row, bytes| row.value.departed_bytes = Bytes::new(bytes),
        ),
        Own::of(
            "total_dropped_packets",
            TOTALS,
            |run, row| sample(run, row).dropped,
            |row, packets| row.value.dropped = packets,
        ),
        Own::of(
            "total_marked_packets",
            TOTALS,
            |run, row| sample(run, row).marked,
            |row, packets| row.value.marked = packets,
        ),
        Own::of(
            "total_capacity_bytes",
            TOTALS,
            |run, row| sample(run, row).capacity.get(),
            |row, bytes| row.value.capacity = Bytes::new(bytes),
        ),
    ]
}
