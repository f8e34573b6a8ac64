//! The result directory of a reproduction.

use super::model::Reproduction;
use super::table::{reproduction_json, statements_json};
use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::page::reproduction_html;
use crate::reserved::Reserved;

/// Writes a reproduction into the directory that is reserved for it: `report.html`, `claims.json`, `run.json`, and `statements.json` if papers list statements. The directory appears
/// complete or not at all.
///
/// # Errors
/// Something cannot be written.
pub fn write_reproduction(reserved: Reserved, reproduction: &Reproduction, info: &RunInfo) -> Result<(), ReportError> {
    reserved.file("report.html", reproduction_html(reproduction).as_bytes())?;
    reserved.file("claims.json", reproduction_json(reproduction).as_bytes())?;
    if reproduction.statements().next().is_some() {
        reserved.file("statements.json", statements_json(reproduction).as_bytes())?;
    }
    reserved.file("run.json", info.json(&reproduction.version, Vec::new()).as_bytes())?;
    reserved.complete()
}
