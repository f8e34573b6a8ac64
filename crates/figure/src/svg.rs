//! SVG.

use crate::palette::COLOURS;
use crate::shape::{Anchor, Drawing, Paint, Point, Shape};
use crate::text;
use std::fmt::Write;

/// Returns the drawing as an SVG document on white. In a page, colours are the variables of the
/// program's pages, and there is no background.
pub(crate) fn svg(drawing: &Drawing, label: &str, in_page: bool) -> String {
    let (width, height) = (length(drawing.width), length(drawing.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\" font-family=\"system-ui, sans-serif\">\n",
        escape(label)
    );
    if !in_page {
        out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    }
    let mut writer = Writer { out, in_page };
    drawing.shapes.iter().for_each(|shape| writer.shape(shape));
    writer.out + "</svg>\n"
}

struct Writer {
    out: String,
    in_page: bool,
}

impl Writer {
    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, width, dashes, paint } => {
                let dashes = match &dashes[..] {
                    [] => String::new(),
                    all => {
                        let all: Vec<String> = all.iter().map(|one| length(*one)).collect();
                        format!(" stroke-dasharray=\"{}\"", all.join(","))
                    }
                };
                let (places, colour) = (places(points), self.colour(*paint));
                self.line(format_args!(
                    "<polyline points=\"{places}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{dashes}/>",
                    length(*width)
                ));
            }
            Shape::Area { points, paint, opacity } => {
                let (places, colour) = (places(points), self.colour(*paint));
                self.line(format_args!(
                    "<polygon points=\"{places}\" fill=\"{colour}\"{}/>",
                    opaque(*opacity)
                ));
            }
            Shape::Ellipse { centre: [x, y], half: [long, short], angle, paint, opacity } => {
                let colour = self.colour(*paint);
                let (x, y) = (length(*x), length(*y));
                let turn = match *angle {
                    0.0 => String::new(),
                    angle => format!(" transform=\"rotate({} {x} {y})\"", length(angle)),
                };
                let edge = match *opacity < 1.0 {
                    true => format!(" stroke=\"{colour}\""),
                    false => String::new(),
                };
                self.line(format_args!(
                    "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{}\" ry=\"{}\" fill=\"{colour}\"{}{edge}{turn}/>",
                    length(*long),
                    length(*short),
                    opaque(*opacity)
                ));
            }
            Shape::Text { text, at: [x, y], size, anchor, angle, bold, paint } => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                // Viewers without the font of the layout squeeze or stretch their font to these
                // widths.
                let fit = match *bold {
                    true => " font-weight=\"600\"".to_owned(),
                    false => {
                        let wide = length(text::width(text, *size));
                        format!(" textLength=\"{wide}\" lengthAdjust=\"spacingAndGlyphs\"")
                    }
                };
                // The baseline is half the height of a small letter below the middle.
                let (shift, colour) = (length(0.27 * size), self.colour(*paint));
                let (x, y, text) = (length(*x), length(*y), escape(text));
                let place = match *angle {
                    0.0 => format!("x=\"{x}\" y=\"{y}\""),
                    angle => format!("transform=\"translate({x} {y}) rotate({})\"", length(angle)),
                };
                self.line(format_args!(
                    "<text {place} dy=\"{shift}\" font-size=\"{}\" fill=\"{colour}\"{anchor}{fit}>{text}</text>",
                    length(*size)
                ));
            }
            Shape::Group { tip, shapes } => {
                self.line(format_args!("<g><title>{}</title>", escape(tip)));
                shapes.iter().for_each(|shape| self.shape(shape));
                self.line(format_args!("</g>"));
            }
        }
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{text}").expect("a string grows");
    }

    fn colour(&self, paint: Paint) -> String {
        let [red, green, blue] = paint.rgb();
        let fixed = format!("#{red:02x}{green:02x}{blue:02x}");
        let variable = match paint {
            Paint::Ink => "ink".to_owned(),
            Paint::Soft => "soft".to_owned(),
            Paint::Line => "line".to_owned(),
            Paint::Case(case) => format!("case-{}", case % COLOURS),
            Paint::Rgb(_) => return fixed,
        };
        if self.in_page { format!("var(--{variable})") } else { fixed }
    }
}

fn opaque(opacity: f64) -> String {
    if opacity < 1.0 { format!(" fill-opacity=\"{}\"", length(opacity)) } else { String::new() }
}

fn places(points: &[Point]) -> String {
    points
        .iter()
        .map(|[x, y]| format!("{},{}", length(*x), length(*y)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns a length with at most two decimals.
fn length(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
