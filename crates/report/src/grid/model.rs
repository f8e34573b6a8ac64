//! What a grid of cells is.

use super::column::Column;
use super::matrix::Matrix;
use super::reduced::OfGroup;
use crate::scorecard::Scorecard;
use crate::spread::Spread;
use narrows_measure::metrics::{METRICS, Metric, OF_FLOWS};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

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
    /// The controllers of each run that drive several of its groups, but not all, in the same order; nothing if there are none.
    pub(super) controllers: Vec<Vec<OfGroup>>,
    /// What pairs of controllers do to each other, if that is what the sweep is for.
    pub matrix: Option<Matrix>,
    /// What controllers do for their traffic and to others, if that is what the sweep is for.
    pub scorecard: Option<Scorecard>,
    /// Each metric of each cell over its seeds, from when the first is asked for.
    spreads: OnceLock<Vec<Spread>>,
}

/// The metrics of the runs of a sweep: cells in order, the last axis fastest, and within a cell one entry for each seed.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Of each run.
    pub runs: Vec<Vec<Option<f64>>>,
    /// Of the groups of flows of each run; nothing if no run has two.
    pub groups: Vec<Vec<OfGroup>>,
    /// Of the controllers of each run that drive several of its groups, but not all; nothing if there are none.
    pub controllers: Vec<Vec<OfGroup>>,
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
    /// A grid of these axes and seeds whose cells have been run.
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

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.labels.len()).product()
    }

    /// The place of a cell on each axis.
    pub(crate) fn places(&self, cell: usize) -> Vec<usize> {
        places(&self.axes, cell)
    }

    /// A cell in words: its place on each axis. An axis of a scorecard stands for several keys of the scenario,
    /// so its labels alone name a cell.
    pub fn describe(&self, cell: usize) -> String {
        let place = |(axis, place): (&GridAxis, usize)| match self.scorecard {
            Some(_) => axis.labels[place].clone(),
            None => format!("{} {}", axis.name, axis.labels[place]),
        };
        self.axes.iter().zip(self.places(cell)).map(place).collect::<Vec<_>>().join(", ")
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

    /// The same of all flows that a controller drives.
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
                // All flows are its own.
                _ if own.len() == groups.len() => *value,
                [only] => of(only),
                _ => together().and_then(of),
            };
        }
        values
    }

    /// The values of a column over the seeds of a cell.
    pub(crate) fn values_in(&self, cell: usize, column: &Column) -> Vec<Option<f64>> {
        match &column.of {
            None => self.values(cell, column.metric),
            Some(name) if self.groups.iter().flatten().any(|group| *group.name == **name) => {
                self.values_of(cell, name, column.metric)
            }
            Some(name) => self.values_by(cell, name, column.metric),
        }
    }

    /// A column over the seeds of each of the first cells.
    pub(crate) fn spreads_in(&self, cells: usize, column: &Column) -> Vec<Spread> {
        match column.of {
            None => (0..cells).map(|cell| self.spread(cell, column.metric)).collect(),
            Some(_) => Spread::of_columns(
                (0..cells).map(|cell| self.values_in(cell, column)),
                self.seeds.len(),
            ),
        }
    }

    /// The groups of flows of a cell, of which there are several; nothing of one. Axes may give each cell other groups.
    pub(crate) fn groups_of(&self, cell: usize) -> &[OfGroup] {
        let groups =
            self.groups.get(cell * self.seeds.len()).map(Vec::as_slice).unwrap_or_default();
        if groups.len() > 1 { groups } else { &[] }
    }

    /// Those whose metrics can be asked for beside those of the run: groups of flows, then controllers, each name once.
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

    /// Median and interval of a metric over the seeds of a cell.
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

    /// The metrics that some run defines.
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
