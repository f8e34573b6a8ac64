//! The figures of a result as SVG and PNG, drawn without a browser: those of its page, with the same data and colours.

mod axis;
mod comparison;
mod curves;
mod fidelity;
mod grid;
mod heat;
mod marker;
mod model;
mod png;
mod reproduction;
mod scorecard;
mod tracks;

pub use model::Figure;

use crate::fidelity::KeptFidelity;
use crate::reproduction::KeptPlots;
use crate::{Comparison, Grid};
use model::Content;
use plotters::prelude::{DrawingBackend, IntoDrawingArea, SVGBackend};

/// The figures of a run or a comparison: goodput against delay, each panel over time, transfers, distributions. Over time the first seed is
/// drawn, flow by flow if they differ.
pub fn figures(comparison: &Comparison) -> Vec<Figure> {
    comparison::figures(comparison)
}

/// The figures of a sweep: its main metrics, of a matrix what pairs do to each other, of a scorecard each of its numbers.
pub fn grid_figures(grid: &Grid) -> Vec<Figure> {
    grid.scorecard.as_ref().map_or_else(|| grid::figures(grid), scorecard::figures)
}

/// The figures of a fidelity check: both worlds against each other, quantity by quantity.
pub fn fidelity_figures(kept: &KeptFidelity) -> Vec<Figure> {
    fidelity::figures(kept)
}

/// The figures of papers, run again.
pub fn reproduction_figures(kept: &[KeptPlots]) -> Vec<Figure> {
    reproduction::figures(kept)
}

impl Figure {
    /// The figure as an SVG file, on white, with its caption and legend.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        self.draw(SVGBackend::with_string(&mut text, self.size()));
        text
    }

    /// The same as a PNG file at twice the size, in a font that the program carries. `None` if memory does not suffice for its pixels.
    pub fn png(&self) -> Option<Vec<u8>> {
        let mut pixels = png::Pixels::new(self.size())?;
        self.draw(&mut pixels);
        pixels.file()
    }

    fn size(&self) -> (u32, u32) {
        let tall = match &self.content {
            Content::Curves { .. } => curves::TALL,
            Content::Heat(own) => heat::tall(own),
            Content::Tracks(own) => tracks::tall(own),
        };
        (curves::WIDE, tall)
    }

    fn draw(&self, backend: impl DrawingBackend<ErrorType: 'static>) {
        let root = backend.into_drawing_area();
        let drawn = match &self.content {
            Content::Curves { series, rules } => curves::draw(&root, self, series, rules),
            Content::Heat(own) => heat::draw(&root, self, own),
            Content::Tracks(own) => tracks::draw(&root, self, own),
        };
        let drawn = drawn.and_then(|()| Ok(root.present()?));
        // Memory takes everything, and no font is looked for.
        debug_assert!(drawn.is_ok(), "{drawn:?}");
    }
}
