//! The tables of a result directory as CSV.

use crate::directory::{ReportError, failed};
use crate::sheet::{self, Cells, Sheet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes each Parquet table of the result directory `dir` as CSV (RFC 4180) into the directory `out`, which is made if need be: same columns, same rows, empty
/// fields for what a row does not have. Returns the files.
pub fn export_csv(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let unreadable = |source| ReportError::Read { path: dir.to_owned(), source };
    let entries = fs::read_dir(dir).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>());
    let mut tables = entries.map_err(unreadable)?;
    tables.retain(|path| path.extension().is_some_and(|extension| extension == "parquet"));
    tables.sort();
    if tables.is_empty() {
        return Err(unreadable(io::Error::new(io::ErrorKind::NotFound, "it has no tables")));
    }
    fs::create_dir_all(out).map_err(|source| failed(out, source))?;
    let export = |table: &PathBuf| {
        let path = out.join(table.with_extension("csv").file_name().unwrap_or_default());
        let file = File::open(table).map_err(|source| ReportError::Read { path: table.clone(), source })?;
        let sheets = sheet::read(file).map_err(|error| ReportError::Damaged { path: table.clone(), reason: error.to_string() })?;
        let write = || -> io::Result<()> {
            let mut out = BufWriter::new(File::create(&path)?);
            write_sheets(&mut out, &sheets)?;
            out.flush()
        };
        write().map_err(|source| failed(&path, source))?;
        Ok(path)
    };
    tables.iter().map(export).collect()
}

/// Sheets of equal columns under one line of names.
fn write_sheets(out: &mut impl Write, sheets: &[Sheet]) -> io::Result<()> {
    let Some(first) = sheets.first() else { return Ok(()) };
    let names: Vec<String> = first.columns().iter().map(|(name, _)| field(name)).collect();
    writeln!(out, "{}", names.join(","))?;
    for sheet in sheets {
        for row in 0..sheet.rows() {
            let cells: Vec<String> = sheet.columns().iter().map(|(_, cells)| cell(cells, row)).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
    }
    Ok(())
}

fn cell(cells: &Cells, row: usize) -> String {
    fn maybe(value: Option<impl ToString>) -> String {
        value.map_or_else(String::new, |value| value.to_string())
    }
    match cells {
        Cells::Text(cells) => field(&cells[row]),
        Cells::Flag(cells) => cells[row].to_string(),
        Cells::Count(cells) => cells[row].to_string(),
        Cells::MaybeCount(cells) => maybe(cells[row]),
        Cells::Real(cells) => cells[row].to_string(),
        Cells::MaybeReal(cells) => maybe(cells[row]),
    }
}

/// A text in quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_field_is_quoted_and_what_is_not_there_is_empty() {
        let mut sheet = Sheet::default();
        sheet.add("flow", Cells::Text(vec!["a,b".into(), "say \"x\"".into()]));
        sheet.add("rtt_ms", Cells::MaybeReal(vec![Some(0.1 + 0.2), None]));
        sheet.add("completed", Cells::Flag(vec![true, false]));
        let mut out = Vec::new();
        write_sheets(&mut out, &[sheet.clone(), sheet]).unwrap();
        let row = "\"a,b\",0.30000000000000004,true\n\"say \"\"x\"\"\",,false\n";
        assert_eq!(String::from_utf8(out).unwrap(), format!("flow,rtt_ms,completed\n{row}{row}"));
    }
}
