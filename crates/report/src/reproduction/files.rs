//! The result directory of a reproduction.

use super::model::{FigureResult, JudgedClaim, PaperResult, Reproduction};
use super::plots::DrawnPlot;
use super::table::{measured, reproduction_json, statements_json};
use crate::checksums::ResultDir;
use crate::directory::RunInfo;
use crate::error::ReportError;
use crate::page::reproduction_html;
use crate::reserved::Reserved;
use serde::{Deserialize, Serialize};

const PLOTS: &str = "plots.json";
/// Claims that a caption tells one by one.
const TOLD: usize = 3;

/// The plots of a figure of a paper, as `plots.json` keeps them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptPlots {
    /// What commands call the paper.
    pub paper: String,
    /// What commands call the figure.
    pub figure: String,
    /// Where it was published, and what was published and measured.
    pub caption: String,
    /// Its plots, in order.
    pub plots: Vec<DrawnPlot>,
}

impl KeptPlots {
    fn of(paper: &PaperResult, figure: &FigureResult) -> KeptPlots {
        let told = |judged: &JudgedClaim| {
            format!(
                " {}: published {}, measured {}.",
                judged.claim.says,
                judged.claim.published,
                measured(judged)
            )
        };
        let claims: String = figure.claims.iter().take(TOLD).map(told).collect();
        let more = match figure.claims.len().saturating_sub(TOLD) {
            0 => String::new(),
            more => format!(" And {more} more."),
        };
        let scaled = figure.scaled.as_ref().map_or("", |_| " Scaled down.");
        let caption = format!("{}, {}.{scaled}{claims}{more}", paper.title, figure.source);
        KeptPlots {
            paper: paper.name.clone(),
            figure: figure.name.clone(),
            caption,
            plots: figure.plots.clone(),
        }
    }
}

/// The plots of a reproduction's directory; `None` if it is that of something else.
///
/// # Errors
/// They do not say what they should.
pub fn read_plots(files: &ResultDir) -> Result<Option<Vec<KeptPlots>>, ReportError> {
    files.json(PLOTS)
}

/// Writes a reproduction into the directory that is reserved for it: `report.html`, `claims.json`, `plots.json`, `run.json`, and
/// `statements.json` if papers list statements. The directory appears complete or not at all.
///
/// # Errors
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
