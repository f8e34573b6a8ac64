//! Shapes, in pixels from the left and from the top.

use crate::palette::{self, Rgb};

/// A point: pixels from the left, pixels from the top.
pub(crate) type Point = [f64; 2];

/// A colour by its meaning, or by its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint {
    Ink,
    Soft,
    Line,
    /// The colour of the case with this index.
    Case(usize),
    Rgb(Rgb),
}

impl Paint {
    /// Returns the colour on white paper.
    pub fn rgb(self) -> Rgb {
        match self {
            Paint::Ink => palette::INK,
            Paint::Soft => palette::SOFT,
            Paint::Line => palette::LINE,
            Paint::Case(case) => palette::colour(case),
            Paint::Rgb(rgb) => rgb,
        }
    }
}

/// Part of a text that lies at its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One shape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A line through points.
    Line { points: Vec<Point>, width: f64, dashes: Vec<f64>, paint: Paint },
    /// A closed area.
    Area { points: Vec<Point>, paint: Paint, opacity: f64 },
    /// A filled ellipse with its half axes, and the angle of the first half axis in degrees. With
    /// an opacity below 1 its edge is drawn as well.
    Ellipse { centre: Point, half: [f64; 2], angle: f64, paint: Paint, opacity: f64 },
    /// A text whose middle line goes through `at`, turned by degrees around `at`.
    Text {
        text: String,
        at: Point,
        size: f64,
        anchor: Anchor,
        angle: f64,
        bold: bool,
        paint: Paint,
    },
    /// Shapes with a tooltip, which only SVG shows.
    Group { tip: String, shapes: Vec<Shape> },
}

/// Shapes of a figure, with its size.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawing {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

/// Returns a straight solid line.
pub(crate) fn line(from: Point, to: Point, width: f64, paint: Paint) -> Shape {
    Shape::Line { points: vec![from, to], width, dashes: Vec::new(), paint }
}

/// Returns a filled rectangle.
pub(crate) fn rectangle(
    [left, top]: Point,
    [right, bottom]: Point,
    paint: Paint,
    opacity: f64,
) -> Shape {
    let points = vec![[left, top], [right, top], [right, bottom], [left, bottom]];
    Shape::Area { points, paint, opacity }
}

/// Corners of the markers, relative to the marked point. The first marker is a circle and is not in
/// this list.
const MARKERS: [&[(f64, f64)]; 5] = [
    &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
    &[(0.0, -5.5), (5.5, 0.0), (0.0, 5.5), (-5.5, 0.0)],
    &[(0.0, -5.5), (5.0, 4.0), (-5.0, 4.0)],
    &[(0.0, 5.5), (5.0, -4.0), (-5.0, -4.0)],
    &[
        (-2.0, -5.0),
        (2.0, -5.0),
        (2.0, -2.0),
        (5.0, -2.0),
        (5.0, 2.0),
        (2.0, 2.0),
        (2.0, 5.0),
        (-2.0, 5.0),
        (-2.0, 2.0),
        (-5.0, 2.0),
        (-5.0, -2.0),
        (-2.0, -2.0),
    ],
];

/// Returns the marker of a case. Shapes repeat after six cases, colours after seven.
pub(crate) fn marker(at: Point, case: usize, scale: f64) -> Shape {
    let paint = Paint::Case(case);
    match (case % (MARKERS.len() + 1)).checked_sub(1) {
        None => circle(at, 4.5 * scale, paint),
        Some(shape) => {
            let corner = |(right, down): &(f64, f64)| [at[0] + right * scale, at[1] + down * scale];
            Shape::Area { points: MARKERS[shape].iter().map(corner).collect(), paint, opacity: 1.0 }
        }
    }
}

/// Returns a filled circle.
pub(crate) fn circle(centre: Point, radius: f64, paint: Paint) -> Shape {
    Shape::Ellipse { centre, half: [radius; 2], angle: 0.0, paint, opacity: 1.0 }
}
