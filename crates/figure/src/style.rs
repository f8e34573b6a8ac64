//! The size of a figure and of its text.

/// CSS pixels of an inch.
const PER_INCH: f64 = 96.0;

/// Style in which a figure is drawn. Lengths are in CSS pixels; an inch has 96.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Width of the figure. The height follows from the content.
    pub width: f64,
    /// Size of the text.
    pub font: f64,
    /// True if the title and the caption are drawn above the figure.
    pub titled: bool,
    /// True if colours are the CSS variables of the program's pages, which also have a dark mode.
    /// SVG only.
    pub in_page: bool,
    /// Pixels of a PNG file for each pixel of the figure.
    pub resolution: f64,
}

impl Style {
    /// Style for the screen: 900 pixels wide, with the title.
    pub const SCREEN: Style =
        Style { width: 900.0, font: 12.0, titled: true, in_page: false, resolution: 2.0 };

    /// Returns the style for a paper, with this width in millimetres: text of 8 points, no title,
    /// 300 dots per inch.
    pub fn paper(millimetres: f64) -> Style {
        Style {
            width: millimetres / 25.4 * PER_INCH,
            font: Style::points(8.0),
            titled: false,
            in_page: false,
            resolution: 300.0 / PER_INCH,
        }
    }

    /// Converts a size in typographic points, of which an inch has 72, to pixels.
    pub fn points(points: f64) -> f64 {
        points / 72.0 * PER_INCH
    }

    /// Returns a length that is `pixels` at a text size of 12 pixels.
    pub(crate) fn scaled(&self, pixels: f64) -> f64 {
        pixels * self.font / 12.0
    }
}
