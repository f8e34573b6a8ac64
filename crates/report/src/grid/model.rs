//! What a grid of cells is.

use super::matrix::Matrix;
use super::reduced::Spread;
use narrows_measure::metrics::{METRICS, Metric};
use serde::{Deserialize, Serialize};

/// The metrics of the cells of a sweep. A cell is one place on each axis, run once for each seed.
#[derive(Clone, Debug, PartialEq)]
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
    pub runs: Vec<Vec<Option<f64>>>,
    /// What pairs of controllers do to each other, if that is what the sweep is for.
    pub matrix: Option<Matrix>,
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
    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.labels.len()).product()
    }

    /// The place of a cell on each axis.
    pub(crate) fn places(&self, cell: usize) -> Vec<usize> {
        let mut left = cell;
        let mut places: Vec<usize> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            places.push(left % axis.labels.len());
            left /= axis.labels.len();
        }
        places.reverse();
        places
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

    pub(crate) fn spread(&self, cell: usize, metric: &Metric) -> Spread {
        Spread::over(self.values(cell, metric))
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
