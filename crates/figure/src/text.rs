//! The font that the program carries: widths of texts, and outlines of letters.

use std::sync::LazyLock;
use ttf_parser::{Face, OutlineBuilder};

static FACE: LazyLock<Face<'static>> =
    LazyLock::new(|| Face::parse(notosans::REGULAR_TTF, 0).expect("the program's own font"));

/// Returns the width of a text of this size, in pixels.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let units: f64 = text.chars().map(advance).sum();
    units / per_em() * size
}

/// Returns the text, cut to `room` pixels. A cut text ends with an ellipsis.
pub(crate) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        if width(&short, size) + width("m…", size) > room {
            break;
        }
        short.push(letter);
    }
    short.trim_end().to_owned() + "…"
}

/// Breaks a text into lines of at most `room` pixels, except for longer words.
pub(crate) fn lines(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + width(" ", size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Passes the outline of a text to `path`, in pixels. The text begins at x = 0, its middle line is
/// at y = 0, and y decreases upwards.
pub(crate) fn outline(text: &str, size: f64, path: &mut impl OutlineBuilder) {
    let scale = (size / per_em()) as f32;
    let half_letter = f32::from(FACE.x_height().unwrap_or_default()) / 2.0;
    let mut at = 0.0;
    for letter in text.chars() {
        let mut placed = Letter { path, at, scale, half_letter };
        FACE.outline_glyph(FACE.glyph_index(letter).unwrap_or_default(), &mut placed);
        at += advance(letter) as f32;
    }
}

fn per_em() -> f64 {
    f64::from(FACE.units_per_em())
}

/// Returns the width of a letter in units of the font. The first glyph stands for letters that the
/// font lacks.
fn advance(letter: char) -> f64 {
    let glyph = FACE.glyph_index(letter).unwrap_or_default();
    FACE.glyph_hor_advance(glyph).map_or(0.0, f64::from)
}

/// Moves the outline of a letter to its place in the text.
struct Letter<'a, P> {
    path: &'a mut P,
    at: f32,
    scale: f32,
    half_letter: f32,
}

impl<P> Letter<'_, P> {
    fn x(&self, x: f32) -> f32 {
        (self.at + x) * self.scale
    }

    fn y(&self, y: f32) -> f32 {
        (self.half_letter - y) * self.scale
    }
}

impl<P: OutlineBuilder> OutlineBuilder for Letter<'_, P> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = (self.x(x), self.y(y));
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = (self.x(x), self.y(y));
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (x1, y1, x, y) = (self.x(x1), self.y(y1), self.x(x), self.y(y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (x1, y1, x2, y2) = (self.x(x1), self.y(y1), self.x(x2), self.y(y2));
        let (x, y) = (self.x(x), self.y(y));
        self.path.curve_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_folded_to_their_room() {
        assert_eq!(fitted("cubic", 12.0, 100.0), "cubic");
        let cut = fitted("a very long name of a case", 12.0, 80.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0) <= 80.0, "{cut}");
        let folded = lines("one two three four five six", 12.0, 60.0);
        assert!(folded.len() > 2 && folded.iter().all(|line| width(line, 12.0) <= 60.0));
        assert_eq!(folded.join(" "), "one two three four five six");
        assert_eq!(width("ii", 24.0), 4.0 * width("i", 12.0));
    }
}
