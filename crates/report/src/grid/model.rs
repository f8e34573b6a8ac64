//! What a grid of cells is.

use super::matrix::Matrix;
use super::reduced::{OfGroup, Spread};
use crate::scorecard::Scorecard;
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The metrics of the cells of a sweep. A cell is one place on each axis, run once for each seed.
#[derive(Clone, Debug)]
pub struct Grid {
    /// What it is about, in a line.
    pub title: String,
    /// The command that makes it again.
    pub remake: String,
    /// What the reader must know to judge it.
    pub notes: Vec<String>,
    /// The version of Narrows that measured.
    pub version: String,
    /// The axes, seeds not among them.
    pub axes: Vec<GridAxis>,
    /// The seeds that each cell was run with.
    pub seeds: Vec<u64>,
    /// The metrics of each run: cells in order, the last axis fastest, and within a cell one entry for each seed.
    pub(super) runs: Vec<Vec<Option<f64>>>,
    /// The groups of flows of each run, in the same order; nothing if no run has two.
    pub(super) groups: Vec<Vec<OfGroup>>,
    /// What pairs of controllers do to each other, if that is what the sweep is for.
    pub matrix: Option<Matrix>,
    /// What controllers do for their traffic and to others, if that is what the sweep is for.
    pub scorecard: Option<Scorecard>,
    /// Each metric of each cell over its seeds, from when the first is asked for.
    spreads: OnceLock<Vec<Vec<Spread>>>,
}

/// An axis of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridAxis {
    /// The path of the value in the scenario.
    pub name: String,
    /// What it was, place by place.
    pub labels: Vec<String>,
    /// The unit of `numbers`; empty for a pure number, and where there are none.
    pub unit: String,
    /// The same as numbers, if they are quantities of one kind.
    pub numbers: Option<Vec<f64>>,
}

impl Grid {
    /// A grid of these axes and seeds whose cells have been run; `runs` has the metrics of each run and `groups` those of its groups of flows:
    /// cells in order, the last axis fastest, and within a cell one entry for each seed. No run has two groups if `groups` is empty.
    pub fn new(
        title: String,
        remake: String,
        version: String,
        (axes, seeds): (Vec<GridAxis>, Vec<u64>),
        (runs, groups): (Vec<Vec<Option<f64>>>, Vec<Vec<OfGroup>>),
    ) -> Grid {
        let (notes, spreads) = (Vec::new(), OnceLock::new());
        Grid { title, remake, notes, version, axes, seeds, runs, groups, matrix: None, scorecard: None, spreads }
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.labels.len()).product()
    }

    /// The place of a cell on each axis.
    pub(crate) fn places(&self, cell: usize) -> Vec<usize> {
        places(&self.axes, cell)
    }

    /// A cell in words: its place on each axis.
    pub fn describe(&self, cell: usize) -> String {
        let places = self.axes.iter().zip(self.places(cell));
        places.map(|(axis, place)| format!("{} {}", axis.name, axis.labels[place])).collect::<Vec<_>>().join(", ")
    }

    /// The values of a metric over the seeds of a cell.
    pub fn values(&self, cell: usize, metric: &Metric) -> Vec<Option<f64>> {
        let index = METRICS.iter().position(|own| own.name == metric.name);
        let runs = self.runs.iter().skip(cell * self.seeds.len()).take(self.seeds.len());
        runs.map(|run| index.and_then(|index| run.get(index).copied().flatten())).collect()
    }

    /// The same of a group of flows. `None` for a metric that is not of flows, and where other groups ran, but not this one.
    pub fn values_of(&self, cell: usize, group: &str, metric: &Metric) -> Vec<Option<f64>> {
        let of_flows = OF_FLOWS.iter().position(|own| own.name == metric.name);
        let (first, mut values) = (cell * self.seeds.len(), self.values(cell, metric));
        for (run, value) in (first..).zip(&mut values) {
            let own = self.groups.get(run).and_then(|groups| groups.iter().find(|own| &*own.name == group));
            match own {
                Some(own) if of_flows.is_some() && own.metrics.is_empty() => {}
                Some(own) => *value = of_flows.and_then(|index| own.metrics.get(index).copied().flatten()),
                None if self.groups.is_empty() => {}
                None => *value = None,
            }
        }
        values
    }

    /// Mean and interval of a metric over the seeds of a cell.
    pub(crate) fn spread(&self, cell: usize, metric: &Metric) -> Spread {
        let spreads = self.spreads.get_or_init(|| (0..self.cells()).map(|cell| self.spreads_of(cell)).collect());
        let index = METRICS.iter().position(|own| own.name == metric.name);
        index.and_then(|index| spreads.get(cell)?.get(index)).copied().unwrap_or_default()
    }

    /// The spread of every metric over the seeds of a cell, in the order of the table of metrics.
    fn spreads_of(&self, cell: usize) -> Vec<Spread> {
        let runs = self.runs.get(cell * self.seeds.len()..).unwrap_or_default();
        let runs = &runs[..self.seeds.len().min(runs.len())];
        let columns = (0..METRICS.len()).map(|index| runs.iter().filter_map(|run| run.get(index).copied().flatten()).collect());
        Spread::of_columns(&columns.collect::<Vec<Vec<f64>>>())
    }

    /// The metrics that some run defines.
    pub(crate) fn defined(&self) -> impl Iterator<Item = &'static Metric> + '_ {
        METRICS
            .iter()
            .enumerate()
            .filter(|(index, _)| self.runs.iter().any(|run| run.get(*index).is_some_and(Option::is_some)))
            .map(|(_, metric)| metric)
    }
}

/// The place of a cell on each of these axes, of which the last changes fastest.
pub(super) fn places(axes: &[GridAxis], cell: usize) -> Vec<usize> {
    let mut left = cell;
    let mut places: Vec<usize> = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        places.push(left % axis.labels.len());
        left /= axis.labels.len();
    }
    places.reverse();
    places
}
