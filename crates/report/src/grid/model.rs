//! A grid of cells with metrics.

use super::column::Column;
use super::matrix::Matrix;
use super::reduced::OfGroup;
use crate::scorecard::Scorecard;
use crate::spread::Spread;
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// The metrics of the cells of a sweep. A cell is one position on each axis, run once for each
/// seed.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Title of the sweep, in one line.
    pub title: String,
    /// The command that repeats the measurement.
    pub remake: String,
    /// Caveats that the reader must know.
    pub notes: Vec<String>,
    /// Version of Narrows that measured.
    pub version: String,
    /// The axes, without the seeds.
    pub axes: Vec<GridAxis>,
    /// The seeds of each cell.
    pub seeds: Vec<u64>,
    /// The metrics of each run. Runs are ordered by cell, with the last axis fastest, then by seed.
    pub(super) runs: Vec<Vec<Option<f64>>>,
    /// The groups of flows of each run, in the order of `runs`; empty if no run has several groups.
    pub(super) groups: Vec<Vec<OfGroup>>,
    /// The controllers of each run that drive several but not all of its groups, in the order of
    /// `runs`; empty if there are no such controllers.
    pub(super) controllers: Vec<Vec<OfGroup>>,
    /// Results of controller pairs, if the sweep is a matrix.
    pub matrix: Option<Matrix>,
    /// The scorecard, if the sweep is a scorecard.
    pub scorecard: Option<Scorecard>,
    /// Median and interval of each metric of each cell, computed at the first use.
    spreads: OnceLock<Vec<Spread>>,
}

/// The metrics of the runs of a sweep. Runs are ordered by cell, with the last axis fastest, then
/// by seed.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Metrics of each run.
    pub runs: Vec<Vec<Option<f64>>>,
    /// Metrics of the groups of flows of each run; empty if no run has several groups.
    pub groups: Vec<Vec<OfGroup>>,
    /// Metrics of the controllers of each run that drive several but not all of its groups; empty
    /// if there are no such controllers.
    pub controllers: Vec<Vec<OfGroup>>,
}

/// An axis of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridAxis {
    /// Path of the swept value in the scenario.
    pub name: String,
    /// The swept values as text.
    pub labels: Vec<String>,
    /// Unit of `numbers`; empty for a pure number, and if `numbers` is `None`.
    pub unit: String,
    /// The swept values as numbers, if they are quantities of one kind.
    pub numbers: Option<Vec<f64>>,
}

impl Grid {
    /// Creates a grid from its axes, seeds and the metrics of its runs.
    pub fn new(
        title: String,
        remake: String,
        version: String,
        (axes, seeds): (Vec<GridAxis>, Vec<u64>),
        Metrics { runs, groups, controllers }: Metrics,
    ) -> Grid {
        let (notes, spreads) = (Vec::new(), OnceLock::new());
        Grid {
            title,
            remake,
            notes,
            version,
            axes,
            seeds,
            runs,
            groups,
            controllers,
            matrix: None,
            scorecard: None,
            spreads,
        }
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.labels.len()).product()
    }

    /// Returns the index of a cell on each axis.
    pub(crate) fn places(&self, cell: usize) -> Vec<usize> {
        places(&self.axes, cell)
    }

    /// Describes a cell by its label on each axis. An axis of a scorecard stands for several keys
    /// of the scenario, so its labels alone name a cell.
    pub fn describe(&self, cell: usize) -> String {
        let place = |(axis, place): (&GridAxis, usize)| match self.scorecard {
            Some(_) => axis.labels[place].clone(),
            None => format!("{} {}", axis.name, axis.labels[place]),
        };
        self.axes.iter().zip(self.places(cell)).map(place).collect::<Vec<_>>().join(", ")
    }

    /// Returns the values of a metric over the seeds of a cell.
    pub fn values(&self, cell: usize, metric: &Metric) -> Vec<Option<f64>> {
        let index = METRICS.iter().position(|own| own.name == metric.name);
        let runs = self.runs.iter().skip(cell * self.seeds.len()).take(self.seeds.len());
        runs.map(|run| index.and_then(|index| run.get(index).copied().flatten())).collect()
    }

    /// Returns the values of a metric for a group of flows over the seeds of a cell. `None` for a
    /// metric that is not defined for groups, and if the cell has other groups but not this one.
    pub fn values_of(&self, cell: usize, group: &str, metric: &Metric) -> Vec<Option<f64>> {
        let of_flows = OF_FLOWS.iter().position(|own| own.name == metric.name);
        let (first, mut values) = (cell * self.seeds.len(), self.values(cell, metric));
        for (run, value) in (first..).zip(&mut values) {
            let own = self
                .groups
                .get(run)
                .and_then(|groups| groups.iter().find(|own| &*own.name == group));
            match own {
                Some(own) if of_flows.is_some() && own.metrics.is_empty() => {}
                Some(own) => {
                    *value = of_flows.and_then(|index| own.metrics.get(index).copied().flatten())
                }
                None if self.groups.is_empty() => {}
                None => *value = None,
            }
        }
        values
    }

    /// Returns the values of a metric for all flows of a controller over the seeds of a cell.
    pub(super) fn values_by(
        &self,
        cell: usize,
        controller: &str,
        metric: &Metric,
    ) -> Vec<Option<f64>> {
        let Some(of_flows) = OF_FLOWS.iter().position(|own| own.name == metric.name) else {
            return vec![None; self.seeds.len()];
        };
        let (first, mut values) = (cell * self.seeds.len(), self.values(cell, metric));
        for (run, value) in (first..).zip(&mut values) {
            let groups = self.groups.get(run).map(Vec::as_slice).unwrap_or_default();
            let own: Vec<&OfGroup> =
                groups.iter().filter(|group| &*group.controller == controller).collect();
            let together =
                || self.controllers.get(run)?.iter().find(|own| &*own.controller == controller);
            let of = |group: &OfGroup| group.metrics.get(of_flows).copied().flatten();
            *value = match own[..] {
                [] => None,
                // The controller drives all flows.
                _ if own.len() == groups.len() => *value,
                [only] => of(only),
                _ => together().and_then(of),
            };
        }
        values
    }

    /// Returns the values of a column over the seeds of a cell.
    pub(crate) fn values_in(&self, cell: usize, column: &Column) -> Vec<Option<f64>> {
        match &column.of {
            None => self.values(cell, column.metric),
            Some(name) if self.groups.iter().flatten().any(|group| *group.name == **name) => {
                self.values_of(cell, name, column.metric)
            }
            Some(name) => self.values_by(cell, name, column.metric),
        }
    }

    /// Returns the spread of a column for each of the first `cells` cells.
    pub(crate) fn spreads_in(&self, cells: usize, column: &Column) -> Vec<Spread> {
        match column.of {
            None => (0..cells).map(|cell| self.spread(cell, column.metric)).collect(),
            Some(_) => Spread::of_columns(
                (0..cells).map(|cell| self.values_in(cell, column)),
                self.seeds.len(),
            ),
        }
    }

    /// Returns the groups of flows of a cell; empty if there is only one group. Cells may have
    /// different groups.
    pub(crate) fn groups_of(&self, cell: usize) -> &[OfGroup] {
        let groups =
            self.groups.get(cell * self.seeds.len()).map(Vec::as_slice).unwrap_or_default();
        if groups.len() > 1 { groups } else { &[] }
    }

    /// Returns the names that a column may refer to: groups of flows, then controllers, each name
    /// once.
    pub(crate) fn parts(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = Vec::new();
        let groups = || self.groups.iter().step_by(self.seeds.len().max(1)).flatten();
        for name in groups().map(|group| &group.name).chain(groups().map(|group| &group.controller))
        {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Returns median and interval of a metric over the seeds of a cell.
    pub(crate) fn spread(&self, cell: usize, metric: &Metric) -> Spread {
        let Some(index) = METRICS.iter().position(|own| own.name == metric.name) else {
            return Spread::default();
        };
        let spreads = self.spreads.get_or_init(|| {
            let all =
                (0..self.cells()).flat_map(|cell| METRICS.iter().map(move |metric| (cell, metric)));
            Spread::of_columns(
                all.map(|(cell, metric)| self.values(cell, metric)),
                self.seeds.len(),
            )
        });
        spreads.get(cell * METRICS.len() + index).copied().unwrap_or_default()
    }

    /// Returns the metrics that some run defines.
    pub(crate) fn defined(&self) -> impl Iterator<Item = &'static Metric> + '_ {
        METRICS
            .iter()
            .enumerate()
            .filter(|(index, _)| {
                self.runs.iter().any(|run| run.get(*index).is_some_and(Option::is_some))
            })
            .map(|(_, metric)| metric)
    }
}

/// Returns the index of a cell on each of these axes. The last axis changes fastest.
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
