//! Sheets as CSV.

use crate::{Cells, Sheet};
use std::io::{self, Write};

/// Writes sheets of equal columns under one line of names (RFC 4180), with empty fields for cells
/// that a row does not have. A text that a spreadsheet would take for a formula gets an apostrophe
/// before it.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_csv(out: &mut dyn Write, sheets: &[Sheet]) -> io::Result<()> {
    let Some(first) = sheets.first() else { return Ok(()) };
    let names: Vec<String> = first.columns().iter().map(|(name, _)| field(name)).collect();
    writeln!(out, "{}", names.join(","))?;
    for sheet in sheets {
        for row in 0..sheet.rows() {
            for (column, (_, cells)) in sheet.columns().iter().enumerate() {
                out.write_all(if column == 0 { b"" } else { b"," })?;
                cell(out, cells, row)?;
            }
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

fn cell(out: &mut dyn Write, cells: &Cells, row: usize) -> io::Result<()> {
    match cells {
        Cells::Text(cells) => out.write_all(field(&cells[row]).as_bytes()),
        Cells::Flag(cells) => write!(out, "{}", cells[row]),
        Cells::Count(cells) => write!(out, "{}", cells[row]),
        Cells::MaybeCount(cells) => cells[row].map_or(Ok(()), |count| write!(out, "{count}")),
        Cells::Real(cells) => write!(out, "{}", cells[row]),
        Cells::MaybeReal(cells) => cells[row].map_or(Ok(()), |number| write!(out, "{number}")),
    }
}

/// A text in quotes where it needs them, and never a formula of a spreadsheet: flows may have any
/// name.
fn field(text: &str) -> String {
    let guarded =
        if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
    let text = guarded.as_str();
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
