//! Numbers of figures as pages carry them: short, and evenly spaced places as start and step.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Significant digits of places and of values.
const DIGITS: (usize, usize) = (9, 6);

/// Coordinates along one axis.
#[derive(Serialize)]
#[serde(untagged)]
enum Along {
    /// The first place, and the distance to the next one.
    Even { from: f64, step: f64 },
    /// The places; `None` at a gap.
    Each(Vec<Option<f64>>),
}

/// Writes points as `{"x": …, "y": […]}`. A gap has no value.
pub(crate) fn points<S: Serializer>(
    points: &[Option<(f64, f64)>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let y: Vec<Short> =
        points.iter().map(|point| Short(point.map(|(_, y)| rounded(y, DIGITS.1)))).collect();
    let mut both = serializer.serialize_struct("Points", 2)?;
    both.serialize_field("x", &along(points))?;
    both.serialize_field("y", &y)?;
    both.end()
}

/// Writes intervals as lists of place, lower and upper end.
pub(crate) fn ranges<S: Serializer>(
    ranges: &[(f64, f64, f64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let short = |value: f64, digits: usize| Short(Some(rounded(value, digits)));
    serializer.collect_seq(ranges.iter().map(|(at, low, high)| {
        [short(*at, DIGITS.0), short(*low, DIGITS.1), short(*high, DIGITS.1)]
    }))
}

/// True for zero.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// Returns the places of points, as start and step if they are evenly spaced and many.
fn along(points: &[Option<(f64, f64)>]) -> Along {
    let mut there = points.iter().enumerate().filter_map(|(index, own)| Some((index, (*own)?.0)));
    let (first, last) = (there.next(), there.next_back());
    if let (Some((start, from)), Some((end, to))) = (first, last) {
        let step = (to - from) / (end - start) as f64;
        let near = |(index, at): (usize, f64)| {
            (from + (index - start) as f64 * step - at).abs() < 1e-6 * step.abs()
        };
        if points.len() > 2 && step > 0.0 && there.all(near) {
            let from = rounded(from - start as f64 * step, DIGITS.0);
            return Along::Even { from, step: rounded(step, DIGITS.0) };
        }
    }
    Along::Each(points.iter().map(|own| own.map(|(x, _)| rounded(x, DIGITS.0))).collect())
}

fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.0$e}", digits - 1).parse().unwrap_or(value)
}

/// A number that is written without ".0"; `None` at a gap.
struct Short(Option<f64>);

impl Serialize for Short {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_none(),
            Some(value) if value % 1.0 == 0.0 && value.abs() < 1e15 => {
                serializer.serialize_i64(value as i64)
            }
            Some(value) => serializer.serialize_f64(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Series;

    fn written(points: Vec<Option<(f64, f64)>>) -> String {
        let series = Series { points, ..Series::default() };
        serde_json::to_value(series).unwrap()["points"].to_string()
    }

    #[test]
    fn even_places_are_written_as_start_and_step() {
        let even = [0.1, 0.2, 0.3, 0.4].map(|x| Some((x, x / 3.0))).to_vec();
        assert_eq!(
            written(even),
            r#"{"x":{"from":0.1,"step":0.1},"y":[0.0333333,0.0666667,0.1,0.133333]}"#
        );
        let gap = vec![None, Some((2.0, 1.0)), None, Some((4.0, 3.0))];
        assert_eq!(written(gap), r#"{"x":{"from":1.0,"step":1.0},"y":[null,1,null,3]}"#);
    }

    #[test]
    fn other_places_are_written_one_by_one() {
        let uneven = vec![Some((1.0, 5.0)), None, Some((1.0, 6.0)), Some((4.0, 7.0))];
        assert_eq!(written(uneven), r#"{"x":[1.0,null,1.0,4.0],"y":[5,null,6,7]}"#);
        assert_eq!(written(vec![]), r#"{"x":[],"y":[]}"#);
    }
}
