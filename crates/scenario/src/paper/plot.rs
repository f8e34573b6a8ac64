//! Plots of figures.

use super::asked::{Asked, Limits};
use super::raw::RawPlot;
use super::select::Axes;
use super::worlds::LIVE;
use crate::error::{Checked, Problem};
use crate::sweep::Path;
use crate::text::At;
use narrows_params::suggest;

/// A plot of a figure.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Title of the plot.
    pub title: String,
    /// Content of the plot.
    pub drawn: Drawn,
    /// True for a logarithmic x axis.
    pub log_x: bool,
    /// True for a logarithmic y axis.
    pub log_y: bool,
    /// Title of the x axis in the file; `None` for a default.
    pub x_title: Option<String>,
    /// Title of the y axis in the file; `None` for a default.
    pub y_title: Option<String>,
}

/// The content of a plot.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// A metric over an axis of the sweep: the cells of each line are in the order of the axis.
    Lines {
        /// X axis.
        along: Along,
        /// Metric of the y axis.
        asked: Asked,
        /// Lines.
        series: Vec<Series>,
    },
    /// The distribution of a metric over cells and seeds.
    Cdf {
        /// Metric.
        asked: Asked,
        /// Lines.
        series: Vec<Series>,
    },
    /// A trace over the time of runs: one panel for each cell, with its first seed.
    Trace {
        /// Drawn quantity.
        trace: Trace,
        /// Label and cell of each panel.
        panels: Vec<(String, usize)>,
        /// Drawn flows; empty for all.
        flows: Vec<String>,
        /// Drawn link; `None` for the bottleneck.
        link: Option<String>,
    },
}

/// The x axis of a plot.
#[derive(Clone, Debug)]
pub struct Along {
    /// Description of the axis: "loss of bottleneck".
    pub title: String,
    /// Labels of the values.
    pub labels: Vec<String>,
    /// Unit of the numbers.
    pub unit: &'static str,
    /// Values as numbers, if they are quantities of one kind.
    pub numbers: Option<Vec<f64>>,
}

/// A line of a plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Label that distinguishes the line; empty for a single line.
    pub label: String,
    /// Cells of the line.
    pub cells: Vec<usize>,
}

/// A quantity that can be drawn over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Goodput of each flow, in Mbit/s.
    Throughput,
    /// Window of each flow, in segments.
    Cwnd,
    /// Round trips of each flow, in ms.
    Rtt,
    /// Packets in the queue of a link.
    Queue,
    /// Used share of a link's capacity, in %.
    Utilisation,
    /// Packets that a link drops, in packets/s.
    Loss,
    /// Rates that nodes write into Data from a link, for each class, in Mbit/s.
    Rate,
    /// Interests for a link in the queue of a node's shaper.
    Shaper,
    /// Rate of Data of each class to each consumer, in Mbit/s.
    Class,
    /// Rate of Data on each path to each consumer, in Mbit/s.
    Subflow,
}

impl Trace {
    /// All traces.
    pub const ALL: [Trace; 10] = [
        Trace::Throughput,
        Trace::Cwnd,
        Trace::Rtt,
        Trace::Queue,
        Trace::Utilisation,
        Trace::Loss,
        Trace::Rate,
        Trace::Shaper,
        Trace::Class,
        Trace::Subflow,
    ];

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            Trace::Throughput => "throughput",
            Trace::Cwnd => "cwnd",
            Trace::Rtt => "rtt",
            Trace::Queue => "queue",
            Trace::Utilisation => "utilisation",
            Trace::Loss => "loss",
            Trace::Rate => "rate",
            Trace::Shaper => "shaper",
            Trace::Class => "class",
            Trace::Subflow => "subflow",
        }
    }

    /// Returns the name in words.
    pub fn title(self) -> &'static str {
        match self {
            Trace::Throughput => "throughput",
            Trace::Cwnd => "congestion window",
            Trace::Rtt => "round trip",
            Trace::Queue => "queue",
            Trace::Utilisation => "utilisation",
            Trace::Loss => "dropped packets",
            Trace::Rate => "stamped rate",
            Trace::Shaper => "shaper queue",
            Trace::Class => "throughput by class",
            Trace::Subflow => "throughput by path",
        }
    }

    /// Returns the unit.
    pub fn unit(self) -> &'static str {
        match self {
            Trace::Throughput | Trace::Rate | Trace::Class | Trace::Subflow => "Mbit/s",
            Trace::Cwnd => "segments",
            Trace::Rtt => "ms",
            Trace::Queue => "packets",
            Trace::Utilisation => "%",
            Trace::Loss => "packets/s",
            Trace::Shaper => "Interests",
        }
    }

    /// True if only an information-centric network has the trace.
    pub fn is_icn(self) -> bool {
        matches!(self, Trace::Rate | Trace::Shaper | Trace::Class | Trace::Subflow)
    }
}

impl Plot {
    /// Returns the number of runs that the plot needs; `None` for a trace.
    pub fn asked(&self) -> Option<&Asked> {
        match &self.drawn {
            Drawn::Lines { asked, .. } | Drawn::Cdf { asked, .. } => Some(asked),
            Drawn::Trace { .. } => None,
        }
    }
}

/// Reads a plot. With `--live`, a plot over cells becomes two plots: the kernel's and the
/// simulator's.
pub(super) fn read(raw: &At<RawPlot>, axes: Axes, limits: &mut Limits) -> Checked<Vec<Plot>> {
    if !axes.mode.live || raw.value.trace.is_some() {
        return Ok(vec![read_one(raw, axes, None, limits)?]);
    }
    (0..LIVE.len()).map(|world| read_one(raw, axes, Some(world), limits)).collect()
}

/// Reads a plot of all worlds, or of one world by its place on their axis.
fn read_one(
    raw: &At<RawPlot>,
    axes: Axes,
    world: Option<usize>,
    limits: &mut Limits,
) -> Checked<Plot> {
    let (span, raw) = (&raw.span, &raw.value);
    let own = raw.quick.as_ref().filter(|_| axes.mode.quick).map(|quick| &quick.value);
    let mut chosen = axes.chosen(raw.at.as_ref(), own.and_then(|own| own.at.as_ref()))?;
    if let Some(world) = world {
        chosen[0] = vec![world];
    }
    let cells = axes.product(&chosen);
    let by = axes.all(raw.lines.as_ref())?;
    let window = own.and_then(|own| own.window.as_ref()).or(raw.window.as_ref());
    let drawn = match (&raw.x, &raw.y, &raw.cdf, &raw.trace) {
        (Some(x), Some(y), None, None) => {
            let axis = axes.find(x)?;
            axes.settled(&chosen, &[&by[..], &[axis]].concat(), span)?;
            let along = &axes.axes[axis];
            let (unit, numbers) =
                along.numbers().map_or(("", None), |(unit, numbers)| (unit, Some(numbers)));
            let kept =
                |numbers: Vec<f64>| chosen[axis].iter().map(|place| numbers[*place]).collect();
            Drawn::Lines {
                along: Along {
                    title: x
                        .value
                        .split(',')
                        .filter_map(|path| Some(Path::parse(path).ok()?.words()))
                        .collect::<Vec<_>>()
                        .join(", "),
                    labels: chosen[axis]
                        .iter()
                        .map(|place| along.values[*place].label.clone())
                        .collect(),
                    unit,
                    numbers: numbers.map(kept),
                },
                asked: limits.asked(y, window, raw.flows.as_ref(), None, &cells)?,
                series: series(axes, &chosen, &by),
            }
        }
        (None, None, Some(cdf), None) => Drawn::Cdf {
            asked: limits.asked(cdf, window, raw.flows.as_ref(), None, &cells)?,
            series: series(axes, &chosen, &by),
        },
        (None, None, None, Some(name)) => {
            let Some(trace) = Trace::ALL.into_iter().find(|trace| trace.name() == name.value)
            else {
                let help =
                    suggest(&name.value, "traces", Trace::ALL.iter().map(|trace| trace.name()));
                return Err(Problem::at(
                    &name.span,
                    format!("\"{}\" is not a trace", name.value),
                    help,
                ));
            };
            if trace.is_icn() {
                limits.icn(name, &cells);
            }
            let several = axes.several(&chosen);
            Drawn::Trace {
                trace,
                panels: cells.iter().map(|cell| (axes.label(*cell, &several), *cell)).collect(),
                flows: limits.flows(raw.flows.as_ref(), &cells),
                link: limits.link(raw.link.as_ref(), &cells),
            }
        }
        _ => {
            return Err(Problem::at(
                span,
                "this plot is of none of the three kinds",
                "give either x and y, or cdf, or trace",
            ));
        }
    };
    let log = raw.log.as_ref().map_or("", |log| log.value.as_str());
    if let Some(log) =
        raw.log.as_ref().filter(|log| !["x", "y", "xy"].contains(&log.value.as_str()))
    {
        return Err(Problem::at(
            &log.span,
            format!("\"{}\" is no axis of a plot", log.value),
            "write \"x\", \"y\" or \"xy\"",
        ));
    }
    Ok(Plot {
        title: world
            .map_or(raw.title.clone(), |world| format!("{}, {}", raw.title, LIVE[world].name())),
        drawn,
        log_x: log.contains('x'),
        log_y: log.contains('y'),
        x_title: raw.x_title.clone(),
        y_title: raw.y_title.clone(),
    })
}

/// Groups the chosen cells by their labels on the axes `by`.
fn series(axes: Axes, chosen: &[Vec<usize>], by: &[usize]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for cell in axes.product(chosen) {
        let label = axes.label(cell, by);
        match all.iter_mut().find(|series| series.label == label) {
            Some(series) => series.cells.push(cell),
            None => all.push(Series { label, cells: vec![cell] }),
        }
    }
    all
}
