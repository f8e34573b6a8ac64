//! Results of many cells: the reduced data of each run, and the tables, files and page of a grid.

mod column;
mod files;
mod matrix;
mod model;
mod part;
mod reduced;
mod suffix;
mod summary;
mod table;

pub use column::Column;
pub use files::{read_grid, write_flows, write_grid};
pub use matrix::{Matrix, Measure, Pairing, Pairs, Runs};
pub use model::{Grid, GridAxis, Metrics};
pub use part::{Part, PartSetup, write_part};
pub use reduced::{OfGroup, Reduced};
pub use summary::grid_json;
pub use table::grid_table;
pub(crate) use table::{Line, lines, main_metrics, setup, varying};
