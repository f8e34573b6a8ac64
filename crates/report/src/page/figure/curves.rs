//! Curves, dots and rules.

use super::axis::{Placed, place, placed};
use super::marker::Marker;
use super::model::{Figure, Rule, Series};
use crate::page::style::{colour, dashes};
use crate::table::wrap;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

pub(super) const WIDE: u32 = 900;
pub(super) const TALL: u32 = 520;
/// Pixels that a letter takes, about.
const LETTER: f64 = 6.9;
pub(super) const INK: RGBColor = RGBColor(0x1b, 0x1f, 0x24);
pub(super) const SOFT: RGBColor = RGBColor(0x59, 0x62, 0x6e);
pub(super) const LINE: RGBColor = RGBColor(0xd6, 0xdb, 0xe1);

pub(super) type Area<B> = DrawingArea<B, Shift>;
pub(super) type Drawn = Result<(), Box<dyn Error>>;

/// A text style in the font of all figures; `size` in pixels, of which the library takes a part away.
pub(super) fn font(size: f64, colour: RGBColor) -> TextStyle<'static> {
    ("system-ui, sans-serif", size * 1.24).into_font().color(&colour)
}

/// Title and caption, and what remains below them.
pub(super) fn head<B: DrawingBackend<ErrorType: 'static>>(
    root: &Area<B>,
    figure: &Figure,
) -> Result<Area<B>, Box<dyn Error>> {
    root.fill(&WHITE)?;
    root.draw(&Text::new(figure.title.clone(), (16, 14), font(16.0, INK)))?;
    let mut y = 37;
    for line in wrap(&figure.caption).lines() {
        root.draw(&Text::new(line.to_owned(), (16, y), font(11.5, SOFT)))?;
        y += 16;
    }
    Ok(root.split_vertically(y + 8).1)
}

/// Draws a figure of curves.
pub(super) fn draw<B: DrawingBackend<ErrorType: 'static>>(
    root: &Area<B>,
    figure: &Figure,
    series: &[Series],
    rules: &[Rule],
) -> Drawn {
    let area = legend(&head(root, figure)?, series)?;
    let points = || series.iter().flat_map(|own| own.points.iter().flatten());
    let across: Vec<f64> = points().map(|point| point.0).collect();
    let ends =
        series.iter().flat_map(|own| own.ranges.iter().flat_map(|(_, low, high)| [*low, *high]));
    let mut up: Vec<f64> = points().map(|point| point.1).chain(ends).collect();
    // A limit that is near enough belongs to the picture.
    let most = up.iter().copied().fold(0.0, f64::max);
    up.extend(
        rules.iter().filter(|rule| !rule.vertical && rule.at < 3.0 * most).map(|rule| rule.at),
    );
    let (x, y) = (placed(&figure.x.scale, &across), placed(&figure.y.scale, &up));
    let mut chart = ChartBuilder::on(&area)
        .margin_left(14)
        .margin_right(24)
        .margin_top(8)
        .margin_bottom(10)
        .x_label_area_size(52)
        .y_label_area_size(68)
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINE)
        .axis_style(LINE)
        .x_labels(x.ticks.len())
        .y_labels(y.ticks.len())
        .label_style(font(12.0, INK))
        .axis_desc_style(font(13.0, INK))
        .x_desc(figure.x.title.clone())
        .y_desc(figure.y.title.clone())
        .draw()?;
    let to =
        |(across, up): (f64, f64)| (place(&figure.x.scale, across), place(&figure.y.scale, up));
    for rule in rules {
        let [from, until] = if rule.vertical {
            let at = place(&figure.x.scale, rule.at);
            [(at, y.from), (at, y.to)]
        } else {
            let at = place(&figure.y.scale, rule.at);
            [(x.from, at), (x.to, at)]
        };
        let inside = |value: f64, axis: &Placed| value >= axis.from && value <= axis.to;
        if inside(from.0, &x) && inside(from.1, &y) {
            chart.draw_series(DashedLineSeries::new(
                [from, until],
                6,
                4,
                ShapeStyle::from(&SOFT),
            ))?;
            let anchor = if rule.vertical {
                Pos::new(HPos::Left, VPos::Top)
            } else {
                Pos::new(HPos::Right, VPos::Bottom)
            };
            chart.draw_series([Text::new(
                rule.text.clone(),
                until,
                font(11.0, SOFT).pos(anchor),
            )])?;
        }
    }
    for own in series {
        let colour = own_colour(own);
        chart.draw_series(
            own.crosses.iter().map(|at| Cross::new(to(*at), 4, colour.stroke_width(2))),
        )?;
        chart.draw_series(own.ranges.iter().map(|(at, low, high)| {
            PathElement::new([to((*at, *low)), to((*at, *high))], colour.stroke_width(1))
        }))?;
        if own.joined {
            // A gap ends a line, and a point between gaps is none.
            for part in own.points.split(Option::is_none).filter(|part| !part.is_empty()) {
                if let [Some(point)] = part {
                    chart.draw_series([Marker { at: to(*point), series: own.colour, colour }])?;
                    continue;
                }
                let part: Vec<(f64, f64)> = part.iter().flatten().map(|point| to(*point)).collect();
                match dashes(own.colour, own.dash) {
                    [] => chart
                        .draw_series(LineSeries::new(part, colour.stroke_width(2)))
                        .map(|_| ())?,
                    [on, off, ..] => chart
                        .draw_series(DashedLineSeries::new(part, *on, *off, colour.stroke_width(2)))
                        .map(|_| ())?,
                    [on] => chart
                        .draw_series(DashedLineSeries::new(part, *on, *on, colour.stroke_width(2)))
                        .map(|_| ())?,
                }
            }
        } else {
            chart.draw_series(own.points.iter().flatten().map(|point| Marker {
                at: to(*point),
                series: own.colour,
                colour,
            }))?;
        }
    }
    Ok(())
}

fn own_colour(series: &Series) -> RGBColor {
    let [red, green, blue] = colour(series.colour);
    RGBColor(red, green, blue)
}

/// Names of series in as many rows as they need, and what remains below them.
pub(super) fn legend<B: DrawingBackend<ErrorType: 'static>>(
    area: &Area<B>,
    series: &[Series],
) -> Result<Area<B>, Box<dyn Error>> {
    let named: Vec<&Series> = series.iter().filter(|own| !own.name.is_empty()).collect();
    if named.is_empty() {
        return Ok(area.clone());
    }
    let (mut x, mut y) = (16, 10);
    for own in &named {
        let wide = 42 + (own.name.chars().count() as f64 * LETTER) as i32 + 14;
        if x > 16 && x + wide > WIDE as i32 - 16 {
            (x, y) = (16, y + 20);
        }
        let colour = own_colour(own);
        if own.joined {
            let line = vec![(x, y), (x + 30, y)];
            match dashes(own.colour, own.dash) {
                [] => area.draw(&PathElement::new(line, colour.stroke_width(2)))?,
                [on, rest @ ..] => {
                    let off = *rest.first().unwrap_or(on);
                    for from in (x..x + 30).step_by((on + off) as usize) {
                        area.draw(&PathElement::new(
                            vec![(from, y), ((from + *on as i32).min(x + 30), y)],
                            colour.stroke_width(2),
                        ))?;
                    }
                }
            }
        } else {
            area.draw(&Marker { at: (x + 15, y), series: own.colour, colour })?;
        }
        area.draw(&Text::new(
            own.name.clone(),
            (x + 38, y),
            font(12.0, INK).pos(Pos::new(HPos::Left, VPos::Center)),
        ))?;
        x += wide;
    }
    Ok(area.split_vertically(y + 14).1)
}
