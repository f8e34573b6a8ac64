//! The size of a figure and of its text.

/// Pixels of an inch, as CSS has them.
const PER_INCH: f64 = 96.0;

/// How a figure is drawn. Lengths are in CSS pixels, of which an inch has 96.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Width of the figure; its height follows from its content.
    pub width: f64,
    /// Size of its text.
    pub font: f64,
    /// True if the title and the caption are drawn above the figure.
    pub titled: bool,
    /// True if colours are the CSS variables of the program's pages, which have a dark form. SVG
    /// only.
    pub in_page: bool,
    /// Pixels of a PNG file for each pixel of the figure.
    pub resolution: f64,
}

impl Style {
    /// A figure for the screen: 900 pixels wide, with its title.
    pub const SCREEN: Style =
        Style { width: 900.0, font: 12.0, titled: true, in_page: false, resolution: 2.0 };

    /// A figure for a paper, of this width in millimetres: text of 8 points, no title, 300 dots per
    /// inch.
    pub fn paper(millimetres: f64) -> Style {
        Style {
            width: millimetres / 25.4 * PER_INCH,
            font: Style::points(8.0),
            titled: false,
            in_page: false,
            resolution: 300.0 / PER_INCH,
        }
    }

    /// Pixels of a size in typographic points, of which an inch has 72.
    pub fn points(points: f64) -> f64 {
        points / 72.0 * PER_INCH
    }

    /// A length that is `pixels` where text has 12 pixels.
    pub(crate) fn scaled(&self, pixels: f64) -> f64 {
        pixels * self.font / 12.0
    }
}
