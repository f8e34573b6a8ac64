//! Panels of dots with ellipses: RFC 7928, section 2.7, draws goodput over delay like this.

use super::sheet::{Entry, Sheet};
use crate::model::{Figure, TradePanel, Trades};
use crate::number::short;
use crate::shape::{Anchor, Paint, Point, Shape, circle, rectangle};
use crate::text;

/// Most panels in a row, and the least width of a panel in pixels at a text size of 12 pixels.
const COLUMNS: usize = 4;
const LEAST: f64 = 150.0;
/// Height of a panel as a part of its width.
const ASPECT: f64 = 0.65;

pub(super) fn draw(sheet: &mut Sheet, figure: &Figure, trades: &Trades) {
    let entry = |(colour, name)| Entry { name, colour, line: None };
    let names = trades.names.iter().map(String::as_str);
    sheet.legend(&names.enumerate().map(entry).collect::<Vec<_>>());
    let points = || trades.panels.iter().flat_map(|panel| panel.series.iter().flatten());
    let (right_percent, up_percent) = trades.percent;
    let across = Range::over(points().map(|point| point[0]), right_percent);
    let up = Range::over(points().map(|point| point[1]), up_percent);
    let (size, margin, gap) = (sheet.style.font, sheet.margin(), sheet.px(14.0));
    let left = margin
        + 1.4 * size
        + text::width(&short(up.high), size).max(text::width(&short(up.low), size))
        + sheet.px(6.0);
    let wide = sheet.style.width - left - margin;
    let fit = (wide / sheet.px(LEAST)) as usize;
    let columns = fit.clamp(1, COLUMNS).min(trades.panels.len().max(1));
    let width = (wide - gap * (columns - 1) as f64) / columns.max(2) as f64;
    let height = ASPECT * width;
    let first = sheet.y;
    for row in trades.panels.chunks(columns) {
        let top = sheet.y + 2.6 * size;
        for (column, panel) in row.iter().enumerate() {
            let left = left + column as f64 * (width + gap);
            let area = [left, top, left + width, top + height];
            one(sheet, panel, &trades.names, area, (&across, &up));
        }
        if sheet.y == first {
            let labels = left - sheet.px(6.0);
            sheet.text(short(up.high), [labels, top + 0.6 * size], Anchor::End, Paint::Soft);
            let low = [labels, top + height - 0.4 * size];
            sheet.text(short(up.low), low, Anchor::End, Paint::Soft);
        }
        sheet.y = top + height + sheet.px(8.0);
    }
    let foot = sheet.y + 0.4 * size;
    sheet.text(short(across.low), [left, foot], Anchor::Start, Paint::Soft);
    sheet.text(short(across.high), [left + width, foot], Anchor::End, Paint::Soft);
    let middle = [left + wide / 2.0, foot + 1.4 * size];
    sheet.text(figure.x.title.as_str(), middle, Anchor::Middle, Paint::Ink);
    sheet.shapes.push(Shape::Text {
        text: figure.y.title.clone(),
        at: [margin + 0.6 * size, (first + sheet.y) / 2.0],
        size,
        anchor: Anchor::Middle,
        angle: -90.0,
        bold: false,
        paint: Paint::Ink,
    });
    sheet.y = foot + 2.4 * size;
}

fn one(
    sheet: &mut Sheet,
    panel: &TradePanel,
    names: &[String],
    area: [f64; 4],
    axes: (&Range, &Range),
) {
    let [left, top, right, bottom] = area;
    let size = sheet.style.font;
    let title = text::fitted(&panel.title, size, right - left);
    sheet.text(title, [left, top - 1.9 * size], Anchor::Start, Paint::Ink);
    let below = text::fitted(&panel.subtitle, size, right - left);
    sheet.text(below, [left, top - 0.7 * size], Anchor::Start, Paint::Soft);
    sheet.shapes.push(rectangle([left, top], [right, bottom], Paint::Line, 0.35));
    let at = |own: &[f64; 2]| -> Point {
        [left + (right - left) * axes.0.part(own[0]), bottom - (bottom - top) * axes.1.part(own[1])]
    };
    // The first series is drawn last, on top.
    for (colour, own) in panel.series.iter().enumerate().rev() {
        let places: Vec<Point> = own.iter().map(at).collect();
        let Some(ellipse) = Ellipse::of(&places) else { continue };
        let least = sheet.px(3.0);
        let mut shapes = vec![Shape::Ellipse {
            centre: ellipse.centre,
            half: ellipse.half.map(|half| half.max(least)),
            angle: ellipse.angle,
            paint: Paint::Case(colour),
            opacity: 0.25,
        }];
        let dot = |place: &Point| circle(*place, sheet.px(2.0), Paint::Case(colour));
        shapes.extend(places.iter().map(dot));
        let tip = names.get(colour).cloned().unwrap_or_default();
        sheet.shapes.push(Shape::Group { tip, shapes });
    }
}

/// The values of an axis.
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// Returns the axis of these values. It begins at zero unless all values are far from zero. An
    /// axis of percentages ends at 100 at the latest.
    fn over(values: impl Iterator<Item = f64> + Clone, percent: bool) -> Range {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        let room = 0.1 * (most - least).max(0.02 * most).max(1e-9);
        let high = if percent && most <= 100.0 { (most + room).min(100.0) } else { most + room };
        Range { low: if least < 0.5 * most { 0.0 } else { least - room }, high }
    }

    /// Returns the part of the axis before a value, from 0 to 1.
    fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// The mean of points, and the ellipse of one standard deviation of the normal distribution with
/// the covariance of the points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ellipse {
    centre: Point,
    /// Longer and shorter half axis.
    half: [f64; 2],
    /// Angle between the first coordinate and the longer axis, in degrees.
    angle: f64,
}

impl Ellipse {
    /// Returns the ellipse of points; `None` without points. For a single point, or for equal
    /// points, the half axes are zero.
    fn of(points: &[Point]) -> Option<Ellipse> {
        let count = points.len() as f64;
        if points.is_empty() {
            return None;
        }
        let mean = |of: &dyn Fn(&Point) -> f64| points.iter().map(of).sum::<f64>() / count;
        let centre = [mean(&|own| own[0]), mean(&|own| own[1])];
        let covariance = |a: usize, b: usize| {
            let sum = mean(&|own| (own[a] - centre[a]) * (own[b] - centre[b])) * count;
            sum / (count - 1.0).max(1.0)
        };
        let (xx, xy, yy) = (covariance(0, 0), covariance(0, 1), covariance(1, 1));
        let (middle, off) = ((xx + yy) / 2.0, libm::hypot((xx - yy) / 2.0, xy));
        let half = [middle + off, (middle - off).max(0.0)].map(f64::sqrt);
        Some(Ellipse { centre, half, angle: libm::atan2(2.0 * xy, xx - yy).to_degrees() / 2.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipse_has_the_axes_of_the_covariance() {
        // Points on a line of slope 1/2 with variances 20/3 and 5/3. The variance along the line is
        // their sum.
        let own = Ellipse::of(&[[0.0, 0.0], [2.0, 1.0], [4.0, 2.0], [6.0, 3.0]]).unwrap();
        assert_eq!(own.centre, [3.0, 1.5]);
        assert!(
            (own.half[0] - (25.0_f64 / 3.0).sqrt()).abs() < 1e-9 && own.half[1] < 1e-6,
            "{own:?}"
        );
        assert!((own.angle - 0.5_f64.atan().to_degrees()).abs() < 1e-9, "{own:?}");
    }

    #[test]
    fn without_covariance_it_lies_along_the_coordinates() {
        // (±3, 0) and (0, ±1) have variances 18/3 and 2/3.
        let own = Ellipse::of(&[[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]).unwrap();
        assert!(
            (own.half[0] - 6.0_f64.sqrt()).abs() < 1e-9
                && (own.half[1] - (2.0_f64 / 3.0).sqrt()).abs() < 1e-9,
            "{own:?}"
        );
        assert_eq!(own.angle, 0.0);
        let upright = Ellipse::of(&[[0.0, 3.0], [0.0, -3.0]]).unwrap();
        assert_eq!(upright.angle, 90.0);
    }

    #[test]
    fn an_axis_begins_at_zero_unless_values_are_far_from_it() {
        let near = Range::over([2.0, 10.0].into_iter(), false);
        assert_eq!((near.low, near.part(10.0) < 1.0), (0.0, true));
        let far = Range::over([97.0, 99.0].into_iter(), true);
        assert!(
            (far.low - 96.8).abs() < 1e-9 && (far.high - 99.2).abs() < 1e-9,
            "{} {}",
            far.low,
            far.high
        );
        assert!(Range::over([100.0, 100.0].into_iter(), true).part(100.0) == 1.0);
        assert!(Range::over([0.0].into_iter(), false).part(0.0).is_finite());
    }

    #[test]
    fn a_single_seed_is_a_point() {
        assert_eq!(
            Ellipse::of(&[[1.0, 2.0]]),
            Some(Ellipse { centre: [1.0, 2.0], half: [0.0, 0.0], angle: 0.0 })
        );
        assert_eq!(Ellipse::of(&[]), None);
    }
}
