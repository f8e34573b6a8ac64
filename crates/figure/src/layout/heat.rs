//! Coloured cells.

use super::sheet::Sheet;
use crate::model::{Axis, Figure, Heat, Scale};
use crate::palette::{INK, Rgb};
use crate::shape::{Anchor, Paint, Shape, rectangle};
use crate::text;

/// Height of a row, in pixels at a text size of 12 pixels.
const ROW: f64 = 40.0;

pub(super) fn draw(sheet: &mut Sheet, figure: &Figure, heat: &Heat) {
    let rows = heat.cells.len();
    let height = sheet.px(ROW) * rows.max(1) as f64;
    // Rows are in order from the top, places on the axis from the bottom.
    let scale = match &figure.y.scale {
        Scale::Named(names) => Scale::Named(names.iter().rev().cloned().collect()),
        other => other.clone(),
    };
    let y = Axis { title: figure.y.title.clone(), scale };
    let frame = sheet.frame((&figure.x, &y), (&[], &[]), height, false);
    let gap = sheet.px(1.0);
    let columns = heat.cells.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let (wide, tall) = ((frame.right - frame.left) / columns as f64, height / rows.max(1) as f64);
    for (row, cells) in heat.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let Some((value, said)) = cell else { continue };
            let colour = mixed(heat, *value);
            let [x, y] = frame.at(column as f64, (rows - 1 - row) as f64);
            let corners = (
                [x - wide / 2.0 + gap, y - tall / 2.0 + gap],
                [x + wide / 2.0 - gap, y + tall / 2.0 - gap],
            );
            sheet.shapes.push(rectangle(corners.0, corners.1, Paint::Rgb(colour), 1.0));
            sheet.shapes.push(Shape::Text {
                text: text::fitted(said, sheet.style.font, wide - 4.0 * gap),
                at: [x, y],
                size: sheet.style.font,
                anchor: Anchor::Middle,
                angle: 0.0,
                bold: false,
                paint: Paint::Rgb(readable(colour)),
            });
        }
    }
}

/// Returns the colour of a value.
fn mixed(heat: &Heat, value: f64) -> Rgb {
    let (from, to) = heat.range;
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0) * 2.0;
    let [low, high] = if share < 1.0 { [0, 1] } else { [1, 2] };
    let part = share - f64::from(u8::from(share >= 1.0));
    let colours = heat.ramp.colours();
    let of = |at: usize| {
        let (low, high) = (f64::from(colours[low][at]), f64::from(colours[high][at]));
        (low + (high - low) * part).round() as u8
    };
    [of(0), of(1), of(2)]
}

/// Returns a readable colour of text: ink on light colours, white on dark ones.
fn readable([red, green, blue]: Rgb) -> Rgb {
    let light = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if light > 120.0 { INK } else { [255; 3] }
}
