//! Where axes begin and end, and where their labels stand.

use super::model::Scale;
use crate::number::plain;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Ticks that an axis should have, at most.
const TICKS: f64 = 8.0;

/// An axis as it is drawn.
#[derive(Clone)]
pub(super) struct Placed {
    pub from: f64,
    pub to: f64,
    pub ticks: Vec<(f64, String)>,
}

impl Ranged for Placed {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        first
            + ((value - self.from) / (self.to - self.from) * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(at, _)| *at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Placed {
    fn format(at: &f64) -> String {
        plain(*at)
    }

    /// What stands at a tick.
    fn format_ext(&self, at: &f64) -> String {
        let near =
            |(tick, _): &&(f64, String)| (tick - at).abs() <= 1e-9 * (self.to - self.from).abs();
        self.ticks.iter().find(near).map_or_else(String::new, |(_, label)| label.clone())
    }
}

/// The place of a value on its axis.
pub(super) fn place(scale: &Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear { .. } | Scale::Named(_) => value,
        Scale::Backwards => -value,
        Scale::Log(_) => magnitude(value),
    }
}

fn magnitude(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE).log10()
}

/// The axis for these values.
pub(super) fn placed(scale: &Scale, values: &[f64]) -> Placed {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (least, most) = if least <= most { (least, most) } else { (0.0, 1.0) };
    match scale {
        Scale::Named(names) => {
            let ticks = names
                .iter()
                .enumerate()
                .map(|(index, name)| (index as f64, name.clone()))
                .collect();
            Placed { from: -0.5, to: names.len() as f64 - 0.5, ticks }
        }
        Scale::Log(labels) => {
            let (from, to) = (magnitude(least), magnitude(most));
            let room = (to - from).max(0.1) * 0.04;
            let (from, to) = (from - room, to + room);
            let ticks = labels.iter().map(|(value, label)| (magnitude(*value), label.clone()));
            Placed { from, to, ticks: ticks.filter(|(at, _)| (from..=to).contains(at)).collect() }
        }
        Scale::Linear { zero } => {
            let least = if *zero { least.min(0.0) } else { least };
            let (from, to) = around(least, most);
            Placed {
                from: if least == 0.0 { 0.0 } else { from },
                to,
                ticks: steps(from.max(if least == 0.0 { 0.0 } else { from }), to),
            }
        }
        Scale::Backwards => {
            let (from, to) = around(least, most);
            let ticks = steps(from, to).into_iter().rev().map(|(at, label)| (-at, label)).collect();
            Placed { from: -to, to: -from, ticks }
        }
    }
}

/// One, two and five times powers of ten, or powers of ten alone where these are many.
pub(super) fn magnitudes(
    values: impl Iterator<Item = f64> + Clone,
    text: impl Fn(f64) -> String,
) -> Scale {
    let (least, most) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
    let (from, to) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let times: &[f64] = if to - from > 3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let all =
        (from..=to).flat_map(|power| times.iter().map(move |times| times * 10f64.powi(power)));
    Scale::Log(all.map(|value| (value, text(value))).collect())
}

/// A little room on both sides.
fn around(least: f64, most: f64) -> (f64, f64) {
    let width = if most > least { most - least } else { most.abs().max(1.0) * 0.2 };
    (least - 0.06 * width, most + 0.06 * width)
}

/// Round numbers between the ends, at one, two or five times a power of ten.
fn steps(from: f64, to: f64) -> Vec<(f64, String)> {
    let rough = (to - from) / TICKS;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|times| times * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power);
    let first = (from / step).ceil() as i64;
    (first..)
        .map(|k| k as f64 * step)
        .take_while(|at| *at <= to)
        .map(|at| (at, plain(at)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(placed: &Placed) -> String {
        placed.ticks.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let axis = placed(&Scale::Linear { zero: true }, &[12.0, 96.5]);
        assert_eq!((axis.from, labels(&axis)), (0.0, "0 20 40 60 80 100".to_owned()));
        assert_eq!(
            labels(&placed(&Scale::Linear { zero: false }, &[0.992, 0.999])),
            "0.992 0.993 0.994 0.995 0.996 0.997 0.998 0.999"
        );
        let backwards = placed(&Scale::Backwards, &[30.0, 90.0]);
        assert!(backwards.from < -90.0 && backwards.ticks[0].0 < backwards.ticks[1].0);
        assert_eq!(labels(&backwards), "90 80 70 60 50 40 30");
        assert_eq!(backwards.format_ext(&-70.0), "70");
    }

    #[test]
    fn categories_and_magnitudes_have_a_place_each() {
        let named = placed(&Scale::Named(vec!["cubic".to_owned(), "bbr".to_owned()]), &[]);
        assert_eq!((named.from, named.to, labels(&named)), (-0.5, 1.5, "cubic bbr".to_owned()));
        let scale = Scale::Log(vec![(10.0, "10 kB".to_owned()), (1000.0, "1 MB".to_owned())]);
        let axis = placed(&scale, &[10.0, 1000.0]);
        assert_eq!((place(&scale, 100.0), labels(&axis)), (2.0, "10 kB 1 MB".to_owned()));
    }
}
