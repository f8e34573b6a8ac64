//! Dots on tracks.

use super::sheet::{Entry, Sheet};
use crate::model::{Dot, Track, Tracks};
use crate::number::short;
use crate::shape::{Anchor, Paint, Shape, line, marker, rectangle};
use crate::text;

/// Height of a dot's line, and the distance between tracks, in pixels at a text size of 12 pixels.
const STEP: f64 = 13.0;
const GAP: f64 = 12.0;

pub(super) fn draw(sheet: &mut Sheet, tracks: &Tracks) {
    let entry = |(colour, name)| Entry { name, colour, line: None };
    let names = tracks.names.iter().map(String::as_str);
    sheet.legend(&names.enumerate().map(entry).collect::<Vec<_>>());
    let (size, margin) = (sheet.style.font, sheet.margin());
    let widest = |texts: &mut dyn Iterator<Item = &str>| {
        texts.map(|text| text::width(text, size)).fold(0.0, f64::max)
    };
    let labels = widest(&mut tracks.rows.iter().map(|row| row.label.as_str()));
    let ends = widest(&mut tracks.rows.iter().map(|row| row.end.1.as_str()));
    let left = margin + labels.min(0.4 * sheet.style.width) + sheet.px(10.0);
    let right = sheet.style.width - margin - ends - sheet.px(8.0);
    sheet.y += sheet.px(4.0);
    for row in &tracks.rows {
        track(sheet, row, &tracks.names, (left, right));
    }
}

fn track(sheet: &mut Sheet, row: &Track, names: &[String], (left, right): (f64, f64)) {
    let (top, step) = (sheet.y, sheet.px(STEP));
    let bottom = top + step * names.len().max(1) as f64;
    let middle = (top + bottom) / 2.0;
    let room = left - sheet.margin() - sheet.px(10.0);
    let label = text::fitted(&row.label, sheet.style.font, room);
    sheet.text(label, [left - sheet.px(10.0), middle], Anchor::End, Paint::Ink);
    sheet.text(row.end.1.as_str(), [right + sheet.px(8.0), middle], Anchor::Start, Paint::Soft);
    sheet.shapes.push(rectangle([left, top], [right, bottom], Paint::Line, 0.45));
    let x = |value: f64| {
        let share = if row.end.0 > 0.0 { (value / row.end.0).clamp(0.0, 1.0) } else { 0.0 };
        left + share * (right - left)
    };
    for (place, dot) in row.dots.iter().enumerate() {
        let Some(Dot { at, range, against }) = dot else { continue };
        let y = top + step * (place as f64 + 0.5);
        if let Some(against) = against {
            sheet.rule([x(*against), top], [x(*against), bottom], Paint::Ink);
        }
        let name = names.get(place).map_or("", String::as_str);
        let mut tip = format!("{name}: {}", short(*at));
        let mut shapes = Vec::new();
        if let Some((low, high)) = range {
            let width = sheet.px(2.0);
            shapes.push(line([x(*low), y], [x(*high), y], width, Paint::Case(place)));
            tip += &format!(" [{}–{}]", short(*low), short(*high));
        }
        shapes.push(marker([x(*at), y], place, sheet.px(1.0)));
        sheet.shapes.push(Shape::Group { tip, shapes });
    }
    sheet.y = bottom + sheet.px(GAP);
}
