//! Lines, dots and limits over two axes.

use super::axes::Frame;
use super::sheet::{Entry, Sheet};
use crate::label::Labels;
use crate::model::{Axis, Figure, Rule, Series};
use crate::shape::{Anchor, Paint, Point, Shape, line, marker};
use std::ops::RangeInclusive;

/// Height of the plot as a part of the figure's width.
const ASPECT: f64 = 0.42;
/// A horizontal limit is in the picture if it is less than this many times the largest value.
const NEAR: f64 = 3.0;
/// Lines with this many points have a marker at each point. Lines with fewer points are rules; more
/// markers would hide the line.
const MARKED: RangeInclusive<usize> = 3..=24;

pub(super) fn draw(sheet: &mut Sheet, figure: &Figure, series: &[Series], rules: &[Rule]) {
    let entries: Vec<Entry<'_>> = series
        .iter()
        .filter(|own| !own.name.is_empty())
        .map(|own| Entry {
            name: &own.name,
            colour: own.colour,
            line: own.joined.then_some(own.dash),
        })
        .collect();
    sheet.legend(&entries);
    sheet.y += sheet.px(4.0);
    let points = || series.iter().flat_map(|own| own.points.iter().flatten());
    let across: Vec<f64> = points().map(|point| point.0).collect();
    let ends =
        series.iter().flat_map(|own| own.ranges.iter().flat_map(|(_, low, high)| [*low, *high]));
    let mut up: Vec<f64> = points().map(|point| point.1).chain(ends).collect();
    let most = up.iter().copied().fold(0.0, f64::max);
    let near = rules.iter().filter(|rule| !rule.vertical && rule.at < NEAR * most);
    up.extend(near.map(|rule| rule.at));
    // The title above the figure may already be the title of the vertical axis.
    let titled = sheet.style.titled && figure.y.title == figure.title;
    let y = match titled {
        true => &Axis { title: String::new(), scale: figure.y.scale.clone() },
        false => &figure.y,
    };
    let height = (ASPECT * sheet.style.width).max(sheet.px(110.0));
    let frame = sheet.frame((&figure.x, y), (&across, &up), height, true);
    limits(sheet, figure, &frame, rules);
    let at =
        |(across, up): (f64, f64)| frame.at(figure.x.scale.place(across), figure.y.scale.place(up));
    for own in series {
        one(sheet, own, at);
    }
}

/// Draws dashed lines with their names, so that no name covers another.
fn limits(sheet: &mut Sheet, figure: &Figure, frame: &Frame, rules: &[Rule]) {
    let size = sheet.px(11.0);
    let mut labels = Labels::new(size);
    // Labels must not lie across a limit.
    for rule in rules {
        let scale = if rule.vertical { &figure.x.scale } else { &figure.y.scale };
        let [x, y] = match rule.vertical {
            true => frame.at(scale.place(rule.at), frame.y.from),
            false => frame.at(frame.x.from, scale.place(rule.at)),
        };
        labels.keep_free(match rule.vertical {
            true => [x, frame.top, x, frame.bottom],
            false => [frame.left, y, frame.right, y],
        });
    }
    for rule in rules {
        let scale = if rule.vertical { &figure.x.scale } else { &figure.y.scale };
        let at = scale.place(rule.at);
        let axis = if rule.vertical { &frame.x } else { &frame.y };
        if !axis.contains(at) {
            continue;
        }
        let (points, candidates) = if rule.vertical {
            let [x, _] = frame.at(at, frame.y.from);
            let (left, right) = (x - sheet.px(4.0), x + sheet.px(4.0));
            let fits = right + crate::text::width(&rule.text, size) <= frame.right;
            let rows = [frame.top + size, frame.bottom - size, frame.top + 2.4 * size];
            let side = if fits { (right, Anchor::Start) } else { (left, Anchor::End) };
            let places: Vec<(Point, Anchor)> =
                rows.iter().map(|row| ([side.0, *row], side.1)).collect();
            (vec![[x, frame.top], [x, frame.bottom]], places)
        } else {
            let [_, y] = frame.at(frame.x.from, at);
            let above = y - 0.8 * size;
            let below = y + 0.8 * size;
            let fits = above - 0.5 * size >= frame.top;
            let rows = if fits { [above, below] } else { [below, above] };
            let (left, right) = (frame.left + sheet.px(4.0), frame.right - sheet.px(4.0));
            let places = [(right, Anchor::End), (left, Anchor::Start)]
                .iter()
                .flat_map(|(x, anchor)| rows.iter().map(|row| ([*x, *row], *anchor)))
                .collect();
            (vec![[frame.left, y], [frame.right, y]], places)
        };
        sheet.shapes.push(Shape::Line {
            points,
            width: sheet.px(1.0),
            dashes: vec![sheet.px(6.0), sheet.px(4.0)],
            paint: Paint::Soft,
        });
        sheet.shapes.extend(labels.place(&rule.text, &candidates));
    }
}

fn one(sheet: &mut Sheet, own: &Series, at: impl Fn((f64, f64)) -> Point) {
    let (paint, unit) = (Paint::Case(own.colour), sheet.px(1.0));
    for (x, low, high) in &own.ranges {
        sheet.shapes.push(line(at((*x, *low)), at((*x, *high)), 1.2 * unit, paint));
    }
    if own.joined {
        // A gap ends a line, and a point between two gaps is a marker.
        for part in own.points.split(Option::is_none).filter(|part| !part.is_empty()) {
            let points: Vec<Point> = part.iter().flatten().map(|point| at(*point)).collect();
            if points.len() > 1 {
                let line = sheet.stroke(points.clone(), own.colour, own.dash);
                sheet.shapes.push(line);
            }
            if points.len() == 1 || MARKED.contains(&own.points.len()) {
                let scale = 0.8 * unit;
                sheet.shapes.extend(points.iter().map(|at| marker(*at, own.colour, scale)));
            }
        }
    } else {
        let points = own.points.iter().flatten();
        sheet.shapes.extend(points.map(|point| marker(at(*point), own.colour, unit)));
    }
    for cross in &own.crosses {
        let [x, y] = at(*cross);
        let arm = 3.5 * unit;
        for slope in [1.0, -1.0] {
            let ends = ([x - arm, y - slope * arm], [x + arm, y + slope * arm]);
            sheet.shapes.push(line(ends.0, ends.1, 1.5 * unit, paint));
        }
    }
}
