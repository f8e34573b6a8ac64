//! Published results and whether they hold: table, JSON.

mod files;
mod model;
mod table;

pub use files::write_reproduction;
pub use model::{FigureResult, JudgedClaim, KeptRun, PaperResult, Reproduction, Verdict};
pub use table::{reproduction_json, reproduction_table};
