//! From measurements to what people read: terminal tables, JSON, Parquet and a report that is one HTML file.
//!
//! Everything but `run.json` is a function of the [`Comparison`] alone: the same measurements give the same bytes.

mod columns;
mod model;
mod number;
mod setup;
mod summary;
mod table;

pub use model::{Case, Comparison};
pub use summary::summary_json;
pub use table::table;
