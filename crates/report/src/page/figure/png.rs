//! The pixels that a figure is drawn on, with a font that the program carries: none of the system is looked for.

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::convert::Infallible;
use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};
use ttf_parser::{Face, OutlineBuilder};

/// Pixels of the image for one of the figure.
const SCALE: f32 = 2.0;
/// The library's text sizes are larger than those of letters.
const TEXT: f64 = 1.24;

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// An image under way.
pub(super) struct Pixels {
    map: Pixmap,
    size: (u32, u32),
    font: Face<'static>,
}

impl Pixels {
    /// A white image for a figure of this size; `None` if there is no memory for one as large.
    pub(super) fn new(size: (u32, u32)) -> Option<Self> {
        let mut map =
            Pixmap::new(size.0.checked_mul(SCALE as u32)?, size.1.checked_mul(SCALE as u32)?)?;
        map.fill(Color::WHITE);
        Some(Self { map, size, font: Face::parse(notosans::REGULAR_TTF, 0).ok()? })
    }

    /// The image as a PNG file.
    pub(super) fn file(&self) -> Option<Vec<u8>> {
        self.map.encode_png().ok()
    }

    fn fill(&mut self, path: Option<Path>, colour: BackendColor, transform: Transform) -> Done {
        if let Some(path) = path {
            self.map.fill_path(&path, &paint(colour), FillRule::Winding, transform, None);
        }
        Ok(())
    }

    fn stroke(&mut self, path: Option<Path>, colour: BackendColor, width: u32) -> Done {
        if let Some(path) = path {
            let stroke = Stroke { width: width as f32, ..Stroke::default() };
            self.map.stroke_path(&path, &paint(colour), &stroke, scaled(), None);
        }
        Ok(())
    }

    /// The letters of a text in units of the font, from the origin to the right, and how wide they are.
    fn letters(&self, text: &str) -> (Option<Path>, f32) {
        let mut outline = Outline { path: PathBuilder::new(), at: 0.0 };
        for letter in text.chars() {
            // The font's first glyph stands for letters that it has not.
            let glyph = self.font.glyph_index(letter).unwrap_or_default();
            self.font.outline_glyph(glyph, &mut outline);
            outline.at += f32::from(self.font.glyph_hor_advance(glyph).unwrap_or_default());
        }
        (outline.path.finish(), outline.at)
    }
}

impl DrawingBackend for &mut Pixels {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Done {
        self.fill(
            Rect::from_xywh(x as f32, y as f32, 1.0, 1.0).map(PathBuilder::from_rect),
            colour,
            scaled(),
        )
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        self.stroke(joined([from, to], false), style.color(), style.stroke_width())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        self.polygon(
            joined([(left, top), (right, top), (right, bottom), (left, bottom)], true),
            style,
            fill,
        )
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        self.stroke(joined(path, false), style.color(), style.stroke_width())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        self.polygon(PathBuilder::from_circle(x as f32, y as f32, radius as f32), style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Done {
        self.fill(joined(corners, true), style.color(), scaled())
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        (x, y): BackendCoord,
    ) -> Done {
        let (letters, wide) = self.letters(text);
        let size = (style.size() / TEXT) as f32;
        let per_em = f32::from(self.font.units_per_em());
        let half_letter = f32::from(self.font.x_height().unwrap_or_default()) / 2.0;
        let right = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -wide / 2.0,
            HPos::Right => -wide,
        };
        // As far from the baseline as in SVG files.
        let down = match style.anchor().v_pos {
            VPos::Top => 0.76 * per_em,
            VPos::Center => half_letter,
            VPos::Bottom => -half_letter,
        };
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        // Letters grow upwards in the font, and downwards on pixels.
        let font =
            Transform::from_translate(right, -down).post_scale(size / per_em, -size / per_em);
        let place =
            font.post_concat(Transform::from_rotate(turn)).post_translate(x as f32, y as f32);
        self.fill(letters, style.color(), place.post_concat(scaled()))
    }
}

impl Pixels {
    fn polygon<S: BackendStyle>(&mut self, path: Option<Path>, style: &S, fill: bool) -> Done {
        if fill {
            self.fill(path, style.color(), scaled())
        } else {
            self.stroke(path, style.color(), style.stroke_width())
        }
    }
}

fn scaled() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn paint(colour: BackendColor) -> Paint<'static> {
    let (red, green, blue) = colour.rgb;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (colour.alpha * 255.0).round() as u8);
    paint
}

/// A line through these points, to its start again if it is closed.
fn joined(points: impl IntoIterator<Item = BackendCoord>, closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (x, y) in points {
        if path.is_empty() {
            path.move_to(x as f32, y as f32)
        } else {
            path.line_to(x as f32, y as f32)
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// Takes the outline of a letter to its place in the text.
struct Outline {
    path: PathBuilder,
    at: f32,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.at + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.at + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.at + x1, y1, self.at + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.at + x1, y1, self.at + x2, y2, self.at + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
