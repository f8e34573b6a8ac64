//! The Parquet tables: the names of their columns, and the conversion of records into rows.

use narrows_measure::metrics::flow_goodput;
use narrows_measure::{
    FlowCounters, FlowRecord, FlowSample, Histogram, LinkCounters, LinkSample, Record, SizeBin,
    Transfer,
};
use narrows_sheet::{Cells, Sheet};
use narrows_units::{Bytes, Rate, Span, Time};
use std::sync::Arc;

/// One table: its file name, and the function that converts a run into rows.
pub(crate) struct Table {
    pub file: &'static str,
    pub sheet: fn(&str, &Record) -> Sheet,
}

/// The tables that every result of a run or comparison has.
pub(crate) const TABLES: [Table; 8] = [
    Table { file: "flows.parquet", sheet: flows },
    Table { file: "links.parquet", sheet: links },
    Table { file: "transfers.parquet", sheet: transfers },
    Table { file: "transfer_sizes.parquet", sheet: transfer_sizes },
    Table { file: "flow_samples.parquet", sheet: flow_samples },
    Table { file: "link_samples.parquet", sheet: link_samples },
    Table { file: "histograms.parquet", sheet: histograms },
    Table { file: "changes.parquet", sheet: changes },
];

/// Returns a record that gives tables without rows.
pub(crate) fn no_rows() -> Record {
    let zero = Span::ZERO;
    Record {
        seed: 0,
        duration: zero,
        warmup: zero,
        part: None,
        interval: zero,
        flows: vec![],
        links: vec![],
        changes: vec![],
        events: 0,
        hops: 0,
        icn: None,
        emulation: None,
    }
}

pub(crate) type Get<T> = fn(&T) -> u64;
pub(crate) type Set<T> = fn(&mut T, u64);

macro_rules! counters {
    ($($name:literal => $($field:ident).+ $(as $wrap:ident)?),* $(,)?) => {
        &[$(($name, |c| counters!(@get c.$($field).+ $(, $wrap)?), |c, n| c.$($field).+ = counters!(@set n $(, $wrap)?))),*]
    };
    (@get $place:expr) => { $place };
    (@get $place:expr, Bytes) => { $place.get() };
    (@set $n:expr) => { $n };
    (@set $n:expr, Bytes) => { Bytes::new($n) };
}
pub(crate) use counters;

pub(crate) const FLOW_COUNTERS: &[(&str, Get<FlowCounters>, Set<FlowCounters>)] = counters![
    "sent_packets" => sent,
    "retransmitted_packets" => retransmitted,
    "arrived_packets" => arrived,
    "duplicate_packets" => duplicates,
    "dropped_packets" => dropped,
    "arrived_wire_bytes" => arrived_wire as Bytes,
    "goodput_bytes" => goodput as Bytes,
    "late_goodput_bytes" => late_goodput as Bytes,
    "declared_lost_packets" => declared_lost,
    "timeouts" => timeouts,
    "recoveries" => recoveries,
    "undone" => undone,
    "ect0_packets" => ect0,
    "ect1_packets" => ect1,
    "ce_packets" => ce,
    "acks" => acks,
    "syns" => syns,
    "dropped_handshake_packets" => dropped_handshakes,
];

pub(crate) const LINK_COUNTERS: &[(&str, Get<LinkCounters>, Set<LinkCounters>)] = counters![
    "offered_packets" => offered,
    "departed_packets" => departed,
    "departed_bytes" => departed_bytes as Bytes,
    "delivered_packets" => delivered,
    "lost_packets" => lost,
    "overflowed_packets" => overflowed,
    "dropped_early_packets" => dropped_early,
    "marked_packets" => marked,
];

/// Starts a sheet with the columns that identify the run of each row.
pub(crate) fn keyed(case: &str, run: &Record, rows: usize) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.add("case", Cells::Text(vec![Arc::from(case); rows]));
    sheet.add("seed", Cells::Count(vec![run.seed; rows]));
    sheet
}

pub(crate) fn text<T>(rows: &[T], of: impl Fn(&T) -> Arc<str>) -> Cells {
    Cells::Text(rows.iter().map(of).collect())
}

pub(crate) fn count<T>(rows: &[T], of: impl Fn(&T) -> u64) -> Cells {
    Cells::Count(rows.iter().map(of).collect())
}

fn maybe_count<T>(rows: &[T], of: impl Fn(&T) -> Option<u64>) -> Cells {
    Cells::MaybeCount(rows.iter().map(of).collect())
}

pub(crate) fn real<T>(rows: &[T], of: impl Fn(&T) -> f64) -> Cells {
    Cells::Real(rows.iter().map(of).collect())
}

fn maybe_real<T>(rows: &[T], of: impl Fn(&T) -> Option<f64>) -> Cells {
    Cells::MaybeReal(rows.iter().map(of).collect())
}

fn ms(span: Span) -> f64 {
    span.as_millis_f64()
}

pub(crate) fn flows(case: &str, run: &Record) -> Sheet {
    let rows = &run.flows[..];
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("flow", text(rows, |f| f.name.as_str().into()));
    sheet.add("controller", text(rows, |f| f.controller.as_str().into()));
    sheet.add("start_s", real(rows, |f| f.start.as_secs_f64()));
    sheet.add("end_s", maybe_real(rows, |f| f.end.map(Time::as_secs_f64)));
    sheet.add("completed", Cells::Flag(rows.iter().map(|f| f.completed).collect()));
    sheet.add("transfers_begun", maybe_count(rows, |f| f.transfers.as_ref().map(|t| t.begun)));
    sheet.add("transfers_lost", maybe_count(rows, |f| f.transfers.as_ref().map(|t| t.lost)));
    sheet.add("transfers_late", maybe_count(rows, |f| f.transfers.as_ref().map(|t| t.late)));
    sheet.add("deadline_ms", maybe_real(rows, |f| f.transfers.as_ref()?.deadline.map(ms)));
    for (column, q) in [("p50", 0.50), ("p95", 0.95), ("p99", 0.99)] {
        sheet.add(
            format!("fct_{column}_s"),
            maybe_real(rows, |f| completion(f)?.quantile(q).map(Span::as_secs_f64)),
        );
    }
    sheet.add("route", text(rows, |f| routes(f).into()));
    sheet.add("multipath", Cells::Flag(rows.iter().map(|f| f.multipath).collect()));
    sheet.add("mss_bytes", count(rows, |f| f.mss.get()));
    sheet.add("base_rtt_ms", real(rows, |f| ms(f.base_rtt)));
    sheet.add("goodput_mbps", maybe_real(rows, |f| flow_goodput(run, f)));
    summarise(&mut sheet, "rtt", rows, |f| &f.rtt);
    summarise(&mut sheet, "one_way", rows, |f| &f.one_way);
    for (name, get, _) in FLOW_COUNTERS {
        sheet.add(format!("steady_{name}"), count(rows, |f| get(&f.steady)));
    }
    for (name, get, _) in FLOW_COUNTERS {
        sheet.add(format!("total_{name}"), count(rows, |f| get(&f.total)));
    }
    sheet
}

/// Returns the completion times of a flow's transfers; `None` for a flow without transfers.
fn completion(flow: &FlowRecord) -> Option<Histogram> {
    let mut all = Histogram::new();
    flow.transfers.as_ref()?.sizes.iter().for_each(|bin| all.merge(&bin.completion));
    Some(all)
}

/// Formats the links of a flow's route and of later routes, each with its start: "0 1; 20 s: 2".
fn routes(flow: &FlowRecord) -> String {
    let links = |route: &[usize]| route.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let later = flow.later_routes.iter().map(|(from, route)| format!("; {from}: {}", links(route)));
    std::iter::once(links(&flow.route)).chain(later).collect()
}

fn links(case: &str, run: &Record) -> Sheet {
    let rows = &run.links[..];
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("link", text(rows, |l| l.name.as_str().into()));
    sheet.add("rate_mbps", maybe_real(rows, |l| l.rate.map(Rate::as_mbps)));
    sheet.add("delay_ms", real(rows, |l| ms(l.delay)));
    sheet.add("buffer_bytes", maybe_count(rows, |l| l.buffer.map(Bytes::get)));
    sheet.add("buffer_packets", maybe_count(rows, |l| l.buffer_packets.map(u64::from)));
    sheet.add("queue", text(rows, |l| l.nature.queue.as_str().into()));
    sheet.add("loss", text(rows, |l| l.nature.loss.as_str().into()));
    sheet.add("aggregate_ms", real(rows, |l| ms(l.nature.aggregate)));
    sheet.add("steady_capacity_bytes", maybe_count(rows, |l| l.capacity.map(Bytes::get)));
    sheet.add("left_queued_packets", count(rows, |l| l.left_queued));
    sheet.add("left_in_flight_packets", count(rows, |l| l.left_in_flight));
    summarise(&mut sheet, "queueing", rows, |l| &l.queueing);
    for (name, get, _) in LINK_COUNTERS {
        sheet.add(format!("steady_{name}"), count(rows, |l| get(&l.steady)));
    }
    for (name, get, _) in LINK_COUNTERS {
        sheet.add(format!("total_{name}"), count(rows, |l| get(&l.total)));
    }
    sheet
}

fn transfers(case: &str, run: &Record) -> Sheet {
    let mut rows: Vec<(usize, Arc<str>, &Transfer)> = Vec::new();
    for (index, flow) in run.flows.iter().enumerate() {
        let name: Arc<str> = flow.name.as_str().into();
        rows.extend(
            flow.transfers
                .iter()
                .flat_map(|transfers| &transfers.list)
                .map(|transfer| (index, name.clone(), transfer)),
        );
    }
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("flow", text(&rows, |(_, name, _)| name.clone()));
    sheet.add("flow_index", count(&rows, |(index, ..)| *index as u64));
    sheet.add("start_s", real(&rows, |(.., t)| t.start.as_secs_f64()));
    sheet.add("size_bytes", count(&rows, |(.., t)| t.size.get()));
    sheet.add("completion_ms", real(&rows, |(.., t)| ms(t.took)));
    sheet.add("ideal_ms", real(&rows, |(.., t)| ms(t.ideal)));
    sheet.add("slowdown", real(&rows, |(.., t)| t.slowdown()));
    sheet
}

/// Returns the size ranges of each flow, in the order of the rows of `transfer_sizes.parquet`.
fn size_bins(run: &Record) -> impl Iterator<Item = (usize, &FlowRecord, &SizeBin)> {
    run.flows.iter().enumerate().flat_map(|(index, flow)| {
        let sizes = flow.transfers.iter().flat_map(|transfers| &transfers.sizes);
        sizes.map(move |bin| (index, flow, bin))
    })
}

fn transfer_sizes(case: &str, run: &Record) -> Sheet {
    let rows: Vec<(usize, &FlowRecord, &SizeBin)> = size_bins(run).collect();
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("flow", text(&rows, |(_, flow, _)| flow.name.as_str().into()));
    sheet.add("flow_index", count(&rows, |(index, ..)| *index as u64));
    sheet.add("from_bytes", count(&rows, |(.., bin)| bin.from.get()));
    sheet.add("to_bytes", count(&rows, |(.., bin)| bin.end().get()));
    sheet.add("completed", count(&rows, |(.., bin)| bin.completion.count()));
    summarise(&mut sheet, "completion", &rows, |(.., bin)| &bin.completion);
    for (column, q) in [("p50", 0.50), ("p95", 0.95), ("p99", 0.99)] {
        sheet.add(
            format!("slowdown_{column}"),
            maybe_real(&rows, |(.., bin)| bin.slowdown.quantile(q)),
        );
    }
    sheet.add("slowdown_min", maybe_real(&rows, |(.., bin)| bin.slowdown.0.min().map(ms)));
    sheet.add("slowdown_max", maybe_real(&rows, |(.., bin)| bin.slowdown.0.max().map(ms)));
    sheet.add(
        "slowdown_sum_millionths",
        count(&rows, |(.., bin)| u64::try_from(bin.slowdown.0.sum()).unwrap_or(i64::MAX as u64)),
    );
    sheet
}

/// Adds the quantiles, minimum, maximum and sum of a histogram. Its buckets are in
/// `histograms.parquet`.
fn summarise<T>(sheet: &mut Sheet, name: &str, rows: &[T], of: impl Fn(&T) -> &Histogram) {
    for (column, q) in [("p50", 0.50), ("p95", 0.95), ("p99", 0.99)] {
        sheet.add(
            format!("{name}_{column}_ms"),
            maybe_real(rows, |row| of(row).quantile(q).map(ms)),
        );
    }
    sheet.add(format!("{name}_min_ms"), maybe_real(rows, |row| of(row).min().map(ms)));
    sheet.add(format!("{name}_max_ms"), maybe_real(rows, |row| of(row).max().map(ms)));
    sheet.add(
        format!("{name}_sum_ns"),
        count(rows, |row| u64::try_from(of(row).sum()).unwrap_or(i64::MAX as u64)),
    );
}

fn flow_samples(case: &str, run: &Record) -> Sheet {
    let mut rows: Vec<(usize, Arc<str>, FlowSample, &FlowSample)> = Vec::new();
    for (index, flow) in run.flows.iter().enumerate() {
        let (name, mut last): (Arc<str>, _) = (flow.name.as_str().into(), FlowSample::default());
        rows.extend(
            flow.samples
                .iter()
                .map(|sample| (index, name.clone(), std::mem::replace(&mut last, *sample), sample)),
        );
    }
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("flow", text(&rows, |(_, name, ..)| name.clone()));
    sheet.add("flow_index", count(&rows, |(index, ..)| *index as u64));
    sheet.add("time_s", real(&rows, |(.., s)| s.at.as_secs_f64()));
    sheet.add(
        "goodput_mbps",
        real(&rows, |(.., last, s)| mbps(last.goodput, s.goodput, last.at, s.at)),
    );
    sheet.add(
        "throughput_mbps",
        real(&rows, |(.., last, s)| mbps(last.arrived_wire, s.arrived_wire, last.at, s.at)),
    );
    sheet.add("rtt_ms", maybe_real(&rows, |(.., s)| s.rtt.map(ms)));
    sheet.add("cwnd_segments", real(&rows, |(.., s)| s.cwnd));
    sheet.add("ssthresh_segments", maybe_real(&rows, |(.., s)| s.ssthresh));
    sheet.add("in_flight_segments", count(&rows, |(.., s)| s.in_flight.into()));
    sheet.add("connections", count(&rows, |(.., s)| s.connections.into()));
    sheet.add("pacing_mbps", maybe_real(&rows, |(.., s)| s.pacing.map(Rate::as_mbps)));
    sheet.add("total_goodput_bytes", count(&rows, |(.., s)| s.goodput.get()));
    sheet.add("total_arrived_wire_bytes", count(&rows, |(.., s)| s.arrived_wire.get()));
    sheet.add("total_sent_packets", count(&rows, |(.., s)| s.sent));
    sheet.add("total_dropped_packets", count(&rows, |(.., s)| s.dropped));
    sheet
}

fn link_samples(case: &str, run: &Record) -> Sheet {
    let mut rows: Vec<(usize, Arc<str>, LinkSample, &LinkSample)> = Vec::new();
    for (index, link) in run.links.iter().enumerate() {
        let (name, mut last): (Arc<str>, _) = (link.name.as_str().into(), LinkSample::default());
        rows.extend(
            link.samples
                .iter()
                .map(|sample| (index, name.clone(), std::mem::replace(&mut last, *sample), sample)),
        );
    }
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("link", text(&rows, |(_, name, ..)| name.clone()));
    sheet.add("link_index", count(&rows, |(index, ..)| *index as u64));
    sheet.add("time_s", real(&rows, |(.., s)| s.at.as_secs_f64()));
    sheet.add(
        "throughput_mbps",
        real(&rows, |(.., last, s)| mbps(last.departed_bytes, s.departed_bytes, last.at, s.at)),
    );
    let capacity = |(index, _, last, s): &(usize, Arc<str>, LinkSample, &LinkSample)| {
        run.links[*index].capacity.map(|_| mbps(last.capacity, s.capacity, last.at, s.at))
    };
    sheet.add("capacity_mbps", maybe_real(&rows, capacity));
    sheet.add("queue_bytes", count(&rows, |(.., s)| s.queue.get()));
    sheet.add("queue_packets", count(&rows, |(.., s)| s.queue_packets));
    sheet.add("total_departed_bytes", count(&rows, |(.., s)| s.departed_bytes.get()));
    sheet.add("total_dropped_packets", count(&rows, |(.., s)| s.dropped));
    sheet.add("total_marked_packets", count(&rows, |(.., s)| s.marked));
    sheet.add("total_capacity_bytes", count(&rows, |(.., s)| s.capacity.get()));
    sheet
}

pub(crate) fn mbps(before: Bytes, after: Bytes, from: Time, to: Time) -> f64 {
    if to > from {
        after.saturating_sub(before).bits() as f64 / 1e6 / to.since(from).as_secs_f64()
    } else {
        0.0
    }
}

fn histograms(case: &str, run: &Record) -> Sheet {
    let [rtt, one_way, queueing, completion, slowdown]: [Arc<str>; 5] =
        ["rtt", "one_way", "queueing", "completion", "slowdown"].map(Arc::from);
    let mut rows = Vec::new();
    let mut add = |of: &Arc<str>, index: usize, name: &Arc<str>, histogram: &Histogram| {
        rows.extend(
            histogram.counts().map(|(from, count)| (of.clone(), index, name.clone(), from, count)),
        );
    };
    for (index, flow) in run.flows.iter().enumerate() {
        let name = flow.name.as_str().into();
        add(&rtt, index, &name, &flow.rtt);
        add(&one_way, index, &name, &flow.one_way);
    }
    for (index, link) in run.links.iter().enumerate() {
        add(&queueing, index, &link.name.as_str().into(), &link.queueing);
    }
    for (row, (_, flow, bin)) in size_bins(run).enumerate() {
        let name = flow.name.as_str().into();
        add(&completion, row, &name, &bin.completion);
        add(&slowdown, row, &name, &bin.slowdown.0);
    }
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("of", text(&rows, |(of, ..)| of.clone()));
    sheet.add("index", count(&rows, |(_, index, ..)| *index as u64));
    sheet.add("name", text(&rows, |(_, _, name, ..)| name.clone()));
    sheet.add("from", real(&rows, |(.., from, _)| ms(*from)));
    sheet.add("count", count(&rows, |(.., count)| *count));
    sheet
}

fn changes(case: &str, run: &Record) -> Sheet {
    let rows = &run.changes[..];
    let mut sheet = keyed(case, run, rows.len());
    sheet.add("time_s", real(rows, |c| c.at.as_secs_f64()));
    sheet.add("of", text(rows, |c| c.of.as_str().into()));
    sheet.add("what", text(rows, |c| c.what.name().into()));
    sheet.add("to", text(rows, |c| c.to.as_str().into()));
    sheet
}
