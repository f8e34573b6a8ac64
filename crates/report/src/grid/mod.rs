//! Results of many cells: what is kept of each, and the tables, files and page made of all.

mod files;
mod matrix;
mod model;
mod reduced;
mod summary;
mod table;

pub use files::{Metrics, read_grid, write_flows, write_grid};
pub use matrix::{Matrix, Measure, Pairing, Pairs, Runs};
pub use model::{Grid, GridAxis};
pub use reduced::{OfGroup, Reduced};
pub use summary::grid_json;
pub use table::grid_table;
pub(crate) use table::{main_metrics, setup, varying};
