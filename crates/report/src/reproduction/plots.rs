//! The plots of a figure for the page.

use super::curve::Traced;
use crate::page::lines::Point;
use crate::page::style::capital;
use crate::spread::Spread;
use narrows_measure::metrics::Metric;
use narrows_scenario::paper::{Asked, Drawn, Plot, Series};
use serde::{Deserialize, Serialize};

/// A plot with measured values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawnPlot {
    pub(crate) title: String,
    pub(crate) x_title: String,
    pub(crate) y_title: String,
    pub(crate) log_x: bool,
    pub(crate) log_y: bool,
    #[serde(flatten)]
    pub(crate) content: Content,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub(crate) enum Content {
    Lines { labels: Vec<String>, numbers: Option<Vec<Point>>, lines: Vec<Line> },
    Cdf { lines: Vec<Values> },
    Trace { panels: Vec<Panel> },
}

/// A line of medians over seeds with their 95 % intervals.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) median: Vec<Option<Point>>,
    pub(crate) low: Vec<Option<Point>>,
    pub(crate) high: Vec<Option<Point>>,
}

/// Sorted values of a cumulative distribution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Values {
    pub(crate) name: String,
    pub(crate) x: Vec<Point>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) lines: Vec<Traced>,
}

impl DrawnPlot {
    /// Returns the title of the plot.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Builds a plot. `values` returns the values of a cell, one for each seed. `traced` returns
    /// the stored curves of the cell's first run.
    pub fn of(
        plot: &Plot,
        values: &dyn Fn(usize, &Asked) -> Vec<Option<f64>>,
        traced: &dyn Fn(usize) -> Vec<Traced>,
    ) -> DrawnPlot {
        let (x, y, content) = match &plot.drawn {
            Drawn::Lines { along, asked, series } => {
                let content = Content::Lines {
                    labels: along.labels.clone(),
                    numbers: along
                        .numbers
                        .as_ref()
                        .map(|numbers| numbers.iter().copied().map(Point).collect()),
                    lines: series.iter().map(|series| line(series, asked, values)).collect(),
                };
                (axis(&along.title, along.unit), of_metric(asked.metric), content)
            }
            Drawn::Cdf { asked, series } => {
                let sorted = |series: &Series| {
                    let mut all: Vec<f64> = series
                        .cells
                        .iter()
                        .flat_map(|cell| values(*cell, asked))
                        .flatten()
                        .collect();
                    all.sort_by(f64::total_cmp);
                    Values { name: series.label.clone(), x: all.into_iter().map(Point).collect() }
                };
                (
                    of_metric(asked.metric),
                    axis("share of runs", ""),
                    Content::Cdf { lines: series.iter().map(sorted).collect() },
                )
            }
            Drawn::Trace { trace, panels, .. } => {
                let panel = |(title, cell): &(String, usize)| Panel {
                    title: title.clone(),
                    lines: traced(*cell),
                };
                let content = Content::Trace { panels: panels.iter().map(panel).collect() };
                (axis("time", "s"), axis(trace.title(), trace.unit()), content)
            }
        };
        DrawnPlot {
            title: plot.title.clone(),
            x_title: plot.x_title.clone().unwrap_or(x),
            y_title: plot.y_title.clone().unwrap_or(y),
            log_x: plot.log_x,
            log_y: plot.log_y,
            content,
        }
    }
}

fn line(
    series: &Series,
    asked: &Asked,
    values: &dyn Fn(usize, &Asked) -> Vec<Option<f64>>,
) -> Line {
    let mut line =
        Line { name: series.label.clone(), median: Vec::new(), low: Vec::new(), high: Vec::new() };
    for cell in &series.cells {
        let own = Spread::over(&values(*cell, asked));
        line.median.push(own.median.map(Point));
        line.low.push(own.interval.map(|interval| Point(interval.low)));
        line.high.push(own.interval.map(|interval| Point(interval.high)));
    }
    line
}

fn of_metric(metric: &Metric) -> String {
    axis(&named(metric), metric.unit)
}

/// Returns the name of a metric in words: "Standing queue", "RTT p95".
pub fn named(metric: &Metric) -> String {
    let words = metric.name.replace('_', " ");
    match words.strip_prefix("rtt") {
        Some(rest) => format!("RTT{rest}"),
        None => capital(&words),
    }
}

/// Formats the title of an axis: "Loss of bottleneck, %".
fn axis(name: &str, unit: &str) -> String {
    let name = capital(name);
    if unit.is_empty() { name } else { format!("{name}, {unit}") }
}
