//! PNG.

use crate::shape::{Anchor, Drawing, Point, Shape};
use crate::text;
use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};
use ttf_parser::OutlineBuilder;

/// Returns the drawing as a PNG file on white, with `resolution` pixels for each pixel of the
/// drawing; `None` if there is not enough memory.
pub(crate) fn png(drawing: &Drawing, resolution: f64) -> Option<Vec<u8>> {
    let side = |length: f64| (length * resolution).round() as u32;
    let mut map = Pixmap::new(side(drawing.width), side(drawing.height))?;
    map.fill(Color::WHITE);
    let mut canvas = Canvas { map, scale: resolution as f32 };
    drawing.shapes.iter().for_each(|shape| canvas.draw(shape));
    canvas.map.encode_png().ok()
}

struct Canvas {
    map: Pixmap,
    scale: f32,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, width, dashes, paint } => {
                let dashes = dashes.iter().map(|one| *one as f32).collect();
                let stroke = Stroke {
                    width: *width as f32,
                    line_join: LineJoin::Round,
                    dash: StrokeDash::new(dashes, 0.0),
                    ..Stroke::default()
                };
                self.stroke(joined(points, false), &stroke, *paint);
            }
            Shape::Area { points, paint, opacity } => {
                self.fill(joined(points, true), *paint, *opacity, Transform::identity())
            }
            Shape::Ellipse { centre: [x, y], half: [long, short], angle, paint, opacity } => {
                let oval =
                    Rect::from_ltrb(-*long as f32, -*short as f32, *long as f32, *short as f32)
                        .and_then(PathBuilder::from_oval);
                let place =
                    Transform::from_rotate(*angle as f32).post_translate(*x as f32, *y as f32);
                self.fill(oval.clone(), *paint, *opacity, place);
                if *opacity < 1.0 {
                    let edge = oval.and_then(|oval| oval.transform(place));
                    self.stroke(edge, &Stroke::default(), *paint);
                }
            }
            Shape::Text { text, at: [x, y], size, anchor, angle, paint, .. } => {
                let mut letters = Letters(PathBuilder::new());
                text::outline(text, *size, &mut letters);
                let back = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -text::width(text, *size) / 2.0,
                    Anchor::End => -text::width(text, *size),
                };
                let place = Transform::from_translate(back as f32, 0.0)
                    .post_concat(Transform::from_rotate(*angle as f32))
                    .post_translate(*x as f32, *y as f32);
                self.fill(letters.0.finish(), *paint, 1.0, place);
            }
            Shape::Group { shapes, .. } => shapes.iter().for_each(|shape| self.draw(shape)),
        }
    }

    fn scaled(&self) -> Transform {
        Transform::from_scale(self.scale, self.scale)
    }

    fn fill(
        &mut self,
        path: Option<Path>,
        paint: crate::shape::Paint,
        opacity: f64,
        place: Transform,
    ) {
        let place = place.post_concat(self.scaled());
        if let Some(path) = path {
            let paint = coloured(paint, opacity);
            self.map.fill_path(&path, &paint, FillRule::Winding, place, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, stroke: &Stroke, paint: crate::shape::Paint) {
        let scaled = self.scaled();
        if let Some(path) = path {
            self.map.stroke_path(&path, &coloured(paint, 1.0), stroke, scaled, None);
        }
    }
}

fn coloured(paint: crate::shape::Paint, opacity: f64) -> Paint<'static> {
    let [red, green, blue] = paint.rgb();
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}

fn joined(points: &[Point], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for [x, y] in points {
        let (x, y) = (*x as f32, *y as f32);
        if path.is_empty() { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

struct Letters(PathBuilder);

impl OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
