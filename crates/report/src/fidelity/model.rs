//! The differences between simulation and kernel over a set of cells.

use narrows_measure::{Distance, Quantity};
use serde::Serialize;

/// The distances of a set of cells, and the goals for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Fidelity {
    /// Title of the check, in one line.
    pub title: String,
    /// The command that repeats the measurement.
    pub remake: String,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Version of Narrows that measured.
    pub version: String,
    /// The cells, worst first.
    pub cells: Vec<FidelityCell>,
    /// The goals, each with its result.
    pub goals: Vec<Goal>,
}

/// A cell that was run on the kernel and in the simulator.
#[derive(Clone, Debug, PartialEq)]
pub struct FidelityCell {
    /// Number of the cell in the set.
    pub number: u32,
    /// A description in one line.
    pub label: String,
    /// Scenario of the first seed.
    pub scenario_toml: String,
    /// Distances of the simulator from the kernel.
    pub distances: Vec<Distance>,
    /// Reason why the cell does not count; `None` if it counts.
    pub invalid: Option<String>,
}

/// A goal and its result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// The set of cells and the quantity.
    pub what: String,
    /// Largest value that meets the goal.
    pub limit: String,
    /// Measured value; `None` if no cell counts.
    pub measured: Option<String>,
    /// Number of cells that count.
    pub counted: usize,
    /// Number of cells that the goal is about.
    pub cells: usize,
    /// True if enough cells count and the measured value is within the limit.
    pub met: bool,
}

impl Goal {
    /// Formats the number of cells that count: "3 of 4".
    pub(crate) fn of_cells(&self) -> String {
        format!("{} of {}", self.counted, self.cells)
    }
}

impl Fidelity {
    /// Returns the quantities that some cell has, in the order of the tables.
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
    /// Formats the gap of a quantity; empty if the cell has no such quantity.
    pub(crate) fn gap(&self, quantity: Quantity) -> String {
        self.distances
            .iter()
            .find(|distance| distance.quantity == quantity)
            .map_or(String::new(), |distance| distance.gap.to_string())
    }
}
