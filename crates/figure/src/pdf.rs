//! PDF: one page of the figure's size, with the outlines of its letters.

use crate::shape::{Anchor, Drawing, Paint, Point, Shape};
use crate::text;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, TextStr};
use std::collections::BTreeSet;
use std::io::Write;
use ttf_parser::OutlineBuilder;

/// Points per pixel.
const POINTS: f32 = 0.75;
/// Length of the control lines of a quarter of a circle of radius 1. The curve is off by 0.03 % at
/// most.
const KAPPA: f64 = 0.552_284_75;

/// Returns the drawing as a PDF file with this title.
pub(crate) fn pdf(drawing: &Drawing, title: &str) -> Vec<u8> {
    let ids: [Ref; 5] = std::array::from_fn(|index| Ref::new(index as i32 + 1));
    let [catalog, pages, page, content, info] = ids;
    let (wide, tall) = (drawing.width as f32 * POINTS, drawing.height as f32 * POINTS);
    let mut canvas = Canvas { content: Content::new(), opacities: BTreeSet::new() };
    // From here on, a unit is a pixel, and y grows downwards.
    canvas.content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, tall]);
    canvas.content.set_line_join(LineJoinStyle::RoundJoin);
    drawing.shapes.iter().for_each(|shape| canvas.draw(shape));
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut own = pdf.page(page);
    own.parent(pages).media_box(Rect::new(0.0, 0.0, wide, tall)).contents(content);
    let mut resources = own.resources();
    let mut states = resources.ext_g_states();
    for percent in &canvas.opacities {
        states
            .insert(Name(state(*percent).as_bytes()))
            .start::<pdf_writer::writers::ExtGraphicsState>()
            .non_stroking_alpha(f32::from(*percent) / 100.0);
    }
    states.finish();
    resources.finish();
    own.finish();
    pdf.stream(content, &deflated(&canvas.content.finish())).filter(Filter::FlateDecode);
    pdf.document_info(info).title(TextStr(title)).producer(TextStr("Narrows"));
    pdf.finish()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes everything")
}

/// Returns the name of the graphics state with an opacity in percent.
fn state(percent: u8) -> String {
    format!("a{percent}")
}

struct Canvas {
    content: Content,
    /// Opacities of the shapes, in percent.
    opacities: BTreeSet<u8>,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, width, dashes, paint } => {
                let [red, green, blue] = colour(*paint);
                self.content.save_state();
                self.content.set_stroke_rgb(red, green, blue).set_line_width(*width as f32);
                if !dashes.is_empty() {
                    self.content.set_dash_pattern(dashes.iter().map(|one| *one as f32), 0.0);
                }
                self.joined(points);
                self.content.stroke().restore_state();
            }
            Shape::Area { points, paint, opacity } => {
                self.filled(*paint, *opacity, |canvas| {
                    canvas.joined(points);
                    canvas.content.close_path().fill_nonzero();
                });
            }
            Shape::Ellipse { centre: [x, y], half, angle, paint, opacity } => {
                let turn = angle.to_radians();
                let (sin, cos) = (libm::sin(turn) as f32, libm::cos(turn) as f32);
                let [red, green, blue] = colour(*paint);
                self.filled(*paint, *opacity, |canvas| {
                    canvas.content.transform([cos, sin, -sin, cos, *x as f32, *y as f32]);
                    canvas.content.set_stroke_rgb(red, green, blue);
                    canvas.ellipse(*half);
                    match *opacity < 1.0 {
                        true => canvas.content.fill_nonzero_and_stroke(),
                        false => canvas.content.fill_nonzero(),
                    };
                });
            }
            Shape::Text { text, at: [x, y], size, anchor, angle, paint, .. } => {
                let turn = angle.to_radians();
                let (sin, cos) = (libm::sin(turn) as f32, libm::cos(turn) as f32);
                let back = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -text::width(text, *size) / 2.0,
                    Anchor::End => -text::width(text, *size),
                } as f32;
                self.filled(*paint, 1.0, |canvas| {
                    canvas.content.transform([cos, sin, -sin, cos, *x as f32, *y as f32]);
                    canvas.content.transform([1.0, 0.0, 0.0, 1.0, back, 0.0]);
                    let mut letters = Letters { content: &mut canvas.content, at: [0.0; 2] };
                    text::outline(text, *size, &mut letters);
                    canvas.content.fill_nonzero();
                });
            }
            Shape::Group { shapes, .. } => shapes.iter().for_each(|shape| self.draw(shape)),
        }
    }

    /// Draws with a fill colour, and restores the state afterwards.
    fn filled(&mut self, paint: Paint, opacity: f64, draw: impl FnOnce(&mut Canvas)) {
        let [red, green, blue] = colour(paint);
        self.content.save_state();
        self.content.set_fill_rgb(red, green, blue);
        if opacity < 1.0 {
            let percent = (100.0 * opacity).round() as u8;
            self.opacities.insert(percent);
            self.content.set_parameters(Name(state(percent).as_bytes()));
        }
        draw(self);
        self.content.restore_state();
    }

    fn joined(&mut self, points: &[Point]) {
        for (index, [x, y]) in points.iter().enumerate() {
            let (x, y) = (*x as f32, *y as f32);
            match index {
                0 => self.content.move_to(x, y),
                _ => self.content.line_to(x, y),
            };
        }
    }

    /// Adds the path of an ellipse around the origin.
    fn ellipse(&mut self, [long, short]: [f64; 2]) {
        let at = |x: f64, y: f64| ((x * long) as f32, (y * short) as f32);
        let corners = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)];
        let (x, y) = at(1.0, 0.0);
        self.content.move_to(x, y);
        for pair in corners.windows(2) {
            let [(x1, y1), (x2, y2)] = [pair[0], pair[1]];
            let (first, second) =
                (at(x1 + KAPPA * x2, y1 + KAPPA * y2), at(x2 + KAPPA * x1, y2 + KAPPA * y1));
            let end = at(x2, y2);
            self.content.cubic_to(first.0, first.1, second.0, second.1, end.0, end.1);
        }
        self.content.close_path();
    }
}

fn colour(paint: Paint) -> [f32; 3] {
    paint.rgb().map(|part| f32::from(part) / 255.0)
}

/// Writes outlines of letters. Their quadratic curves become cubic, because PDF has only cubic
/// curves.
struct Letters<'a> {
    content: &'a mut Content,
    at: [f32; 2],
}

impl OutlineBuilder for Letters<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.content.move_to(x, y);
        self.at = [x, y];
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.content.line_to(x, y);
        self.at = [x, y];
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let towards = |from: f32, to: f32| from + 2.0 / 3.0 * (to - from);
        let [x0, y0] = self.at;
        self.curve_to(towards(x0, x1), towards(y0, y1), towards(x, x1), towards(y, y1), x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.content.cubic_to(x1, y1, x2, y2, x, y);
        self.at = [x, y];
    }

    fn close(&mut self) {
        self.content.close_path();
    }
}
