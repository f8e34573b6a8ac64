//! The plots of a figure in a result directory.

use super::model::{FigureResult, JudgedClaim, PaperResult};
use super::plots::DrawnPlot;
use super::table::measured;
use serde::{Deserialize, Serialize};

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
    pub(super) fn of(paper: &PaperResult, figure: &FigureResult) -> KeptPlots {
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
