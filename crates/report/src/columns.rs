//! The numbers that the tables show, for the terminal and the page alike.

use crate::Comparison;
use crate::spread::Spread;
use crate::tables::class_goodput;
use narrows_figure::number::{UNDEFINED, count, or_dash, short};
use narrows_measure::metrics::{self, Metric, Summary, flow_goodput};
use narrows_measure::{
    ConsumerRecord, FlowRecord, InterestCounters, LinkRecord, RatesSample, Record, SizeBin,
    Transfers,
};
use narrows_units::Time;

/// A column of the table of results.
pub(crate) struct Column {
    pub head: &'static str,
    pub metric: &'static Metric,
}

pub(crate) const COLUMNS: &[(&str, &str)] = &[
    ("Utilisation", "utilisation"),
    ("Goodput", "goodput"),
    ("Loss", "loss"),
    ("RTT p50", "rtt_p50"),
    ("RTT p95", "rtt_p95"),
    ("RTT p99", "rtt_p99"),
    ("Standing queue", "standing_queue"),
    ("ECN marked", "ecn_marked"),
    ("FCT p50", "fct_p50"),
    ("FCT p95", "fct_p95"),
    ("Slowdown p50", "slowdown_p50"),
    ("Slowdown p99", "slowdown_p99"),
    ("Unfinished", "unfinished"),
    ("Frame delay p95", "frame_delay_p95"),
    ("Late frames", "late_frames"),
    ("Jain", "jain"),
    ("Convergence", "convergence"),
];

const ALWAYS: usize = 7;

/// The columns for information-centric networks. Shapers refuse Interests instead of dropping Data,
/// and the queues hold Interests.
pub(crate) const ICN_COLUMNS: &[(&str, &str)] = &[
    ("Utilisation", "utilisation"),
    ("Goodput", "goodput"),
    ("Secondary goodput", "secondary_goodput"),
    ("Refused", "nacks"),
    ("Loss", "loss"),
    ("RTT p50", "rtt_p50"),
    ("RTT p95", "rtt_p95"),
    ("RTT p99", "rtt_p99"),
    ("Shaper at most", "shaper_max"),
    ("FCT p50", "fct_p50"),
    ("FCT p95", "fct_p95"),
    ("Slowdown p50", "slowdown_p50"),
    ("Slowdown p99", "slowdown_p99"),
    ("Unfinished", "unfinished"),
    ("Jain", "jain"),
    ("Path balance", "subflow_balance"),
    ("Rate settles", "rate_settling"),
];

/// True if a value of a metric is worth a column.
fn says_something(metric: &Metric, icn: bool, value: f64) -> bool {
    match metric.name {
        // A few transfers are always in progress when a run ends.
        "unfinished" => value > 1.0,
        "loss" | "secondary_goodput" => !icn || value > 0.0,
        _ => true,
    }
}

/// Returns the columns of a comparison's table: the first seven, and each other column for which
/// some run has a value worth showing. Information-centric networks have their own set of columns.
fn columns(comparison: &Comparison) -> Vec<Column> {
    let icn = comparison.is_icn();
    let (columns, always) = if icn { (ICN_COLUMNS, 0) } else { (COLUMNS, ALWAYS) };
    let shown = |index: usize, metric: &Metric| {
        let mut values = comparison.runs().filter_map(|(_, run)| (metric.compute)(run));
        index < always || values.any(|value| says_something(metric, icn, value))
    };
    let all = columns.iter().enumerate().map(|(index, (head, name))| {
        (index, *head, metrics::metric(name).expect("a metric of the table"))
    });
    all.filter(|(index, _, metric)| shown(*index, metric))
        .map(|(_, head, metric)| Column { head, metric })
        .collect()
}

/// The table of results: its columns, and for each case one summary per column.
pub(crate) struct Results {
    pub columns: Vec<Column>,
    pub cases: Vec<Vec<Option<Summary>>>,
}

impl Results {
    pub fn of(comparison: &Comparison) -> Results {
        let columns = columns(comparison);
        let summaries = |runs: &[Record]| {
            columns.iter().map(|column| Summary::of(column.metric, runs)).collect()
        };
        Results {
            cases: comparison.cases.iter().map(|case| summaries(&case.runs)).collect(),
            columns,
        }
    }
}

/// Formats a summary as two lines: the median, and below it its interval.
pub(crate) fn cell(summary: Option<&Summary>) -> [String; 2] {
    summary.map(Spread::from).unwrap_or_default().cell()
}

/// A column of a table of flows, consumers, links or transfer sizes.
pub(crate) struct Field<T> {
    pub head: &'static str,
    pub unit: &'static str,
    pub text: fn(&Record, &T) -> String,
}

pub(crate) const FLOW: &[Field<FlowRecord>] = &[
    Field { head: "Flow", unit: "", text: |_, flow| flow.name.clone() },
    Field { head: "Controller", unit: "", text: |_, flow| flow.controller.clone() },
    Field { head: "Start", unit: "s", text: |_, flow| short(flow.start.as_secs_f64()) },
    Field { head: "Goodput", unit: "Mbit/s", text: |run, flow| or_dash(flow_goodput(run, flow)) },
    Field { head: "Loss", unit: "%", text: |_, flow| share(flow.steady.dropped, flow.steady.sent) },
    Field {
        head: "Resent",
        unit: "%",
        text: |_, flow| share(flow.steady.retransmitted, flow.steady.sent),
    },
    Field { head: "RTT p50", unit: "ms", text: |_, flow| rtt(flow, 0.50) },
    Field { head: "RTT p95", unit: "ms", text: |_, flow| rtt(flow, 0.95) },
    Field { head: "RTT p99", unit: "ms", text: |_, flow| rtt(flow, 0.99) },
    Field { head: "Timeouts", unit: "", text: |_, flow| count(flow.steady.timeouts) },
    Field { head: "Finished", unit: "s", text: |_, flow| finished(flow) },
];

/// Columns of the table of consumers. A row is the index of a consumer among the flows.
pub(crate) const CONSUMER: &[Field<usize>] = &[
    Field { head: "Consumer", unit: "", text: |run, at| run.flows[*at].name.clone() },
    Field { head: "By", unit: "", text: |run, at| run.flows[*at].controller.clone() },
    Field { head: "Start", unit: "s", text: |run, at| short(run.flows[*at].start.as_secs_f64()) },
    Field {
        head: "Primary",
        unit: "Mbit/s",
        text: |run, at| or_dash(class_goodput(run, *at).map(|(primary, _)| primary)),
    },
    Field {
        head: "Secondary",
        unit: "Mbit/s",
        text: |run, at| or_dash(class_goodput(run, *at).map(|(_, secondary)| secondary)),
    },
    Field { head: "Paths", unit: "", text: |run, at| paths(run, *at) },
    Field {
        head: "Refused",
        unit: "%",
        text: |run, at| {
            consumer(run, *at).map_or_else(dash, |c| share(c.steady.nacks, c.steady.interests))
        },
    },
    Field {
        head: "Resent",
        unit: "%",
        text: |run, at| share(run.flows[*at].steady.retransmitted, run.flows[*at].steady.sent),
    },
    Field { head: "RTT p50", unit: "ms", text: |run, at| rtt(&run.flows[*at], 0.50) },
    Field { head: "RTT p95", unit: "ms", text: |run, at| rtt(&run.flows[*at], 0.95) },
    Field { head: "RTT p99", unit: "ms", text: |run, at| rtt(&run.flows[*at], 0.99) },
    Field { head: "Finished", unit: "s", text: |run, at| finished(&run.flows[*at]) },
];

fn consumer(run: &Record, at: usize) -> Option<&ConsumerRecord> {
    run.icn.as_ref()?.consumers.get(at)
}

/// Returns the number of paths that a consumer has found. Request processes do not count paths.
fn paths(run: &Record, at: usize) -> String {
    consumer(run, at)
        .filter(|consumer| !consumer.subflows.is_empty())
        .map_or_else(dash, |consumer| count(consumer.subflows.len() as u64))
}

/// Columns of the table of links that carry Data. A row is the index of a link.
pub(crate) const CARRIER: &[Field<usize>] = &[
    Field { head: "Link", unit: "", text: |run, at| run.links[*at].name.clone() },
    Field { head: "Rate", unit: "", text: |run, at| rate(&run.links[*at]) },
    Field { head: "Delay", unit: "", text: |run, at| run.links[*at].delay.to_string() },
    Field { head: "Used", unit: "%", text: |run, at| used(&run.links[*at]) },
    Field {
        head: "Primary rate",
        unit: "Mbit/s",
        text: |run, at| or_dash(mean(run, *at, |sample| sample.primary.as_mbps())),
    },
    Field {
        head: "Secondary rate",
        unit: "Mbit/s",
        text: |run, at| or_dash(mean(run, *at, |sample| sample.secondary.as_mbps())),
    },
    Field {
        head: "Interests for it",
        unit: "",
        text: |run, at| interests(run, *at, |asked| asked.sent),
    },
    Field {
        head: "Refused primary",
        unit: "",
        text: |run, at| interests(run, *at, |asked| asked.refused_primary),
    },
    Field {
        head: "Refused secondary",
        unit: "",
        text: |run, at| interests(run, *at, |asked| asked.refused_secondary),
    },
    Field { head: "Shaper at most", unit: "Interests", text: |run, at| or_dash(fullest(run, *at)) },
    Field { head: "Dropped", unit: "packets", text: |run, at| count(dropped(&run.links[*at])) },
    Field { head: "Queue p95", unit: "ms", text: |run, at| waited(&run.links[*at], 0.95) },
];

/// Returns the samples of the rates of a link after warm-up.
fn said(run: &Record, at: usize) -> impl Iterator<Item = &RatesSample> {
    let warm = run.warmup;
    let rates = run.icn.iter().filter_map(move |icn| icn.rates.get(at));
    rates.flat_map(|rates| &rates.samples).filter(move |sample| sample.at.since(Time::ZERO) > warm)
}

/// Returns the mean of a rate, if the network has a rate law.
fn mean(run: &Record, at: usize, of: fn(&RatesSample) -> f64) -> Option<f64> {
    run.icn.as_ref()?.law.as_ref()?;
    let (sum, count) =
        said(run, at).map(of).fold((0.0, 0u64), |(sum, count), rate| (sum + rate, count + 1));
    (count > 0).then(|| sum / count as f64)
}

fn fullest(run: &Record, at: usize) -> Option<f64> {
    said(run, at).map(|sample| f64::from(sample.queue)).reduce(f64::max)
}

fn interests(run: &Record, at: usize, of: fn(&InterestCounters) -> u64) -> String {
    run.icn
        .as_ref()
        .and_then(|icn| icn.rates.get(at))
        .map_or_else(dash, |rates| count(of(&rates.steady)))
}

fn dropped(link: &LinkRecord) -> u64 {
    link.steady.overflowed + link.steady.dropped_early + link.steady.lost
}

pub(crate) const SIZE: &[Field<SizeBin>] = &[
    Field { head: "Size", unit: "", text: |_, bin| bin.range() },
    Field { head: "Transfers", unit: "", text: |_, bin| count(bin.completion.count()) },
    Field { head: "FCT p50", unit: "ms", text: |_, bin| completion(bin, 0.50) },
    Field { head: "FCT p95", unit: "ms", text: |_, bin| completion(bin, 0.95) },
    Field { head: "FCT p99", unit: "ms", text: |_, bin| completion(bin, 0.99) },
    Field { head: "Slowdown p50", unit: "", text: |_, bin| or_dash(bin.slowdown.quantile(0.50)) },
    Field { head: "Slowdown p95", unit: "", text: |_, bin| or_dash(bin.slowdown.quantile(0.95)) },
    Field { head: "Slowdown p99", unit: "", text: |_, bin| or_dash(bin.slowdown.quantile(0.99)) },
];

/// Merges the completed transfers of all flows of these runs by size.
pub(crate) fn sizes<'a>(runs: impl IntoIterator<Item = &'a Record>) -> Vec<SizeBin> {
    let mut all = Transfers::default();
    for bin in runs
        .into_iter()
        .flat_map(|run| &run.flows)
        .filter_map(|flow| flow.transfers.as_ref())
        .flat_map(|transfers| &transfers.sizes)
    {
        let sum = all.bin(bin.from);
        sum.completion.merge(&bin.completion);
        sum.slowdown.merge(&bin.slowdown);
    }
    all.sizes
}

fn completion(bin: &SizeBin, q: f64) -> String {
    or_dash(bin.completion.quantile(q).map(|time| time.as_millis_f64()))
}

pub(crate) const LINK: &[Field<LinkRecord>] = &[
    Field { head: "Link", unit: "", text: |_, link| link.name.clone() },
    Field { head: "Rate", unit: "", text: |_, link| rate(link) },
    Field { head: "Delay", unit: "", text: |_, link| link.delay.to_string() },
    Field { head: "Buffer", unit: "", text: |_, link| buffer(link) },
    Field { head: "Used", unit: "%", text: |_, link| used(link) },
    Field { head: "Offered", unit: "packets", text: |_, link| count(link.steady.offered) },
    Field { head: "Overflowed", unit: "packets", text: |_, link| count(link.steady.overflowed) },
    Field {
        head: "Dropped early",
        unit: "packets",
        text: |_, link| count(link.steady.dropped_early),
    },
    Field { head: "Lost", unit: "packets", text: |_, link| count(link.steady.lost) },
    Field { head: "Marked", unit: "packets", text: |_, link| count(link.steady.marked) },
    Field { head: "Queue p50", unit: "ms", text: |_, link| waited(link, 0.50) },
    Field { head: "Queue p95", unit: "ms", text: |_, link| waited(link, 0.95) },
];

fn rate(link: &LinkRecord) -> String {
    match (link.rate, link.capacity) {
        (Some(rate), _) => rate.to_string(),
        (None, Some(_)) => "varies".to_owned(),
        (None, None) => "unlimited".to_owned(),
    }
}

fn used(link: &LinkRecord) -> String {
    link.capacity.map_or_else(dash, |all| share(link.steady.departed_bytes.get(), all.get()))
}

fn waited(link: &LinkRecord, q: f64) -> String {
    or_dash(link.queueing.quantile(q).map(|span| span.as_millis_f64()))
}

fn finished(flow: &FlowRecord) -> String {
    or_dash(flow.end.filter(|_| flow.completed).map(|end| end.as_secs_f64()))
}

fn buffer(link: &LinkRecord) -> String {
    match (link.buffer, link.buffer_packets) {
        (Some(bytes), _) => bytes.to_string(),
        (None, Some(packets)) => format!("{packets} packets"),
        (None, None) => "unlimited".to_owned(),
    }
}

fn dash() -> String {
    UNDEFINED.to_owned()
}

fn rtt(flow: &FlowRecord, q: f64) -> String {
    or_dash(flow.rtt.quantile(q).map(|span| span.as_millis_f64()))
}

fn share(part: u64, whole: u64) -> String {
    or_dash((whole > 0).then(|| 100.0 * part as f64 / whole as f64))
}
