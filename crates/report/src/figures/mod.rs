//! The figures of a result, from the same data as its page.

mod comparison;
mod fidelity;
mod grid;
mod reproduction;
mod scorecard;

pub(crate) use comparison::WholeRuns;
pub use comparison::{Selection, figures};
pub use fidelity::figures as fidelity_figures;
pub(crate) use fidelity::of_quantity;
pub(crate) use grid::pairs;
pub use reproduction::figures as reproduction_figures;
pub(crate) use reproduction::{colours, panels};
pub(crate) use scorecard::of_traffic;

use crate::Grid;
use narrows_figure::Figure;

/// Returns the figures of a sweep: its main metrics; of a matrix the effects of pairs; of a
/// scorecard each of its numbers.
pub fn grid_figures(grid: &Grid) -> Vec<Figure> {
    grid.scorecard.as_ref().map_or_else(|| grid::figures(grid), scorecard::figures)
}
