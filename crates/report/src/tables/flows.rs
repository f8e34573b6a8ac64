//! The tables of flows and of their samples.

use super::column::{
    Column, Counter, QUANTILES, at, counted, counters, from_mbps, from_ms, mbps_since, ms, summary,
};
use super::table::{Of, Table};
use narrows_measure::metrics::flow_goodput;
use narrows_measure::{FlowCounters, FlowRecord, FlowSample, Histogram, Record, Transfers};
use narrows_units::{Bytes, Rate, Span, Time};
use std::sync::LazyLock;

pub(crate) static FLOWS: LazyLock<Table<usize, FlowRecord>> = LazyLock::new(|| Table {
    file: "flows.parquet",
    about: "One row per flow.",
    rows: |run| (0..run.flows.len()).collect(),
    columns: flows(),
});

pub(crate) static FLOW_SAMPLES: LazyLock<Table<(usize, usize), Of<FlowSample>>> =
    LazyLock::new(|| Table {
        file: "flow_samples.parquet",
        about: "One row per flow and sample.",
        rows: |run| {
            let samples = |(flow, own): (usize, &FlowRecord)| {
                (0..own.samples.len()).map(move |sample| (flow, sample))
            };
            run.flows.iter().enumerate().flat_map(samples).collect()
        },
        columns: flow_samples(),
    });

/// Returns a flow with nothing in it.
pub(crate) fn blank() -> FlowRecord {
    FlowRecord {
        name: String::new(),
        controller: String::new(),
        start: Time::ZERO,
        end: None,
        completed: false,
        transfers: None,
        route: vec![],
        later_routes: vec![],
        multipath: false,
        mss: Bytes::ZERO,
        base_rtt: Span::ZERO,
        total: FlowCounters::default(),
        steady: FlowCounters::default(),
        rtt: Histogram::new(),
        one_way: Histogram::new(),
        samples: vec![],
    }
}

fn flows() -> Vec<Column<usize, FlowRecord>> {
    type Own = Column<usize, FlowRecord>;
    let transfers = |run: &Record, flow: usize, of: fn(&Transfers) -> u64| {
        run.flows[flow].transfers.as_ref().map(of)
    };
    let mut columns = vec![
        Own::text(
            "flow",
            "its name",
            |run, flow| run.flows[flow].name.as_str().into(),
            |flow, name| flow.name = name.to_owned(),
        ),
        Own::text(
            "controller",
            "its controller with parameters, `none` without one",
            |run, flow| run.flows[flow].controller.as_str().into(),
            |flow, name| flow.controller = name.to_owned(),
        ),
        Own::of(
            "start_s",
            "when it began and ended; null if it did not end",
            |run, flow| run.flows[flow].start.as_secs_f64(),
            |flow, start| flow.start = at(start),
        ),
        Own::of(
            "end_s",
            "when it began and ended; null if it did not end",
            |run, flow| run.flows[flow].end.map(Time::as_secs_f64),
            |flow, end: Option<f64>| flow.end = end.map(at),
        ),
        Own::of(
            "completed",
            "it had a fixed size, all acknowledged",
            |run, flow| run.flows[flow].completed,
            |flow, completed| flow.completed = completed,
        ),
        Own::of(
            "transfers_begun",
            "transfers begun since the warm-up",
            move |run, flow| transfers(run, flow, |own| own.begun),
            |flow, begun: Option<u64>| {
                flow.transfers = begun.map(|begun| Transfers { begun, ..Transfers::default() });
            },
        ),
        Own::of(
            "transfers_lost",
            "of these, datagram frames that lost a packet",
            move |run, flow| transfers(run, flow, |own| own.lost),
            |flow, lost: Option<u64>| {
                flow.transfers.iter_mut().for_each(|own| own.lost = lost.unwrap_or_default());
            },
        ),
        Own::of(
            "transfers_late",
            "frames later than this deadline, or missing",
            move |run, flow| transfers(run, flow, |own| own.late),
            |flow, late: Option<u64>| {
                flow.transfers.iter_mut().for_each(|own| own.late = late.unwrap_or_default());
            },
        ),
        Own::of(
            "deadline_ms",
            "frames later than this deadline, or missing",
            |run, flow| run.flows[flow].transfers.as_ref()?.deadline.map(ms),
            |flow, deadline: Option<f64>| {
                flow.transfers.iter_mut().for_each(|own| own.deadline = deadline.map(from_ms));
            },
        ),
    ];
    columns.extend(QUANTILES.map(|(column, q)| {
        Own::derived(
            format!("fct_{column}_s"),
            "completion times of its transfers since the warm-up; null without any",
            move |run: &Record, flow| {
                completion(&run.flows[flow])?.quantile(q).map(Span::as_secs_f64)
            },
        )
    }));
    columns.extend([
        Own::parsed(
            ("route", "a route"),
            "links of its data as rows of `links.parquet`; `0 1; 20 s: 2` if it goes over link 2 from 20 s on",
            |run, flow| routes(&run.flows[flow]).into(),
            |flow, text| {
                (flow.route, flow.later_routes) = read_routes(text)?;
                Some(())
            },
        ),
        Own::of(
            "multipath",
            "data may come by several paths at once, of which `route` is the best",
            |run, flow| run.flows[flow].multipath,
            |flow, multipath| flow.multipath = multipath,
        ),
        Own::of(
            "mss_bytes",
            "payload of a full segment",
            |run, flow| run.flows[flow].mss.get(),
            |flow, mss| flow.mss = Bytes::new(mss),
        ),
        Own::of(
            "base_rtt_ms",
            "round trip with empty queues",
            |run, flow| ms(run.flows[flow].base_rtt),
            |flow, rtt| flow.base_rtt = from_ms(rtt),
        ),
        Own::derived(
            "goodput_mbps",
            "payload arrived since warm-up, over its running time since then",
            |run, flow| flow_goodput(run, &run.flows[flow]),
        ),
    ]);
    columns.extend(summary::<usize, FlowRecord>(
        "rtt",
        "round trips measured by the sender",
        |run, flow| &run.flows[flow].rtt,
    ));
    columns.extend(summary::<usize, FlowRecord>(
        "one_way",
        "delays of data packets, host to host",
        |run, flow| &run.flows[flow].one_way,
    ));
    type Blocked = fn(&FlowCounters) -> Span;
    let blocked: [(&str, Blocked); 4] = [
        ("window", |counts| counts.blocked_window),
        ("pacer", |counts| counts.blocked_pacer),
        ("flow_control", |counts| counts.blocked_flow_control),
        ("application", |counts| counts.blocked_application),
    ];
    columns.extend(blocked.map(|(by, time)| {
        Own::derived(
            format!("blocked_{by}"),
            "share of a QUIC stack's time since the warm-up in which this kept it from sending, from 0 to 1; null for TCP",
            move |run: &Record, flow| run.flows[flow].steady.blocked_share(time),
        )
    }));
    columns.extend(counted::<usize, FlowRecord, _>(
        "steady",
        COUNTERS,
        |run, flow| &run.flows[flow].steady,
        |flow| &mut flow.steady,
    ));
    columns.extend(counted::<usize, FlowRecord, _>(
        "total",
        COUNTERS,
        |run, flow| &run.flows[flow].total,
        |flow| &mut flow.total,
    ));
    columns
}

const COUNTERS: &[Counter<FlowCounters>] = counters![
    "sent_packets", "data packets sent" => sent;
    "retransmitted_packets", "retransmissions among them" => retransmitted;
    "arrived_packets", "data packets arrived" => arrived;
    "duplicate_packets", "packets among them with data that had arrived before" => duplicates;
    "dropped_packets", "data packets dropped on the way, for any reason" => dropped;
    "arrived_wire_bytes", "wire bytes of arrived packets" => arrived_wire as Bytes;
    "goodput_bytes", "payload arrived, each byte once" => goodput as Bytes;
    "late_goodput_bytes", "part of it that arrived after the end of the flow" => late_goodput as Bytes;
    "declared_lost_packets", "transmissions declared lost by the sender" => declared_lost;
    "timeouts", "timeouts" => timeouts;
    "recoveries", "recoveries begun" => recoveries;
    "undone", "reductions undone" => undone;
    "probe_timeouts", "probe timeouts (RFC 9002) of a QUIC stack; 0 for TCP" => probe_timeouts;
    "blocked_window_ns", "time that a QUIC stack had more to send and could not, by what kept it; 0 for TCP" => blocked_window as Span;
    "blocked_pacer_ns", "time that a QUIC stack had more to send and could not, by what kept it; 0 for TCP" => blocked_pacer as Span;
    "blocked_flow_control_ns", "time that a QUIC stack had more to send and could not, by what kept it; 0 for TCP" => blocked_flow_control as Span;
    "blocked_application_ns", "time that its application had nothing to send; 0 for TCP" => blocked_application as Span;
    "ect0_packets", "data packets arrived by ECN code point" => ect0;
    "ect1_packets", "data packets arrived by ECN code point" => ect1;
    "ce_packets", "data packets arrived by ECN code point" => ce;
    "acks", "acknowledgements sent by the receiver" => acks;
    "syns", "SYNs sent, repetitions included; 0 in live runs" => syns;
    "dropped_handshake_packets", "packets of handshakes dropped on the way; 0 in live runs" => dropped_handshakes;
];

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

/// The later routes of a flow, each with the time from which the flow takes it.
type LaterRoutes = Vec<(Time, Vec<usize>)>;

/// Parses the links of a route and of later routes, such as "0 1; 20 s: 2".
fn read_routes(text: &str) -> Option<(Vec<usize>, LaterRoutes)> {
    let links = |text: &str| {
        text.split_whitespace().map(|link| link.parse().ok()).collect::<Option<Vec<usize>>>()
    };
    let mut parts = text.split(';');
    let first = links(parts.next()?)?;
    let later = parts.map(|part| {
        let (from, route) = part.split_once(':')?;
        Some((Time::ZERO + from.trim().parse::<Span>().ok()?, links(route)?))
    });
    Some((first, later.collect::<Option<_>>()?))
}

type Place = (usize, usize);

/// Returns a sample.
fn sample(run: &Record, (flow, sample): Place) -> &FlowSample {
    &run.flows[flow].samples[sample]
}

/// Returns the mean rate since the sample before.
fn since(run: &Record, (flow, place): Place, of: fn(&FlowSample) -> Bytes) -> f64 {
    mbps_since(&run.flows[flow].samples, place, |own| (own.at, of(own)))
}

fn flow_samples() -> Vec<Column<Place, Of<FlowSample>>> {
    type Own = Column<Place, Of<FlowSample>>;
    const WINDOW: &str = "window; slow start threshold, null if infinite or unknown";
    const MEANS: &str = "payload arrived, each byte once; wire bytes arrived";
    const TOTALS: &str = "counts since the flow began";
    vec![
        Own::name("flow", "the flow", |run, (flow, _)| run.flows[flow].name.as_str().into()),
        Own::of(
            "flow_index",
            "the flow",
            |_, (flow, _)| flow as u64,
            |row, index| row.index = index,
        ),
        Own::of(
            "time_s",
            "time of the sample",
            |run, row| sample(run, row).at.as_secs_f64(),
            |row, time| row.value.at = at(time),
        ),
        Own::derived("goodput_mbps", MEANS, |run, row| since(run, row, |own| own.goodput)),
        Own::derived("throughput_mbps", MEANS, |run, row| since(run, row, |own| own.arrived_wire)),
        Own::of(
            "rtt_ms",
            "latest round trip",
            |run, row| sample(run, row).rtt.map(ms),
            |row, rtt: Option<f64>| row.value.rtt = rtt.map(from_ms),
        ),
        Own::of(
            "cwnd_segments",
            WINDOW,
            |run, row| sample(run, row).cwnd,
            |row, cwnd| row.value.cwnd = cwnd,
        ),
        Own::of(
            "ssthresh_segments",
            WINDOW,
            |run, row| sample(run, row).ssthresh,
            |row, ssthresh| row.value.ssthresh = ssthresh,
        ),
        Own::of(
            "in_flight_segments",
            "flight",
            |run, row| u64::from(sample(run, row).in_flight),
            |row, in_flight| row.value.in_flight = in_flight as u32,
        ),
        Own::of(
            "connections",
            "active connections; with one per transfer the row has no window, round trip or pacing rate",
            |run, row| u64::from(sample(run, row).connections),
            |row, connections| row.value.connections = connections as u32,
        ),
        Own::of(
            "pacing_mbps",
            "pacing rate, null without pacing",
            |run, row| sample(run, row).pacing.map(Rate::as_mbps),
            |row, pacing: Option<f64>| row.value.pacing = pacing.map(from_mbps),
        ),
        Own::of(
            "total_goodput_bytes",
            TOTALS,
            |run, row| sample(run, row).goodput.get(),
            |row, bytes| row.value.goodput = Bytes::new(bytes),
        ),
        Own::of(
            "total_arrived_wire_bytes",
            TOTALS,
            |run, row| sample(run, row).arrived_wire.get(),
            |row, bytes| row.value.arrived_wire = Bytes::new(bytes),
        ),
        Own::of(
            "total_sent_packets",
            TOTALS,
            |run, row| sample(run, row).sent,
            |row, packets| row.value.sent = packets,
        ),
        Own::of(
            "total_dropped_packets",
            TOTALS,
            |run, row| sample(run, row).dropped,
            |row, packets| row.value.dropped = packets,
        ),
    ]
}
