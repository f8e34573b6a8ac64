//! What a figure draws.

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
    /// What it shows.
    pub title: String,
    /// What is drawn.
    pub drawn: Drawn,
    /// Logarithmic along x.
    pub log_x: bool,
    /// Logarithmic along y.
    pub log_y: bool,
    /// What the file writes along the x axis.
    pub x_title: Option<String>,
    /// What the file writes along the y axis.
    pub y_title: Option<String>,
}

/// What a plot draws.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// A metric over an axis of the sweep: the cells of each line stand in the order of the axis.
    Lines {
        /// The axis.
        along: Along,
        /// The metric.
        asked: Asked,
        /// The lines.
        series: Vec<Series>,
    },
    /// The distribution of a metric over cells and seeds.
    Cdf {
        /// The metric.
        asked: Asked,
        /// The lines.
        series: Vec<Series>,
    },
    /// Something over the time of a run, a panel for each cell, with its first seed.
    Trace {
        /// What.
        trace: Trace,
        /// The cells and what tells them apart.
        panels: Vec<(String, usize)>,
        /// Only these flows; all if there are none.
        flows: Vec<String>,
        /// The link; the bottleneck if there is none.
        link: Option<String>,
    },
}

/// Places along the x axis of a plot.
#[derive(Clone, Debug)]
pub struct Along {
    /// What the axis is called: "loss of bottleneck".
    pub title: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// The unit of the numbers.
    pub unit: &'static str,
    /// The labels as numbers, if they are quantities of one kind.
    pub numbers: Option<Vec<f64>>,
}

/// A line of a plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// What tells it from the others; empty if there is no other.
    pub label: String,
    /// Its cells.
    pub cells: Vec<usize>,
}

/// What can be drawn over time.
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
    /// Share of a link's capacity that is used, in %.
    Utilisation,
    /// Packets that a link drops, in packets/s.
    Loss,
    /// The rates that nodes write into Data from a link, of each class, in Mbit/s.
    Rate,
    /// Interests for a link that wait in a node's shaper.
    Shaper,
    /// What Data of each class brings to each consumer, in Mbit/s.
    Class,
    /// What Data on each path brings to each consumer, in Mbit/s.
    Subflow,
}

impl Trace {
    /// All of them.
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

    /// Its name in files.
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

    /// In words.
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

    /// Its unit.
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

    /// True if only an information-centric network has it.
    pub fn is_icn(self) -> bool {
        matches!(self, Trace::Rate | Trace::Shaper | Trace::Class | Trace::Subflow)
    }
}

impl Plot {
    /// The number of a run that it asks for.
    pub fn asked(&self) -> Option<&Asked> {
        match &self.drawn {
            Drawn::Lines { asked, .. } | Drawn::Cdf { asked, .. } => Some(asked),
            Drawn::Trace { .. } => None,
        }
    }
}

/// Reads a plot: with `--live` one over cells is two, that of the kernel and that of the simulator.
pub(super) fn read(raw: &At<RawPlot>, axes: Axes, limits: &mut Limits) -> Checked<Vec<Plot>> {
    if !axes.mode.live || raw.value.trace.is_some() {
        return Ok(vec![read_one(raw, axes, None, limits)?]);
    }
    (0..LIVE.len()).map(|world| read_one(raw, axes, Some(world), limits)).collect()
}

/// Reads a plot of all worlds, or of one by its place on their axis.
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

/// The chosen cells, those with the same labels on `by` together.
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
