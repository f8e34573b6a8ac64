//! The ends of axes, and their ticks.

use crate::model::Scale;
use crate::number::plain;

/// An axis as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub from: f64,
    pub to: f64,
    /// Places between the ends, with their labels.
    pub ticks: Vec<(f64, String)>,
}

impl Placed {
    /// Returns the part of the axis before a place, from 0 to 1.
    pub fn part(&self, at: f64) -> f64 {
        (at - self.from) / (self.to - self.from)
    }

    /// True if the axis contains the place.
    pub fn contains(&self, at: f64) -> bool {
        at >= self.from && at <= self.to
    }
}

impl Scale {
    /// Returns the place of a value on the axis.
    pub(crate) fn place(&self, value: f64) -> f64 {
        match self {
            Scale::Linear { .. } | Scale::Named(_) => value,
            Scale::Backwards => -value,
            Scale::Log(_) => magnitude(value),
        }
    }

    /// Returns the axis of these values, with at most `ticks` ticks unless the scale names them.
    pub(crate) fn over(&self, values: &[f64], ticks: f64) -> Placed {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (least, most) = if least <= most { (least, most) } else { (0.0, 1.0) };
        match self {
            Scale::Named(names) => {
                let named = names.iter().enumerate();
                let ticks = named.map(|(index, name)| (index as f64, name.clone())).collect();
                Placed { from: -0.5, to: names.len() as f64 - 0.5, ticks }
            }
            Scale::Log(labels) => {
                let (from, to) = (magnitude(least), magnitude(most));
                let room = (to - from).max(0.1) * 0.04;
                let (from, to) = (from - room, to + room);
                let all = labels.iter().map(|(value, label)| (magnitude(*value), label.clone()));
                let mut shown: Vec<_> = all.filter(|(at, _)| (from..=to).contains(at)).collect();
                // Too many labels would overlap: leave out every second one.
                while shown.len() as f64 > ticks.max(2.0) {
                    shown = shown.into_iter().step_by(2).collect();
                }
                Placed { from, to, ticks: shown }
            }
            Scale::Linear { zero } => {
                let least = if *zero { least.min(0.0) } else { least };
                let (from, to) = around(least, most);
                let from = if least == 0.0 { 0.0 } else { from };
                Placed { from, to, ticks: steps(from, to, ticks) }
            }
            Scale::Backwards => {
                let (from, to) = around(least, most);
                let all = steps(from, to, ticks).into_iter().rev();
                Placed { from: -to, to: -from, ticks: all.map(|(at, text)| (-at, text)).collect() }
            }
        }
    }
}

fn magnitude(value: f64) -> f64 {
    libm::log10(value.max(f64::MIN_POSITIVE))
}

/// Returns the ends with a little room on both sides.
fn around(least: f64, most: f64) -> (f64, f64) {
    let width = if most > least { most - least } else { most.abs().max(1.0) * 0.2 };
    (least - 0.06 * width, most + 0.06 * width)
}

/// Returns round numbers between the ends, at one, two or five times a power of ten. Labels have as
/// many digits as tell neighbours apart.
fn steps(from: f64, to: f64, most: f64) -> Vec<(f64, String)> {
    let rough = (to - from) / most.max(2.0);
    let power = libm::pow(10.0, libm::log10(rough).floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|times| times * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power);
    let first = (from / step).ceil() as i64;
    let places: Vec<f64> = (first..).map(|k| k as f64 * step).take_while(|at| *at <= to).collect();
    let mut labels: Vec<String> = places.iter().map(|at| plain(*at)).collect();
    if labels.windows(2).any(|two| two[0] == two[1]) {
        let decimals = (-(libm::log10(step) + 1e-9).floor()).max(0.0) as usize;
        labels = places.iter().map(|at| format!("{at:.decimals$}")).collect();
    }
    places.into_iter().zip(labels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(placed: &Placed) -> String {
        placed.ticks.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let axis = Scale::Linear { zero: true }.over(&[12.0, 96.5], 8.0);
        assert_eq!((axis.from, labels(&axis)), (0.0, "0 20 40 60 80 100".to_owned()));
        assert_eq!(
            labels(&Scale::Linear { zero: false }.over(&[0.992, 0.999], 8.0)),
            "0.992 0.993 0.994 0.995 0.996 0.997 0.998 0.999"
        );
        let close = Scale::Linear { zero: false }.over(&[19.21, 19.23], 4.0);
        assert_eq!(labels(&close), "19.21 19.22 19.23");
        let backwards = Scale::Backwards.over(&[30.0, 90.0], 8.0);
        assert!(backwards.from < -90.0 && backwards.ticks[0].0 < backwards.ticks[1].0);
        assert_eq!(labels(&backwards), "90 80 70 60 50 40 30");
        assert_eq!(labels(&Scale::Backwards.over(&[30.0, 90.0], 4.0)), "80 60 40");
    }

    #[test]
    fn categories_and_magnitudes_have_a_place_each() {
        let named = Scale::Named(vec!["cubic".to_owned(), "bbr".to_owned()]).over(&[], 8.0);
        assert_eq!((named.from, named.to, labels(&named)), (-0.5, 1.5, "cubic bbr".to_owned()));
        let scale = Scale::Log(vec![(10.0, "10 kB".to_owned()), (1000.0, "1 MB".to_owned())]);
        let axis = scale.over(&[10.0, 1000.0], 8.0);
        assert_eq!((scale.place(100.0), labels(&axis)), (2.0, "10 kB 1 MB".to_owned()));
    }
}
