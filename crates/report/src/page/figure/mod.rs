//! The figures of a result as SVG, drawn without a browser: those of its page, with the same data and colours.

mod axis;
mod comparison;
mod grid;
mod heat;
mod marker;
mod model;
mod svg;

pub use model::Figure;

use crate::{Comparison, Grid};
use model::Content;

/// The figures of a run or a comparison: goodput against delay, each panel over time, transfers, distributions. Over time the first seed is
/// drawn, flow by flow if they differ.
pub fn figures(comparison: &Comparison) -> Vec<Figure> {
    comparison::figures(comparison)
}

/// The figures of a sweep: its main metrics, or of a matrix what pairs do to each other.
pub fn grid_figures(grid: &Grid) -> Vec<Figure> {
    grid::figures(grid)
}

impl Figure {
    /// The figure as an SVG file, on white, with its caption and legend.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        let drawn = match &self.content {
            Content::Curves { series, rules } => svg::draw(&mut text, self, series, rules),
            Content::Heat(own) => heat::draw(&mut text, self, own),
        };
        // Memory takes everything, and no font is looked for.
        debug_assert!(drawn.is_ok(), "{drawn:?}");
        text
    }
}
