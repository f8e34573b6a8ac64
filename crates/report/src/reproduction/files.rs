//! The result directory of a reproduction.

use super::kept::KeptPlots;
use super::model::Reproduction;
use super::table::{reproduction_json, statements_json};
use crate::checksums::ResultDir;
use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::page::reproduction_html;
use crate::reserved::Reserved;

const PLOTS: &str = "plots.json";

/// Reads the plots of a reproduction from its directory; `None` if the directory holds another kind
/// of result.
///
/// # Errors
///
/// The file is damaged.
pub fn read_plots(files: &ResultDir) -> Result<Option<Vec<KeptPlots>>, ReportError> {
    files.json(PLOTS)
}

/// Writes a reproduction into its reserved directory: `report.html`, `claims.json`, `plots.json`,
/// `run.json`, and `statements.json` if papers list statements. The directory appears complete or
/// not at all.
///
/// # Errors
///
/// Something cannot be written.
pub fn write_reproduction(
    reserved: Reserved,
    reproduction: &Reproduction,
    info: &RunInfo,
) -> Result<(), ReportError> {
    reserved.file("report.html", reproduction_html(reproduction).as_bytes())?;
    reserved.file("claims.json", reproduction_json(reproduction).as_bytes())?;
    let figures = reproduction
        .papers
        .iter()
        .flat_map(|paper| paper.figures.iter().map(move |figure| KeptPlots::of(paper, figure)));
    reserved.file(
        PLOTS,
        (serde_json::to_string(&figures.collect::<Vec<_>>()).unwrap_or_default() + "\n").as_bytes(),
    )?;
    if reproduction.statements().next().is_some() {
        reserved.file("statements.json", statements_json(reproduction).as_bytes())?;
    }
    reserved.file("run.json", info.json(&reproduction.version, Vec::new()).as_bytes())?;
    reserved.complete()
}
