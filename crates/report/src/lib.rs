//! Turns measurements into terminal tables, JSON, Parquet and a report that is one HTML file.
//!
//! Everything except `run.json` is a function of the [`Comparison`] alone: equal measurements give
//! equal bytes.

mod baseline;
mod bottlenecks;
mod bundle;
mod checksums;
mod columns;
mod csv;
mod directory;
mod emulation;
mod error;
mod estimate;
mod fidelity;
mod figures;
mod grid;
mod measured;
mod model;
mod overlay;
mod page;
mod perfetto;
mod reproduction;
mod reserved;
mod scorecard;
mod setup;
mod spread;
mod summary;
mod table;
mod tables;
mod together;

pub use baseline::{Standing, Standings};
pub use bundle::{Bundle, Column as BundleColumn, write_bundle};
pub use checksums::{ResultDir, open, sha256};
pub use csv::export_csv;
pub use directory::{
    ControllerFile, ControllerSource, Input, RunInfo, StackCrate, read, redraw, write,
};
pub use error::ReportError;
pub use fidelity::{
    Fidelity, FidelityCell, Goal, KeptFidelity, fidelity_json, fidelity_table, read_fidelity,
    write_fidelity,
};
pub use figures::{Selection, fidelity_figures, figures, grid_figures, reproduction_figures};
pub use grid::{
    Column, Grid, GridAxis, Matrix, Measure, Metrics, OfGroup, Pairing, Pairs, Part, PartSetup,
    Reduced, Runs, grid_json, grid_table, read_grid, write_flows, write_grid, write_part,
};
pub use measured::{Measured, MeasuredCase, measured};
pub use model::{Case, Comparison, Group};
pub use narrows_figure::{Figure, Style};
pub use overlay::{Overlay, OverlayError, Quantity, Sample, Samples, Series};
pub use page::{Document, Underway, capital, grid_html, html};
pub use perfetto::export_perfetto;
pub use reproduction::{
    DrawnPlot, FigureResult, JudgedClaim, JudgedStatement, KeptPlots, KeptRun, PaperResult,
    Reproduction, Traced, Verdict, read_plots, reproduction_json, reproduction_table,
    write_reproduction,
};
pub use reserved::Reserved;
pub use scorecard::{
    Against, Best, Entry, Estimate, Harm, Lineup, Network, Scorecard, Traffic, TrafficRun, Valued,
    Values, scorecard_json, scorecard_table,
};
pub use summary::summary_json;
pub use table::{table, text_table};
pub use tables::{ColumnAbout, TableAbout, table_descriptions};
