//! What the plots show.

use super::lines::{Curve, Instant, Point, extremes, grid, growth, sum};
use crate::number::plain;
use crate::{Comparison, Overlay, Quantity};
use narrows_measure::metrics::{Summary, bottleneck, metric};
use narrows_measure::{FlowRecord, FlowSample, Histogram, LinkRecord, Record};
use narrows_units::{Rate, Span, Time};
use serde::Serialize;

/// Numbers in all curves over time; it keeps the data below 2 MB.
const BUDGET: usize = 200_000;
/// Pairs of extremes in a curve that has room.
const BINS: usize = 400;
/// Flows of a case that can be drawn one by one.
const FLOWS: usize = 8;
/// Points of a cumulative distribution.
const STEPS: usize = 300;

#[derive(Serialize)]
pub(super) struct Plots<'a> {
    cases: Vec<&'a str>,
    pub seeds: Vec<u64>,
    end: Instant,
    warmup: Instant,
    panels: Vec<Panel>,
    lines: Vec<Line<'a>>,
    overlays: Vec<Laid<'a>>,
    capacity: Vec<Capacity>,
    limits: Vec<Limit>,
    scatter: Scatter,
    distributions: [Distribution; 2],
}

#[derive(Serialize)]
struct Panel {
    title: String,
    zero: bool,
}

/// One curve over time: a case's flows together, or one of them.
#[derive(Serialize)]
struct Line<'a> {
    case: usize,
    seed: usize,
    panel: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(flatten)]
    curve: Curve,
}

/// A measured series over the simulated ones.
#[derive(Serialize)]
struct Laid<'a> {
    panel: usize,
    /// Which of the overlays.
    overlay: usize,
    name: &'a str,
    x: Vec<Instant>,
    y: Vec<Point>,
}

#[derive(Serialize)]
struct Capacity {
    case: usize,
    seed: usize,
    varies: bool,
    #[serde(flatten)]
    curve: Curve,
}

#[derive(Serialize, PartialEq)]
struct Limit {
    panel: usize,
    at: Point,
    text: String,
}

#[derive(Serialize)]
struct Scatter {
    points: Vec<Mark>,
    medians: Vec<Mark>,
    capacity: Option<Point>,
    base: Option<Point>,
    full: Option<Point>,
}

#[derive(Serialize)]
struct Mark {
    case: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    x: Point,
    y: Point,
}

#[derive(Serialize)]
struct Distribution {
    title: &'static str,
    curves: Vec<Steps>,
}

#[derive(Serialize)]
struct Steps {
    case: usize,
    x: Vec<Point>,
    y: Vec<Point>,
}

impl Plots<'_> {
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

const THROUGHPUT: usize = 0;
const RTT: usize = 1;
const CWND: usize = 2;
const PACING: usize = 3;
const QUEUE: usize = 4;
const MARKS: usize = 5;
const DELAY: usize = 6;
const PANELS: usize = 7;

/// How much of a comparison is drawn over time.
#[derive(Clone, Copy)]
struct Extent {
    seeds: usize,
    each_flow: bool,
    bins: usize,
    /// Queueing delays are drawn over time, because an overlay has measured them.
    delays: bool,
}

pub(super) fn plots(comparison: &Comparison) -> Plots<'_> {
    let extent = extent(comparison);
    let runs: Vec<&Record> = comparison.runs().map(|(_, run)| run).collect();
    let per = throughput_bin(&runs);
    let mut plots = Plots {
        cases: comparison.cases.iter().map(|case| case.label.as_str()).collect(),
        seeds: comparison.cases.first().map_or(vec![], |case| case.runs.iter().take(extent.seeds).map(|run| run.seed).collect()),
        end: Instant(runs.iter().map(|run| run.duration).max().unwrap_or_default().as_secs_f64()),
        warmup: Instant(runs.iter().map(|run| run.warmup).max().unwrap_or_default().as_secs_f64()),
        panels: vec![],
        lines: vec![],
        overlays: laid(&comparison.overlays),
        capacity: vec![],
        limits: vec![],
        scatter: scatter(comparison),
        distributions: [
            distribution(comparison, "Round trip, ms", |run| run.flows.iter().map(|flow| &flow.rtt).collect()),
            distribution(comparison, "Queueing delay at the bottleneck, ms", |run| {
                bottleneck(run).map(|link| &link.queueing).into_iter().collect()
            }),
        ],
    };
    for (index, case) in comparison.cases.iter().enumerate() {
        for (seed, run) in case.runs.iter().take(extent.seeds).enumerate() {
            draw(&mut plots, (index, seed), run, extent, per);
        }
    }
    let width = runs.first().map_or(0.0, |run| run.interval.as_secs_f64() * per as f64);
    drop_empty_panels(&mut plots, panels(&runs, width));
    plots
}

/// All seeds and every flow if there is room, less if not.
fn extent(comparison: &Comparison) -> Extent {
    let most = comparison.cases.iter().map(|case| case.runs.len()).max().unwrap_or(0);
    let few = comparison.runs().all(|(_, run)| run.flows.len() <= FLOWS);
    let tries = [(most, few), (most, false), (1, few), (1, false)];
    let bins = |(seeds, each_flow): (usize, bool)| {
        let drawn = comparison.cases.iter().flat_map(|case| case.runs.iter().take(seeds));
        let curves: usize = drawn.map(|run| MARKS + 2 + if each_flow { 4 * run.flows.len() } else { 0 }).sum();
        BUDGET / (2 * curves.max(1))
    };
    let (seeds, each_flow) = tries.into_iter().find(|attempt| bins(*attempt) >= 120).unwrap_or((1, false));
    let delays = comparison.overlays.iter().flat_map(|overlay| &overlay.series).any(|series| series.quantity == Quantity::QueueingDelay);
    Extent { seeds, each_flow, bins: bins((seeds, each_flow)).clamp(10, BINS), delays }
}

/// Samples in a bin of throughput: at least a round trip, and some 300 bins in all.
fn throughput_bin(runs: &[&Record]) -> usize {
    let interval = runs.iter().map(|run| run.interval.as_nanos()).max().unwrap_or(1).max(1);
    let longest = runs.iter().map(|run| run.duration.as_nanos()).max().unwrap_or(0);
    let rtt = runs.iter().flat_map(|run| &run.flows).map(|flow| flow.base_rtt.as_nanos()).max().unwrap_or(0);
    (longest / 300).max(rtt).div_ceil(interval).max(1) as usize
}

fn panels(runs: &[&Record], width: f64) -> [Panel; PANELS] {
    let packets = counts_packets(runs.first().and_then(|run| bottleneck(run)));
    let queue = if packets { "Queue at the bottleneck, packets" } else { "Queue at the bottleneck, kB" };
    let panel = |title: &str, zero: bool| Panel { title: title.to_owned(), zero };
    [
        panel(&format!("Throughput, Mbit/s (mean over {} s)", plain(width)), true),
        panel("Round trip, ms", false),
        panel("Congestion window, segments", true),
        panel("Pacing rate, Mbit/s", true),
        panel(queue, true),
        panel("Packets marked, per second", true),
        panel("Queueing delay at the bottleneck, ms", true),
    ]
}

fn counts_packets(link: Option<&LinkRecord>) -> bool {
    link.is_some_and(|link| link.buffer.is_none() && link.buffer_packets.is_some())
}

fn draw<'a>(plots: &mut Plots<'a>, (case, seed): (usize, usize), run: &'a Record, extent: Extent, per: usize) {
    let over = |flow: &FlowRecord, value: fn(&FlowSample) -> Option<f64>| grid(&flow.samples, run.interval, |sample| sample.at, value);
    let all = |value: fn(&FlowSample) -> Option<f64>| run.flows.iter().map(|flow| over(flow, value)).collect::<Vec<_>>();
    let first = run.flows.iter().map(|flow| flow.start).min().unwrap_or(Time::ZERO);
    let mut line = |panel: usize, flow: Option<(usize, &'a FlowRecord)>, curve: Curve| {
        plots.lines.push(Line {
            case,
            seed,
            panel,
            flow: flow.map(|(index, _)| index),
            name: flow.map(|(_, flow)| flow.name.as_str()),
            curve,
        });
    };
    let kept: Vec<_> = all(arrived).into_iter().map(keep).collect();
    line(THROUGHPUT, None, growth(&sum(&kept), run.interval, per, first));
    line(RTT, None, extremes(&all(rtt), run.interval, extent.bins));
    line(CWND, None, extremes(&[sum(&all(cwnd))], run.interval, extent.bins));
    line(PACING, None, extremes(&[sum(&all(pacing))], run.interval, extent.bins));
    for flow in run.flows.iter().enumerate().filter(|_| extent.each_flow && run.flows.len() > 1) {
        line(THROUGHPUT, Some(flow), growth(&over(flow.1, arrived), run.interval, per, flow.1.start));
        line(RTT, Some(flow), extremes(&[over(flow.1, rtt)], run.interval, extent.bins));
        line(CWND, Some(flow), extremes(&[over(flow.1, cwnd)], run.interval, extent.bins));
        line(PACING, Some(flow), extremes(&[over(flow.1, pacing)], run.interval, extent.bins));
    }
    let Some(link) = bottleneck(run) else { return };
    let packets = counts_packets(Some(link));
    let queue =
        grid(&link.samples, run.interval, |s| s.at, |s| Some(if packets { s.queue_packets as f64 } else { s.queue.get() as f64 / 1e3 }));
    line(QUEUE, None, extremes(&[queue], run.interval, extent.bins));
    if let Some(rate) = link.rate.filter(|_| extent.delays) {
        let delay = grid(&link.samples, run.interval, |s| s.at, |s| Some(rate.time_for(s.queue).as_millis_f64()));
        line(DELAY, None, extremes(&[delay], run.interval, extent.bins));
    }
    if link.samples.iter().any(|sample| sample.marked > 0) {
        let marked = grid(&link.samples, run.interval, |s| s.at, |s| Some(s.marked as f64));
        line(MARKS, None, growth(&marked, run.interval, per, Time::ZERO));
    }
    reference(plots, (case, seed), run, link, per);
}

/// What the bottleneck could carry, and how much its buffer holds; each once.
fn reference(plots: &mut Plots<'_>, (case, seed): (usize, usize), run: &Record, link: &LinkRecord, per: usize) {
    let curve = match link.rate {
        Some(rate) => {
            let level = Some(Point(rate.as_mbps()));
            Curve { x0: Instant(0.0), dx: Instant(run.duration.as_secs_f64()), y: vec![level, level] }
        }
        None => {
            growth(&grid(&link.samples, run.interval, |s| s.at, |s| Some(s.capacity.bits() as f64 / 1e6)), run.interval, per, Time::ZERO)
        }
    };
    if !plots.capacity.iter().any(|other| other.seed == seed && other.curve == curve) {
        plots.capacity.push(Capacity { case, seed, varies: link.rate.is_none(), curve });
    }
    let limit = match (link.buffer, link.buffer_packets) {
        (Some(bytes), _) => Limit { panel: QUEUE, at: Point(bytes.get() as f64 / 1e3), text: format!("buffer: {bytes}") },
        (None, Some(packets)) => Limit { panel: QUEUE, at: Point(packets.into()), text: format!("buffer: {packets} packets") },
        (None, None) => return,
    };
    if !plots.limits.contains(&limit) {
        plots.limits.push(limit);
    }
}

fn arrived(sample: &FlowSample) -> Option<f64> {
    Some(sample.arrived_wire.bits() as f64 / 1e6)
}

fn rtt(sample: &FlowSample) -> Option<f64> {
    sample.rtt.map(|rtt| rtt.as_millis_f64())
}

fn cwnd(sample: &FlowSample) -> Option<f64> {
    (sample.cwnd > 0.0).then_some(sample.cwnd)
}

fn pacing(sample: &FlowSample) -> Option<f64> {
    sample.pacing.map(Rate::as_mbps)
}

/// A count that keeps its value where samples are missing.
fn keep(counts: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let mut last = None;
    counts
        .into_iter()
        .map(|count| {
            last = count.or(last);
            last
        })
        .collect()
}

/// The series of overlays in their panels; long ones as means of neighbours.
fn laid(overlays: &[Overlay]) -> Vec<Laid<'_>> {
    let mean = |points: &[(f64, f64)], of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let series = overlays.iter().enumerate().flat_map(|(index, overlay)| overlay.series.iter().map(move |series| (index, overlay, series)));
    let laid = series.map(|(overlay, Overlay { name, .. }, series)| {
        let near = || series.points.chunks(series.points.len().div_ceil(2 * BINS).max(1));
        Laid {
            panel: match series.quantity {
                Quantity::Throughput => THROUGHPUT,
                Quantity::Rtt => RTT,
                Quantity::Window => CWND,
                Quantity::QueueingDelay => DELAY,
            },
            overlay,
            name,
            x: near().map(|points| Instant(mean(points, |point| point.0))).collect(),
            y: near().map(|points| Point(mean(points, |point| point.1))).collect(),
        }
    });
    laid.collect()
}

fn drop_empty_panels(plots: &mut Plots<'_>, panels: [Panel; PANELS]) {
    plots.lines.retain(|line| line.curve.y.iter().any(Option::is_some));
    let mut new = [0; PANELS];
    for (index, panel) in panels.into_iter().enumerate() {
        if plots.lines.iter().any(|line| line.panel == index) || plots.overlays.iter().any(|laid| laid.panel == index) {
            new[index] = plots.panels.len();
            plots.panels.push(panel);
        }
    }
    plots.lines.iter_mut().for_each(|line| line.panel = new[line.panel]);
    plots.overlays.iter_mut().for_each(|laid| laid.panel = new[laid.panel]);
    plots.limits.iter_mut().for_each(|limit| limit.panel = new[limit.panel]);
}

fn scatter(comparison: &Comparison) -> Scatter {
    let (Some(goodput), Some(delay)) = (metric("goodput"), metric("rtt_p95")) else { return Scatter::none() };
    let mut scatter = Scatter::none();
    for (case, own) in comparison.cases.iter().enumerate() {
        for run in &own.runs {
            if let (Some(x), Some(y)) = ((delay.compute)(run), (goodput.compute)(run)) {
                scatter.points.push(Mark { case, seed: Some(run.seed), x: Point(x), y: Point(y) });
            }
        }
        if let (Some(x), Some(y)) = (Summary::of(delay, &own.runs), Summary::of(goodput, &own.runs)) {
            scatter.medians.push(Mark { case, seed: None, x: Point(x.median), y: Point(y.median) });
        }
    }
    let same = |of: fn(&Record) -> Option<f64>| {
        let mut all = comparison.runs().map(|(_, run)| of(run));
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(Point(first))
    };
    scatter.capacity = same(mean_capacity);
    scatter.base = same(|run| longest_base(run).map(Span::as_millis_f64));
    scatter.full = same(full_buffer);
    scatter
}

impl Scatter {
    fn none() -> Scatter {
        Scatter { points: vec![], medians: vec![], capacity: None, base: None, full: None }
    }
}

fn mean_capacity(run: &Record) -> Option<f64> {
    let link = bottleneck(run)?;
    Some(link.rate.unwrap_or_else(|| Rate::of(link.capacity.unwrap_or_default(), run.duration - run.warmup)).as_mbps())
}

fn longest_base(run: &Record) -> Option<Span> {
    run.flows.iter().map(|flow| flow.base_rtt).max()
}

fn full_buffer(run: &Record) -> Option<f64> {
    let link = bottleneck(run)?;
    Some((longest_base(run)? + link.rate?.time_for(link.buffer?)).as_millis_f64())
}

fn distribution(comparison: &Comparison, title: &'static str, of: fn(&Record) -> Vec<&Histogram>) -> Distribution {
    let steps = |(case, own): (usize, &crate::Case)| {
        let mut all = Histogram::new();
        for histogram in own.runs.iter().flat_map(of) {
            all.merge(histogram);
        }
        let first = all.min()?;
        let cdf = all.cdf();
        let every = cdf.len().div_ceil(STEPS).max(1);
        let kept = cdf.iter().enumerate().filter(|(index, _)| index % every == every - 1 || index + 1 == cdf.len()).map(|(_, step)| *step);
        let (x, y) = std::iter::once((first, 0.0)).chain(kept).map(|(span, share)| (Point(span.as_millis_f64()), Point(share))).unzip();
        Some(Steps { case, x, y })
    };
    Distribution { title, curves: comparison.cases.iter().enumerate().filter_map(steps).collect() }
}
