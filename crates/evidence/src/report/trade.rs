//! Cells of two numbers, one to gain and one to keep low: a panel each, with an ellipse for each controller, as RFC 7928, section 2.7, draws goodput over delay.

use super::cell::CheckedCell;
use super::digits::short;
use super::model::CheckedCriterion;
use narrows_report::escape;

/// Pixels of a panel, without the space for its name above it.
const WIDE: f64 = 200.0;
const TALL: f64 = 130.0;
const NAME: f64 = 34.0;
/// Pixels of the numbers at the axes, and between panels.
const LEFT: f64 = 46.0;
const BELOW: f64 = 40.0;
const GAP: f64 = 14.0;
const COLUMNS: usize = 4;
/// More panels are left out, for the table has their numbers.
const MOST: usize = 12;

/// Where the seeds of a controller lie: their mean, and the half axes of the ellipse of one standard deviation of the normal distribution with their covariance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// The mean, both in pixels from the left and from above.
    pub centre: [f64; 2],
    /// The longer half axis and the shorter one.
    pub half: [f64; 2],
    /// The angle from the first coordinate to the longer axis, in degrees.
    pub angle: f64,
}

impl Ellipse {
    /// That of points; `None` of none. Of one point, or of points that are all alike, the half axes are zero.
    pub fn of(points: &[[f64; 2]]) -> Option<Ellipse> {
        let count = points.len() as f64;
        if points.is_empty() {
            return None;
        }
        let mean = |of: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(of).sum::<f64>() / count;
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

/// The values that an axis shows.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// One over all these values, from zero on unless they are all far from it. Shares of a whole end with the whole.
    fn over(values: impl Iterator<Item = f64> + Clone, unit: &str) -> Axis {
        let (least, most) =
            (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
        let room = 0.1 * (most - least).max(0.02 * most).max(1e-9);
        let high =
            if unit == "%" && most <= 100.0 { (most + room).min(100.0) } else { most + room };
        Axis { low: if least < 0.5 * most { 0.0 } else { least - room }, high }
    }

    /// How far along it a value is, from 0 to 1.
    fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// The panels of a criterion whose rules compare two numbers, for each such pair, the worst cell first; nothing if it has none.
pub fn trades(own: &CheckedCriterion) -> String {
    let measures =
        |cell: &CheckedCell| Some((cell.measure.clone(), cell.second.as_ref()?.measure.clone()));
    let mut all: Vec<(String, String)> = own.cells.iter().filter_map(measures).collect();
    all.sort();
    all.dedup();
    let of = |pair: &(String, String)| {
        own.cells.iter().filter(|cell| measures(cell).as_ref() == Some(pair)).take(MOST).collect()
    };
    all.iter().map(|pair| trade(of(pair))).collect()
}

/// The panels of cells of the same two numbers.
fn trade(cells: Vec<&CheckedCell>) -> String {
    let pairs = cells
        .iter()
        .flat_map(|cell| points(cell))
        .flat_map(|(_, points)| points)
        .collect::<Vec<_>>();
    let Some(first) = cells.first().filter(|_| !pairs.is_empty()) else { return String::new() };
    let second = first.second.as_ref().expect("they have one");
    let axes = [(0, &second.unit), (1, &first.unit)]
        .map(|(axis, unit)| Axis::over(pairs.iter().map(|own| own[axis]), unit));
    let columns = cells.len().min(COLUMNS);
    let rows = cells.len().div_ceil(COLUMNS);
    let panels: String =
        cells.iter().enumerate().map(|(place, cell)| panel(place, cell, &axes)).collect();
    let (wide, tall) = (LEFT + columns as f64 * (WIDE + GAP), rows as f64 * (TALL + NAME) + BELOW);
    let unit = |unit: &str| if unit.is_empty() { String::new() } else { format!(", {unit}") };
    let (up, right) = (
        format!("{}{}", first.measure, unit(&first.unit)),
        format!("{}{}", second.measure, unit(&second.unit)),
    );
    let foot = rows as f64 * (TALL + NAME) + 16.0;
    let end = |x: f64, y: f64, anchor: &str, value: f64| {
        format!(
            "<text class=\"soft\" x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\">{}</text>",
            short(value)
        )
    };
    let ends = [
        end(LEFT - 6.0, NAME + 10.0, "end", axes[1].high),
        end(LEFT - 6.0, NAME + TALL, "end", axes[1].low),
        end(LEFT, foot, "start", axes[0].low),
        end(LEFT + WIDE, foot, "end", axes[0].high),
    ]
    .concat();
    let keys: String = points(first)
        .iter()
        .enumerate()
        .map(|(series, (name, _))| format!("{} {} ", dot(series), escape(name)))
        .collect();
    format!(
        "<div class=\"track\"><h3>{} over {}</h3><p class=\"hint\">{keys}</p><svg viewBox=\"0 0 {wide} {tall}\" style=\"max-width:{wide}px\" role=\"img\" \
         aria-label=\"{0} over {1} in {} cells\">{panels}{ends}</svg><p class=\"hint\">Up: {}, right: {}; better is up and left. A dot is a seed, an ellipse holds one standard \
         deviation around their mean. All panels have the same scale.</p></div>\n",
        escape(&first.measure),
        escape(&second.measure),
        cells.len(),
        escape(&up),
        escape(&right),
    )
}

fn dot(series: usize) -> String {
    format!("<span style=\"color:var(--case-{})\">\u{25cf}</span>", series.min(6))
}

/// For each controller, the second number and the first of each seed that has both.
fn points(cell: &CheckedCell) -> Vec<(&str, Vec<[f64; 2]>)> {
    let Some(second) = &cell.second else { return Vec::new() };
    let both = |first: &[Option<f64>], second: &[Option<f64>]| -> Vec<[f64; 2]> {
        first
            .iter()
            .zip(second)
            .filter_map(|(first, second)| Some([(*second)?, (*first)?]))
            .collect()
    };
    let beside = cell
        .beside
        .iter()
        .zip(&second.beside)
        .map(|(first, second)| (first.of.as_str(), both(&first.values, &second.values)));
    std::iter::once((cell.of.as_str(), both(&cell.subject, &second.subject)))
        .chain(beside)
        .collect()
}

fn panel(place: usize, cell: &CheckedCell, axes: &[Axis; 2]) -> String {
    let left = LEFT + (place % COLUMNS) as f64 * (WIDE + GAP);
    let top = NAME + (place / COLUMNS) as f64 * (TALL + NAME);
    let mut body = format!(
        "<rect class=\"panel\" x=\"{left}\" y=\"{top}\" width=\"{WIDE}\" height=\"{TALL}\"/><text x=\"{left}\" y=\"{:.0}\">{}</text><text class=\"soft\" x=\"{left}\" \
         y=\"{:.0}\">{}</text>",
        top - 20.0,
        escape(&cell.cell),
        top - 6.0,
        escape(&cell.verdict),
    );
    let at = |own: &[f64; 2]| {
        [left + WIDE * axes[0].part(own[0]), top + TALL * (1.0 - axes[1].part(own[1]))]
    };
    // The controller that is judged is drawn last, on top.
    for (series, (name, own)) in points(cell).iter().enumerate().rev() {
        let colour = format!("var(--case-{})", series.min(6));
        let places: Vec<[f64; 2]> = own.iter().map(at).collect();
        let Some(ellipse) = Ellipse::of(&places) else { continue };
        let Ellipse { centre: [x, y], half: [long, short], angle } = ellipse;
        let dots: String = places
            .iter()
            .map(|[x, y]| {
                format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"{colour}\"/>")
            })
            .collect();
        body += &format!(
            "<g><title>{}</title><ellipse cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{:.1}\" ry=\"{:.1}\" transform=\"rotate({angle:.1} {x:.1} {y:.1})\" fill=\"{colour}\" \
             fill-opacity=\"0.25\" stroke=\"{colour}\"/>{dots}</g>",
            escape(name),
            long.max(3.0),
            short.max(3.0),
        );
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipse_has_the_axes_of_the_covariance() {
        // Variances 20/3 and 0 along a line of slope 1/2: (0, 0), (2, 1), (4, 2), (6, 3); the variance along it is 20/3 + 5/3.
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
        // (±3, 0) and (0, ±1): variances 18/3 and 2/3.
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
        let near = Axis::over([2.0, 10.0].into_iter(), "ms");
        assert_eq!((near.low, near.part(10.0) < 1.0), (0.0, true));
        let far = Axis::over([97.0, 99.0].into_iter(), "%");
        assert!(
            (far.low - 96.8).abs() < 1e-9 && (far.high - 99.2).abs() < 1e-9,
            "{} {}",
            far.low,
            far.high
        );
        assert!(Axis::over([100.0, 100.0].into_iter(), "%").part(100.0) == 1.0);
        assert!(Axis::over([0.0].into_iter(), "ms").part(0.0).is_finite());
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
