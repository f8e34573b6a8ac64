//! The result directory of a reproduction.

use super::model::Reproduction;
use super::table::reproduction_json;
use crate::directory::{Partial, ReportError, RunInfo};
use crate::page::reproduction_html;
use std::path::Path;

/// Writes the result directory `dir` of a reproduction: `report.html`, `claims.json` and `run.json`. It appears complete or not at all.
///
/// # Errors
/// The directory exists or cannot be written.
pub fn write_reproduction(dir: &Path, reproduction: &Reproduction, info: &RunInfo) -> Result<(), ReportError> {
    if dir.symlink_metadata().is_ok() {
        return Err(ReportError::Exists(dir.to_owned()));
    }
    let partial = Partial::create(dir)?;
    partial.file("report.html", reproduction_html(reproduction).as_bytes())?;
    partial.file("claims.json", reproduction_json(reproduction).as_bytes())?;
    partial.file("run.json", info.json(&reproduction.version, Vec::new()).as_bytes())?;
    partial.complete(dir)
}
