//! The layout of a figure: from a model and a style to shapes.

mod axes;
mod curves;
mod heat;
mod sheet;
mod tracks;
mod trades;

use crate::model::{Content, Figure};
use crate::shape::Drawing;
use crate::style::Style;
use crate::{pdf, png, svg};
use sheet::Sheet;

impl Figure {
    /// Draws the figure as SVG.
    pub fn svg(&self, style: &Style) -> String {
        svg::svg(&self.drawing(style), &self.title, style.in_page)
    }

    /// Draws the figure as PNG; `None` if there is not enough memory for its pixels.
    pub fn png(&self, style: &Style) -> Option<Vec<u8>> {
        png::png(&self.drawing(style), style.resolution)
    }

    /// Draws the figure as PDF, on a page of the figure's size.
    pub fn pdf(&self, style: &Style) -> Vec<u8> {
        pdf::pdf(&self.drawing(style), &self.title)
    }

    fn drawing(&self, style: &Style) -> Drawing {
        let mut sheet = Sheet::new(*style);
        if style.titled {
            sheet.head(&self.title, &self.caption);
        }
        match &self.content {
            Content::Curves { series, rules } => curves::draw(&mut sheet, self, series, rules),
            Content::Heat(own) => heat::draw(&mut sheet, self, own),
            Content::Tracks(own) => tracks::draw(&mut sheet, own),
            Content::Trades(own) => trades::draw(&mut sheet, self, own),
        }
        Drawing { width: style.width, height: sheet.y, shapes: sheet.shapes }
    }
}
