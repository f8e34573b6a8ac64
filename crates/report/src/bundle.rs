//! Result directories with documents from another crate: files, at most one table, and the files
//! that every result has.

use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::reserved::Reserved;
use narrows_sheet::{Cells, Sheet};

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Text.
    Text(Vec<String>),
    /// Integers.
    Count(Vec<u64>),
    /// Real numbers; `None` if a number is undefined.
    Real(Vec<Option<f64>>),
}

/// The content of a result directory in addition to `run.json` and the checksums.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// Files: plain name and content.
    pub documents: Vec<(String, Vec<u8>)>,
    /// The name of a Parquet table without its extension, and its columns. All columns have the
    /// same length.
    pub table: Option<(String, Vec<(String, Column)>)>,
    /// The version of the program.
    pub version: String,
}

/// Writes a complete result directory.
///
/// # Errors
///
/// A name is not plain, or something cannot be written.
pub fn write_bundle(reserved: Reserved, bundle: Bundle, info: &RunInfo) -> Result<(), ReportError> {
    info.keep(&reserved)?;
    for (name, content) in &bundle.documents {
        reserved.file(name, content)?;
    }
    reserved.file("run.json", info.json(&bundle.version, Vec::new()).as_bytes())?;
    if let Some((name, columns)) = bundle.table {
        let mut sheet = Sheet::default();
        for (name, column) in columns {
            let cells = match column {
                Column::Text(words) => Cells::Text(words.into_iter().map(Into::into).collect()),
                Column::Count(numbers) => Cells::Count(numbers),
                Column::Real(numbers) => Cells::MaybeReal(numbers),
            };
            sheet.add(name, cells);
        }
        reserved.table(&format!("{name}.parquet"), &sheet, std::iter::once(sheet.clone()))?;
    }
    reserved.complete()
}
