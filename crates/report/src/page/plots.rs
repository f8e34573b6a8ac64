//! Data of the plots of a page.

use super::changes::{self, lines};
use super::icn;
use super::levels::{Growths, Levels, Means, Room, extreme_levels, growth_levels, growths};
use super::lines::{Curve, Instant, Point, draining, grid, keep, sum};
use super::overall::{Distribution, Scatter, distribution, scatter};
use super::panels::{
    CWND, DELAY, DROPS, IN_FLIGHT, MARKS, PACING, PANELS, Panel, Part, QUEUE, RTT, THROUGHPUT,
    panels,
};
use super::transfers::{Transfers, transfers};
use crate::{Comparison, Overlay, Quantity};
use narrows_measure::metrics::{Summary, bottleneck, metric};
use narrows_measure::{Changed, FlowRecord, FlowSample, LinkRecord, LinkSample, Record};
use narrows_units::{Rate, Time};
use serde::Serialize;

/// Numbers in all curves over time.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    /// As they are first drawn.
    pub first: usize,
    /// In their finer levels.
    pub finer: usize,
}

/// Number of samples that a page may carry.
pub(crate) const WHOLE: Budget = Budget { first: 200_000, finer: 600_000 };

/// Pairs of extremes in a curve that has room.
const BINS: usize = 400;
/// Flows of a case that can be drawn one by one.
const FLOWS: usize = 8;
/// Jain's index below which flows are first drawn one by one; two flows have it at shares of 2 to 1.
const UNEQUAL: f64 = 0.9;
/// Links that can be chosen.
const LINKS: usize = 8;

#[derive(Serialize)]
pub(crate) struct Plots<'a> {
    pub cases: Vec<&'a str>,
    pub seeds: Vec<u64>,
    /// Flows of the run that has most.
    flows: usize,
    /// Flows are first drawn one by one: in some case they differ.
    pub apart: bool,
    end: Instant,
    warmup: Instant,
    pub panels: Vec<Panel>,
    /// The panel of windows, and of packets marked.
    window: Option<usize>,
    marks: Option<usize>,
    /// The links of which queues, drops and marks are drawn, and which of them at first.
    pub links: Vec<&'a str>,
    pub link: usize,
    pub lines: Vec<Line<'a>>,
    overlays: Vec<Laid<'a>>,
    changes: Vec<changes::Line>,
    capacity: Vec<Capacity>,
    pub limits: Vec<Limit>,
    #[serde(skip)]
    pub scatter: Scatter,
    #[serde(skip)]
    pub distributions: [Distribution; 2],
    #[serde(skip)]
    pub transfers: Option<Transfers>,
    /// The groups of the cases, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<Grouped>,
}

/// A group of cases.
#[derive(Serialize)]
struct Grouped {
    /// Index of the first case, and number of cases.
    first: usize,
    cases: usize,
    /// End of the longest run.
    end: Instant,
}

/// One curve over time: a case's flows together, or one of them, or a link.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    pub case: usize,
    pub seed: usize,
    pub panel: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    #[serde(flatten)]
    pub part: Option<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<usize>,
    /// When packets of these flows were dropped, for their windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Growths>,
    #[serde(flatten)]
    pub curve: Levels,
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
    curve: Levels,
}

#[derive(Serialize, PartialEq)]
pub(crate) struct Limit {
    pub panel: usize,
    pub link: usize,
    pub at: Point,
    pub text: String,
}

/// About how many curves each flow has, and each link; the flows together have as many as one.
const CURVES: (usize, usize) = (4, 4);
const ICN_CURVES: (usize, usize) = (9, 7);

/// How much of a comparison is drawn over time.
#[derive(Clone, Copy)]
struct Extent {
    seeds: usize,
    each_flow: bool,
    room: Room,
    /// Queueing delays are drawn even where the rate is constant and the queue tells as much: an
    /// overlay has measured them.
    delays: bool,
    /// Packets in flight are drawn only if an overlay has measured them.
    in_flight: bool,
    /// Queues are counted in packets.
    packets: bool,
    icn: bool,
}

/// Returns the groups of a comparison's cases.
fn groups(comparison: &Comparison) -> Vec<Grouped> {
    let grouped = comparison.grouped().map(|(_, cases)| Grouped {
        first: cases.start,
        cases: cases.len(),
        end: end(comparison.cases[cases].iter().flat_map(|case| &case.runs)),
    });
    grouped.collect()
}

/// Returns the end of the longest run.
fn end<'a>(runs: impl Iterator<Item = &'a Record>) -> Instant {
    Instant(runs.map(|run| run.duration).max().unwrap_or_default().as_secs_f64())
}

pub(crate) fn plots(comparison: &Comparison, budget: Budget) -> Plots<'_> {
    let runs: Vec<&Record> = comparison.runs().map(|(_, run)| run).collect();
    let links = links(&runs);
    let extent = extent(comparison, links.len(), budget);
    let means = means(&runs);
    let mut plots = Plots {
        cases: comparison.cases.iter().map(|case| case.label.as_str()).collect(),
        groups: groups(comparison),
        seeds: comparison.cases.first().map_or(vec![], |case| {
            case.runs.iter().take(extent.seeds).map(|run| run.seed).collect()
        }),
        flows: runs.iter().map(|run| run.flows.len()).max().unwrap_or(0),
        apart: comparison.cases.iter().any(|case| unequal(&case.runs)),
        end: end(runs.iter().copied()),
        warmup: Instant(runs.iter().map(|run| run.warmup).max().unwrap_or_default().as_secs_f64()),
        panels: vec![],
        window: None,
        marks: None,
        link: runs
            .first()
            .and_then(|run| bottleneck(run))
            .and_then(|link| links.iter().position(|name| *name == link.name))
            .unwrap_or(0),
        links,
        lines: vec![],
        changes: lines(comparison),
        overlays: laid(&comparison.overlays),
        capacity: vec![],
        limits: vec![],
        scatter: scatter(comparison),
        distributions: [
            distribution(comparison, "Round trip, ms", |run| {
                run.flows.iter().map(|flow| &flow.rtt).collect()
            }),
            distribution(comparison, "Queueing delay at the bottleneck, ms", |run| {
                bottleneck(run).map(|link| &link.queueing).into_iter().collect()
            }),
        ],
        transfers: transfers(comparison),
    };
    for (index, case) in comparison.cases.iter().enumerate() {
        for (seed, run) in case.runs.iter().take(extent.seeds).enumerate() {
            draw(&mut plots, (index, seed), run, extent, means);
        }
    }
    drop_empty_panels(&mut plots, panels(extent.packets, extent.icn));
    plots
}

/// The flows of a case get so different shares that their sum hides it.
fn unequal(runs: &[Record]) -> bool {
    metric("jain")
        .and_then(|jain| Summary::of(jain, runs))
        .is_some_and(|jain| jain.median < UNEQUAL)
}

/// The links that some run used most, those that dropped or marked packets, and those that bring
/// Data.
fn links<'a>(runs: &[&'a Record]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let limiting = runs.iter().filter_map(|run| bottleneck(run));
    let acting = runs
        .iter()
        .flat_map(|run| &run.links)
        .filter(|link| link.samples.last().is_some_and(|s| s.dropped + s.marked > 0));
    let carrying = runs.iter().flat_map(|run| icn::carrying(run));
    for name in limiting.chain(acting).chain(carrying).map(|link| link.name.as_str()) {
        if names.len() < LINKS && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// All seeds and every flow if there is room, less if not.
fn extent(comparison: &Comparison, links: usize, budget: Budget) -> Extent {
    let most = comparison.cases.iter().map(|case| case.runs.len()).max().unwrap_or(0);
    let few = comparison.runs().all(|(_, run)| run.flows.len() <= FLOWS);
    let tries = [(most, few), (most, false), (1, few), (1, false)];
    let bins = |(seeds, each_flow): (usize, bool)| {
        let drawn = comparison.cases.iter().flat_map(|case| case.runs.iter().take(seeds));
        let (of_flow, of_link) = if comparison.is_icn() { ICN_CURVES } else { CURVES };
        let curves: usize = drawn
            .map(|run| {
                of_flow
                    + 1
                    + of_link * links
                    + if each_flow { of_flow * run.flows.len() } else { 0 }
            })
            .sum();
        budget.first / (2 * curves.max(1))
    };
    let (seeds, each_flow) =
        tries.into_iter().find(|attempt| bins(*attempt) >= 120).unwrap_or((1, false));
    let measured = |quantity| {
        let mut all = comparison.overlays.iter().flat_map(|overlay| &overlay.series);
        all.any(|series| series.quantity == quantity)
    };
    let (delays, in_flight) = (measured(Quantity::QueueingDelay), measured(Quantity::InFlight));
    let packets = counts_packets(comparison.runs().next().and_then(|(_, run)| bottleneck(run)));
    let bins = bins((seeds, each_flow));
    // As many curves as share the one room share the other.
    let room = Room { bins: bins.clamp(10, BINS), finer: 2 * bins * budget.finer / budget.first };
    Extent { seeds, each_flow, room, delays, in_flight, packets, icn: comparison.is_icn() }
}

/// Samples in a mean of throughput: at least a round trip, and for the whole run some 300 means.
fn means(runs: &[&Record]) -> Means {
    let interval = runs.iter().map(|run| run.interval.as_nanos()).max().unwrap_or(1).max(1);
    let longest = runs.iter().map(|run| run.duration.as_nanos()).max().unwrap_or(0);
    let rtt = runs
        .iter()
        .flat_map(|run| &run.flows)
        .map(|flow| flow.base_rtt.as_nanos())
        .max()
        .unwrap_or(0);
    let samples = |time: u64| time.div_ceil(interval).max(1) as usize;
    Means { coarse: samples((longest / 300).max(rtt)), finest: samples(rtt) }
}

fn counts_packets(link: Option<&LinkRecord>) -> bool {
    link.is_some_and(|link| link.buffer.is_none() && link.buffer_packets.is_some())
}

fn draw<'a>(
    plots: &mut Plots<'a>,
    (case, seed): (usize, usize),
    run: &'a Record,
    extent: Extent,
    means: Means,
) {
    let counted =
        |flow: &FlowRecord| grid(&flow.samples, run.interval, |sample| sample.at, arrived);
    let over = |flow: &FlowRecord, value: fn(&FlowSample) -> Option<f64>| {
        let running = |sample: &FlowSample| flow.end.is_none_or(|end| sample.at <= end);
        grid(
            &flow.samples,
            run.interval,
            |sample| sample.at,
            |sample| value(sample).filter(|_| running(sample)),
        )
    };
    let all = |value: fn(&FlowSample) -> Option<f64>| {
        run.flows.iter().map(|flow| over(flow, value)).collect::<Vec<_>>()
    };
    let first = run.flows.iter().map(|flow| flow.start).min().unwrap_or(Time::ZERO);
    let dropped = |flow: &FlowRecord| {
        keep(grid(
            &flow.samples,
            run.interval,
            |sample| sample.at,
            |sample| Some(sample.dropped as f64),
        ))
    };
    let mut line = |panel: usize, flow: Option<(usize, &'a FlowRecord)>, curve: Levels| {
        let lost = || match flow {
            Some((_, flow)) => dropped(flow),
            None => sum(&run.flows.iter().map(dropped).collect::<Vec<_>>()),
        };
        let lost = (panel == CWND).then(|| growths(&lost(), run.interval, means.coarse)).flatten();
        let (flow, name) = flow.map(|(index, flow)| (index, flow.name.as_str())).unzip();
        plots.lines.push(Line {
            case,
            seed,
            panel,
            flow,
            name,
            part: None,
            link: None,
            lost,
            curve,
        });
    };
    let kept: Vec<_> = run.flows.iter().map(|flow| keep(counted(flow))).collect();
    line(THROUGHPUT, None, growth_levels(&sum(&kept), run.interval, means, first, extent.room));
    line(RTT, None, extreme_levels(&all(rtt), run.interval, extent.room));
    line(CWND, None, extreme_levels(&[sum(&all(cwnd))], run.interval, extent.room));
    line(PACING, None, extreme_levels(&[sum(&all(pacing))], run.interval, extent.room));
    if extent.in_flight {
        line(IN_FLIGHT, None, extreme_levels(&[sum(&all(in_flight))], run.interval, extent.room));
    }
    for flow in run.flows.iter().enumerate().filter(|_| extent.each_flow && run.flows.len() > 1) {
        line(
            THROUGHPUT,
            Some(flow),
            growth_levels(&counted(flow.1), run.interval, means, flow.1.start, extent.room),
        );
        line(RTT, Some(flow), extreme_levels(&[over(flow.1, rtt)], run.interval, extent.room));
        line(CWND, Some(flow), extreme_levels(&[over(flow.1, cwnd)], run.interval, extent.room));
        line(
            PACING,
            Some(flow),
            extreme_levels(&[over(flow.1, pacing)], run.interval, extent.room),
        );
    }
    for (panel, flow, part, curve) in icn::of_flows(run, extent.each_flow, means.coarse) {
        let name = flow.map(|flow| run.flows[flow].name.as_str());
        plots.lines.push(Line {
            case,
            seed,
            panel,
            flow,
            name,
            part,
            link: None,
            lost: None,
            curve: curve.into(),
        });
    }
    if let Some(link) = bottleneck(run) {
        capacity(plots, (case, seed), run, link, (means, extent.room));
    }
    for place in 0..plots.links.len() {
        if let Some(index) = run.links.iter().position(|link| link.name == plots.links[place]) {
            draw_link(plots, (case, seed), run, (place, &run.links[index]), extent, means);
            for (panel, part, curve) in icn::of_link(run, index, extent.room.bins) {
                plots.lines.push(Line {
                    case,
                    seed,
                    panel,
                    flow: None,
                    name: None,
                    part,
                    link: Some(place),
                    lost: None,
                    curve: curve.into(),
                });
            }
        }
    }
}

fn draw_link(
    plots: &mut Plots<'_>,
    (case, seed): (usize, usize),
    run: &Record,
    (place, link): (usize, &LinkRecord),
    extent: Extent,
    means: Means,
) {
    let over = |value: fn(&LinkSample) -> f64| {
        grid(&link.samples, run.interval, |s| s.at, |s| Some(value(s)))
    };
    let mut line = |panel: usize, curve: Levels| {
        plots.lines.push(Line {
            case,
            seed,
            panel,
            flow: None,
            name: None,
            part: None,
            link: Some(place),
            lost: None,
            curve,
        })
    };
    let queue = if extent.packets {
        over(|s| s.queue_packets as f64)
    } else {
        over(|s| s.queue.get() as f64 / 1e3)
    };
    line(QUEUE, extreme_levels(&[queue], run.interval, extent.room));
    let varies = link.rate.is_none() && link.capacity.is_some();
    if varies || extent.delays {
        let (waiting, capacity) =
            (over(|s| s.queue.get() as f64), over(|s| s.capacity.get() as f64));
        line(
            DELAY,
            extreme_levels(
                &[draining(&waiting, &capacity, run.interval)],
                run.interval,
                extent.room,
            ),
        );
    }
    for (panel, counts) in [(DROPS, over(|s| s.dropped as f64)), (MARKS, over(|s| s.marked as f64))]
    {
        if counts.last().is_some_and(|last| last.is_some_and(|last| last > 0.0)) {
            line(panel, growth_levels(&counts, run.interval, means, Time::ZERO, extent.room));
        }
    }
    if run.changes.iter().any(|change| change.of == link.name && change.what == Changed::Buffer) {
        return;
    }
    let (at, text) = match (link.buffer, link.buffer_packets) {
        (Some(bytes), _) if !extent.packets => {
            (Point(bytes.get() as f64 / 1e3), format!("buffer: {bytes}"))
        }
        (None, Some(packets)) if extent.packets => {
            (Point(packets.into()), format!("buffer: {packets} packets"))
        }
        _ => return,
    };
    let limit = Limit { panel: QUEUE, link: place, at, text };
    if !plots.limits.contains(&limit) {
        plots.limits.push(limit);
    }
}

/// Adds the capacity of the bottleneck, once.
fn capacity(
    plots: &mut Plots<'_>,
    (case, seed): (usize, usize),
    run: &Record,
    link: &LinkRecord,
    (means, room): (Means, Room),
) {
    let curve = match link.rate {
        Some(rate) => {
            let level = Some(Point(rate.as_mbps()));
            Curve {
                x0: Instant(0.0),
                dx: Instant(run.duration.as_secs_f64()),
                y: vec![level, level],
            }
            .into()
        }
        None => {
            let carried = grid(
                &link.samples,
                run.interval,
                |s| s.at,
                |s| Some(s.capacity.bits() as f64 / 1e6),
            );
            growth_levels(&carried, run.interval, means, Time::ZERO, room)
        }
    };
    if !plots.capacity.iter().any(|other| other.seed == seed && other.curve.coarse == curve.coarse)
    {
        plots.capacity.push(Capacity { case, seed, varies: link.rate.is_none(), curve });
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

fn in_flight(sample: &FlowSample) -> Option<f64> {
    (sample.connections > 0).then_some(sample.in_flight.into())
}

fn pacing(sample: &FlowSample) -> Option<f64> {
    sample.pacing.map(Rate::as_mbps)
}

/// The series of overlays in their panels; long ones as means of neighbours.
fn laid(overlays: &[Overlay]) -> Vec<Laid<'_>> {
    let mean = |points: &[(f64, f64)], of: fn(&(f64, f64)) -> f64| {
        points.iter().map(of).sum::<f64>() / points.len() as f64
    };
    let series = overlays.iter().enumerate().flat_map(|(index, overlay)| {
        overlay.series.iter().map(move |series| (index, overlay, series))
    });
    let laid = series.map(|(overlay, Overlay { name, .. }, series)| {
        let near = || series.points.chunks(series.points.len().div_ceil(2 * BINS).max(1));
        Laid {
            panel: match series.quantity {
                Quantity::Throughput => THROUGHPUT,
                Quantity::Rtt => RTT,
                Quantity::Window => CWND,
                Quantity::InFlight => IN_FLIGHT,
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
    plots.lines.retain(|line| line.curve.coarse.y.iter().any(Option::is_some));
    let mut new = [0; PANELS];
    let shown = |panel: usize, lines: &[Line<'_>]| lines.iter().any(|line| line.panel == panel);
    let [window, marks] = [CWND, MARKS].map(|panel| shown(panel, &plots.lines));
    for (index, panel) in panels.into_iter().enumerate() {
        if plots.lines.iter().any(|line| line.panel == index)
            || plots.overlays.iter().any(|laid| laid.panel == index)
        {
            new[index] = plots.panels.len();
            plots.panels.push(panel);
        }
    }
    (plots.window, plots.marks) = (window.then_some(new[CWND]), marks.then_some(new[MARKS]));
    plots.lines.iter_mut().for_each(|line| line.panel = new[line.panel]);
    plots.overlays.iter_mut().for_each(|laid| laid.panel = new[laid.panel]);
    plots.limits.iter_mut().for_each(|limit| limit.panel = new[limit.panel]);
}
