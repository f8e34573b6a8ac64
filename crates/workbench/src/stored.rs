//! Stored results.

use crate::error::{Failure, Refused};
use narrows_evidence::report::{Checked, check_text};
use narrows_report::Selection;
use std::path::Path;

pub use narrows_report::{Figure, ResultDir, Style};

/// Reads the stored check of a result directory.
pub fn checked(files: &ResultDir) -> Result<Checked, Failure> {
    let damaged = |reason: String| {
        Failure::Other(format!("{} is not the result of a check: {reason}", files.path().display()))
    };
    Checked::read(&files.text("check.json")?).map_err(damaged)
}

/// Reads the figures of a result of any kind.
pub fn selected(files: &ResultDir, selection: &Selection) -> Result<Vec<Figure>, Failure> {
    if let Some(kept) = narrows_report::read_plots(files)? {
        return Ok(narrows_report::reproduction_figures(&kept));
    }
    if let Some(kept) = narrows_report::read_fidelity(files)? {
        return Ok(narrows_report::fidelity_figures(&kept));
    }
    if files.names().any(|name| name == "check.json") {
        return Ok(narrows_evidence::report::check_figures(&checked(files)?));
    }
    Ok(match narrows_report::read_grid(files)? {
        Some(grid) => narrows_report::grid_figures(&grid),
        None => narrows_report::figures(&narrows_report::read(files)?, selection),
    })
}

/// Opens a result directory.
///
/// # Errors
///
/// If the directory is not a result, or one of its files was changed.
pub fn open(directory: &Path) -> Result<ResultDir, Refused> {
    Ok(narrows_report::open(directory)?)
}

/// Returns the table that the command printed.
///
/// # Errors
///
/// If the result is of a reproduction or of fidelity, or its files are damaged.
pub fn text(result: &ResultDir) -> Result<String, Refused> {
    if result.names().any(|name| name == "check.json") {
        return Ok(check_text(&checked(result)?));
    }
    Ok(match narrows_report::read_grid(result)? {
        Some(grid) => narrows_report::grid_table(&grid, &[]),
        None => narrows_report::table(&narrows_report::read(result)?),
    })
}

/// Returns the figures of the report.
///
/// # Errors
///
/// If the files are damaged.
pub fn figures(result: &ResultDir) -> Result<Vec<Figure>, Refused> {
    Ok(selected(result, &Selection::default())?)
}
