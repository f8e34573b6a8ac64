//! Results whose documents another crate writes: files, one table, and what every result has.

use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::reserved::Reserved;
use narrows_sheet::{Cells, Sheet};

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Words.
    Text(Vec<String>),
    /// Whole numbers.
    Count(Vec<u64>),
    /// Numbers, some of which may not be defined.
    Real(Vec<Option<f64>>),
}

/// What a result directory holds, beside `run.json` and the checksums.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// Files by their plain names.
    pub documents: Vec<(String, Vec<u8>)>,
    /// The name of a Parquet table, without its end, and its columns, all of one length.
    pub table: Option<(String, Vec<(String, Column)>)>,
    /// The version of the program.
    pub version: String,
}

/// Writes a result directory, whole.
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
