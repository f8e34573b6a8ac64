//! The tables of a result directory as CSV.

use crate::checksums::ResultDir;
use crate::error::{ReportError, failed};
use narrows_sheet::{self as sheet, Cells, ParquetError, Sheet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes each Parquet table of a result as CSV (RFC 4180) into the directory `out`, which is made if need be: same columns, same rows,
/// empty fields for what a row does not have. A text that a spreadsheet would take for a formula gets an apostrophe before it. Returns the
/// files.
///
/// # Errors
/// There are no tables, one is not what it should be, or something cannot be written.
pub fn export_csv(files: &ResultDir, out: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let tables: Vec<&str> = files.names().filter(|name| name.ends_with(".parquet")).collect();
    if tables.is_empty() {
        let source = io::Error::new(io::ErrorKind::NotFound, "it has no tables");
        return Err(ReportError::Read { path: files.path().to_owned(), source });
    }
    fs::create_dir_all(out).map_err(|source| failed(out, source))?;
    let export = |table: &&str| {
        let path = out.join(Path::new(table).with_extension("csv"));
        let damaged = |error: ParquetError| ReportError::Damaged { path: files.path().join(table), reason: error.to_string() };
        let sheets = sheet::read(files.file(table)?).map_err(damaged)?;
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

/// A text in quotes where it needs them, and never a formula of a spreadsheet: flows may have any name.
fn field(text: &str) -> String {
    let guarded = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
    let text = guarded.as_str();
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_never_a_formula() {
        for (text, written) in
            [("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"), ("+1", "'+1"), ("-x,y", "\"'-x,y\""), ("@SUM(A1)", "'@SUM(A1)"), ("a=b", "a=b")]
        {
            assert_eq!(field(text), written);
        }
    }

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
