//! A figure that is being laid out from top to bottom, and the parts that all kinds of figures
//! have.

use crate::palette::dashes;
use crate::shape::{Anchor, Paint, Point, Shape, line, marker};
use crate::style::Style;
use crate::text;

/// A figure that is being laid out from top to bottom.
pub(super) struct Sheet {
    pub style: Style,
    /// Distance of the next part from the top.
    pub y: f64,
    pub shapes: Vec<Shape>,
}

/// An entry of a legend.
pub(super) struct Entry<'a> {
    pub name: &'a str,
    pub colour: usize,
    /// Index of the dashes of a line; `None` for a marker.
    pub line: Option<usize>,
}

impl Sheet {
    /// Returns an empty figure.
    pub fn new(style: Style) -> Sheet {
        Sheet { style, y: style.scaled(6.0), shapes: Vec::new() }
    }

    /// Returns a length that is `pixels` at a text size of 12 pixels.
    pub fn px(&self, pixels: f64) -> f64 {
        self.style.scaled(pixels)
    }

    /// Returns the distance from the edges.
    pub fn margin(&self) -> f64 {
        self.px(if self.style.titled { 16.0 } else { 3.0 })
    }

    pub fn text(&mut self, text: impl Into<String>, at: Point, anchor: Anchor, paint: Paint) {
        let size = self.style.font;
        let text = text.into();
        self.shapes.push(Shape::Text { text, at, size, anchor, angle: 0.0, bold: false, paint });
    }

    /// Adds title and caption.
    pub fn head(&mut self, title: &str, caption: &str) {
        let (margin, size) = (self.margin(), self.px(16.0));
        self.shapes.push(Shape::Text {
            text: text::fitted(title, size, self.style.width - 2.0 * margin),
            at: [margin, self.y + self.px(14.0)],
            size,
            anchor: Anchor::Start,
            angle: 0.0,
            bold: true,
            paint: Paint::Ink,
        });
        self.y += self.px(30.0);
        let small = self.px(11.5);
        for line in text::lines(caption, small, self.style.width - 2.0 * margin) {
            self.shapes.push(Shape::Text {
                text: line,
                at: [margin, self.y + self.px(7.0)],
                size: small,
                anchor: Anchor::Start,
                angle: 0.0,
                bold: false,
                paint: Paint::Soft,
            });
            self.y += self.px(16.0);
        }
        self.y += self.px(6.0);
    }

    /// Adds a legend, in as many rows as it needs.
    pub fn legend(&mut self, entries: &[Entry<'_>]) {
        if entries.is_empty() {
            return;
        }
        let (margin, size) = (self.margin(), self.style.font);
        let (swatch, gap, row) = (self.px(26.0), self.px(16.0), self.px(18.0));
        let right = self.style.width - margin;
        let (mut x, mut y) = (margin, self.y + row / 2.0);
        for entry in entries {
            let name = text::fitted(entry.name, size, right - margin - swatch - self.px(6.0));
            let wide = swatch + self.px(6.0) + text::width(&name, size) + gap;
            if x > margin && x + wide - gap > right {
                (x, y) = (margin, y + row);
            }
            let shape = match entry.line {
                Some(dash) => self.stroke(vec![[x, y], [x + swatch, y]], entry.colour, dash),
                None => marker([x + swatch / 2.0, y], entry.colour, self.px(1.0)),
            };
            self.shapes.push(shape);
            self.text(name, [x + swatch + self.px(6.0), y], Anchor::Start, Paint::Ink);
            x += wide;
        }
        self.y = y + row / 2.0 + self.px(6.0);
    }

    /// Returns the line of a series.
    pub fn stroke(&self, points: Vec<Point>, colour: usize, dash: usize) -> Shape {
        let dashes = dashes(colour, dash).iter().map(|one| self.px(f64::from(*one))).collect();
        Shape::Line { points, width: self.px(1.8), dashes, paint: Paint::Case(colour) }
    }

    /// Adds a thin line.
    pub fn rule(&mut self, from: Point, to: Point, paint: Paint) {
        let width = self.px(1.0);
        self.shapes.push(line(from, to, width, paint));
    }
}
