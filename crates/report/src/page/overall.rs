//! Plots of whole runs: goodput against delay, and distributions.

use super::lines::{Point, Steps, steps};
use crate::Comparison;
use narrows_measure::metrics::{Summary, bottleneck, metric};
use narrows_measure::{Changed, Histogram, Record};
use narrows_units::{Rate, Span};

/// Number of points of a cumulative distribution.
const STEPS: usize = 300;

/// Goodput against delay: a point for each run, the median of each case, and the limits that all
/// runs share.
pub(crate) struct Scatter {
    pub points: Vec<Mark>,
    pub medians: Vec<Mark>,
    pub capacity: Option<Point>,
    pub base: Option<Point>,
    pub full: Option<Point>,
}

pub(crate) struct Mark {
    pub case: usize,
    pub seed: Option<u64>,
    /// Median and 95th percentile of the round-trip time.
    pub x: [Point; 2],
    pub y: Point,
}

/// Cumulative distributions, one for each case.
pub(crate) struct Distribution {
    pub title: &'static str,
    pub curves: Vec<Distributed>,
}

pub(crate) struct Distributed {
    pub case: usize,
    pub steps: Steps,
}

/// Computes the scatter plot of a comparison's runs.
pub(crate) fn scatter(comparison: &Comparison) -> Scatter {
    let (Some(goodput), Some(p50), Some(p95)) =
        (metric("goodput"), metric("rtt_p50"), metric("rtt_p95"))
    else {
        return Scatter::none();
    };
    let mut scatter = Scatter::none();
    for (case, own) in comparison.cases.iter().enumerate() {
        for run in &own.runs {
            if let (Some(p50), Some(p95), Some(y)) =
                ((p50.compute)(run), (p95.compute)(run), (goodput.compute)(run))
            {
                scatter.points.push(Mark {
                    case,
                    seed: Some(run.seed),
                    x: [Point(p50), Point(p95)],
                    y: Point(y),
                });
            }
        }
        let median = |metric| Summary::of(metric, &own.runs).map(|summary| Point(summary.median));
        if let (Some(p50), Some(p95), Some(y)) = (median(p50), median(p95), median(goodput)) {
            scatter.medians.push(Mark { case, seed: None, x: [p50, p95], y });
        }
    }
    let same = |of: fn(&Record) -> Option<f64>| {
        let mut all = comparison.runs().map(|(_, run)| of(run));
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(Point(first))
    };
    scatter.capacity = same(mean_capacity);
    let changes = |run: &Record, what: &[Changed]| {
        run.changes.iter().any(|change| what.contains(&change.what))
    };
    if comparison.runs().all(|(_, run)| !changes(run, &[Changed::Delay, Changed::Route])) {
        scatter.base = same(|run| longest_base(run).map(Span::as_millis_f64));
        if comparison.runs().all(|(_, run)| !changes(run, &[Changed::Buffer])) {
            scatter.full = same(full_buffer);
        }
    }
    scatter
}

impl Scatter {
    fn none() -> Scatter {
        Scatter { points: vec![], medians: vec![], capacity: None, base: None, full: None }
    }
}

fn mean_capacity(run: &Record) -> Option<f64> {
    let link = bottleneck(run)?;
    Some(
        link.rate
            .unwrap_or_else(|| {
                Rate::of(link.capacity.unwrap_or_default(), run.duration - run.warmup)
            })
            .as_mbps(),
    )
}

fn longest_base(run: &Record) -> Option<Span> {
    run.flows.iter().map(|flow| flow.base_rtt).max()
}

fn full_buffer(run: &Record) -> Option<f64> {
    let link = bottleneck(run)?;
    Some((longest_base(run)? + link.rate?.time_for(link.buffer?)).as_millis_f64())
}

/// Computes the distributions of a comparison's cases, each over all seeds.
pub(crate) fn distribution(
    comparison: &Comparison,
    title: &'static str,
    of: fn(&Record) -> Vec<&Histogram>,
) -> Distribution {
    let drawn = |(case, own): (usize, &crate::Case)| {
        let mut all = Histogram::new();
        own.runs.iter().flat_map(of).for_each(|histogram| all.merge(histogram));
        Some(Distributed { case, steps: steps(&all, STEPS)? })
    };
    Distribution { title, curves: comparison.cases.iter().enumerate().filter_map(drawn).collect() }
}
