//! Tables of named columns, and how they are written to and read from Parquet. One row group holds
//! one run.

mod csv;
mod memory;
mod pages;
mod read;
mod sheet;
mod write;

pub use csv::write_csv;
pub use parquet::errors::ParquetError;
pub use read::{Reader, read};
pub use sheet::{Cells, Sheet};
pub use write::{Columns, write};
