//! Sheets as CSV.

use crate::{Cells, Sheet};
use std::io::{self, Write};

/// Writes sheets of equal columns under one line of names (RFC 4180), with empty fields for cells that a row does not have. A text that a spreadsheet would take for a
/// formula gets an apostrophe before it.
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
        write_csv(&mut out, &[sheet.clone(), sheet]).unwrap();
        let row = "\"a,b\",0.30000000000000004,true\n\"say \"\"x\"\"\",,false\n";
        assert_eq!(String::from_utf8(out).unwrap(), format!("flow,rtt_ms,completed\n{row}{row}"));
    }
}
