//! The differences between simulation and kernel over a set of cells: table, JSON, CSV and a page.

mod kept;
mod model;
mod output;

pub use kept::{KeptFidelity, read_fidelity};
pub use model::{Fidelity, FidelityCell, Goal};
pub use output::{fidelity_json, fidelity_table, write_fidelity};
