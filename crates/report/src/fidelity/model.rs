//! How far simulation and kernel are apart over a set of cells.

use narrows_measure::{Distance, Quantity};
use serde::Serialize;

/// The distances of a set of cells, and what they were to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Fidelity {
    /// The title, one line.
    pub title: String,
    /// The command that makes it again.
    pub remake: String,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// The version of Narrows that measured.
    pub version: String,
    /// The cells, worst first.
    pub cells: Vec<FidelityCell>,
    /// The goals and whether they are met.
    pub goals: Vec<Goal>,
}

/// A cell that was run in both worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct FidelityCell {
    /// Its number in the set.
    pub number: u32,
    /// A description in one line.
    pub label: String,
    /// Its scenario, of the first seed.
    pub scenario_toml: String,
    /// How far the simulator is from the kernel.
    pub distances: Vec<Distance>,
    /// Why it does not count, if it does not.
    pub invalid: Option<String>,
}

/// A goal and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// The set of cells and the quantity.
    pub what: String,
    /// The largest value that meets it.
    pub limit: String,
    /// The measured value; `None` where no cell counts.
    pub measured: Option<String>,
    /// How many cells count.
    pub counted: usize,
    /// How many cells the goal is about.
    pub cells: usize,
    /// True if enough cells count and the measured value is within the limit.
    pub met: bool,
}

impl Goal {
    /// How many cells count, as people read it.
    pub(crate) fn of_cells(&self) -> String {
        format!("{} of {}", self.counted, self.cells)
    }
}

impl Fidelity {
    /// The quantities that some cell has, in the order of tables.
    pub(crate) fn quantities(&self) -> Vec<Quantity> {
        let has = |quantity: &Quantity| {
            self.cells
                .iter()
                .flat_map(|cell| &cell.distances)
                .any(|distance| distance.quantity == *quantity)
        };
        Quantity::ALL.into_iter().filter(has).collect()
    }
}

impl FidelityCell {
    /// The gap of a quantity as people read it, empty where it has none.
    pub(crate) fn gap(&self, quantity: Quantity) -> String {
        self.distances
            .iter()
            .find(|distance| distance.quantity == quantity)
            .map_or(String::new(), |distance| distance.gap.to_string())
    }
}
