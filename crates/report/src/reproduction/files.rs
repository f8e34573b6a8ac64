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
/// Number of claims that a caption lists.
const TOLD: usize = 3;

/// The plots of a figure of a paper, as stored in `plots.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptPlots {
    /// Name of the paper on the command line.
    pub paper: String,
    /// Name of the figure on the command line.
    pub figure: String,
    /// Source of the figure, and the published and measured values of its claims.
    pub caption: String,
    /// Plots of the figure, in order.
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
