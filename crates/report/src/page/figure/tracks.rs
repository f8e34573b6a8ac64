//! Dots on tracks, row by row.

use super::curves::{Area, Drawn, INK, LINE, SOFT, WIDE, font, head, legend};
use super::marker::Marker;
use super::model::{Figure, Series, Tracks};
use crate::page::style::colour;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Pixels of a dot's line and between rows, of labels and of the texts at the right end.
const STEP: i32 = 13;
const GAP: i32 = 12;
const LABEL: i32 = 250;
const END: i32 = 90;
/// Pixels of title, caption and legend, about.
const ABOVE: u32 = 112;

/// Pixels from top to bottom.
pub(super) fn tall(tracks: &Tracks) -> u32 {
    ABOVE + row(tracks) as u32 * tracks.rows.len() as u32
}

/// Pixels of a row.
fn row(tracks: &Tracks) -> i32 {
    STEP * tracks.names.len().max(1) as i32 + GAP
}

/// Draws a figure of tracks.
pub(super) fn draw<B: DrawingBackend<ErrorType: 'static>>(
    root: &Area<B>,
    figure: &Figure,
    tracks: &Tracks,
) -> Drawn {
    let row = row(tracks);
    let area = legend(
        &head(root, figure)?,
        &tracks.names.iter().enumerate().map(named).collect::<Vec<_>>(),
    )?;
    let (left, right) = (LABEL, WIDE as i32 - END);
    for (index, track) in tracks.rows.iter().enumerate() {
        let (top, bottom) = (8 + row * index as i32, 8 + row * (index as i32 + 1) - GAP);
        let middle = (top + bottom) / 2;
        let (start, end) =
            (Pos::new(HPos::Right, VPos::Center), Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(
            track.label.clone(),
            (left - 12, middle),
            font(12.0, INK).pos(start),
        ))?;
        area.draw(&Text::new(
            track.end.1.clone(),
            (right + 10, middle),
            font(12.0, SOFT).pos(end),
        ))?;
        area.draw(&Rectangle::new([(left, top), (right, bottom)], LINE.mix(0.45).filled()))?;
        let x = |value: f64| {
            let share = if track.end.0 > 0.0 { (value / track.end.0).clamp(0.0, 1.0) } else { 0.0 };
            left + (share * f64::from(right - left)).round() as i32
        };
        for (place, dot) in track.dots.iter().enumerate() {
            let Some(dot) = dot else { continue };
            let y = top + STEP * place as i32 + STEP / 2;
            let [red, green, blue] = colour(place);
            let colour = RGBColor(red, green, blue);
            if let Some(against) = dot.against {
                area.draw(&PathElement::new(
                    [(x(against), top), (x(against), bottom)],
                    INK.stroke_width(1),
                ))?;
            }
            if let Some((low, high)) = dot.range {
                area.draw(&PathElement::new([(x(low), y), (x(high), y)], colour.stroke_width(2)))?;
            }
            area.draw(&Marker { at: (x(dot.at), y), series: place, colour })?;
        }
    }
    Ok(())
}

/// A name as an entry of the legend.
fn named((index, name): (usize, &String)) -> Series {
    Series {
        name: name.clone(),
        colour: index,
        dash: 0,
        points: vec![],
        joined: false,
        crosses: vec![],
        ranges: vec![],
    }
}
