//! Published results and their verdicts: table, JSON, page.

mod curve;
mod files;
mod icn;
mod kept;
mod model;
mod plots;
mod table;
mod traces;

pub use curve::Traced;
pub use files::{read_plots, write_reproduction};
pub use kept::KeptPlots;
pub use model::{
    FigureResult, JudgedClaim, JudgedStatement, KeptRun, PaperResult, Reproduction, Verdict,
};
pub use plots::DrawnPlot;
pub(crate) use plots::{Content as DrawnContent, Line, Panel, Values, named};
pub(crate) use table::{
    bounds as reproduction_bounds, measured as reproduction_measured, share as reproduction_share,
    simulated as reproduction_simulated, stated as reproduction_stated,
};
pub use table::{reproduction_json, reproduction_table};
