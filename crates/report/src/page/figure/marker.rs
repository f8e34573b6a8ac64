//! The marks of series: the shape repeats later than the colour.

use plotters::element::{Drawable, PointCollection};
use plotters::style::{Color, RGBColor};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

/// Corners of the shapes but the first, around the point marked.
const SHAPES: [&[(i32, i32)]; 5] = [
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, -6), (5, 4), (-5, 4)],
    &[(0, 6), (5, -4), (-5, -4)],
    &[
        (-2, -5),
        (2, -5),
        (2, -2),
        (5, -2),
        (5, 2),
        (2, 2),
        (2, 5),
        (-2, 5),
        (-2, 2),
        (-5, 2),
        (-5, -2),
        (-2, -2),
    ],
];

/// The mark of a series at a point.
pub(super) struct Marker<C> {
    pub at: C,
    pub series: usize,
    pub colour: RGBColor,
}

impl<'a, C> PointCollection<'a, C> for &'a Marker<C> {
    type Point = &'a C;
    type IntoIter = std::iter::Once<&'a C>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<C, DB: DrawingBackend> Drawable<DB> for Marker<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        points: I,
        backend: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        let style = self.colour.filled();
        for (x, y) in points {
            match (self.series % (SHAPES.len() + 1)).checked_sub(1) {
                None => backend.draw_circle((x, y), 5, &style, true)?,
                Some(shape) => backend.fill_polygon(
                    SHAPES[shape].iter().map(|(right, down)| (x + right, y + down)),
                    &style,
                )?,
            }
        }
        Ok(())
    }
}
