//! Changes of the network, as marks in the plots over time.

use super::lines::Instant;
use crate::Comparison;
use narrows_measure::{Change, Record};
use narrows_units::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// Largest number of changes listed at one mark. The Parquet table has all changes.
const MOST: usize = 6;

/// A vertical line across the plots, with the texts that it shows on hover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Line {
    /// The case with the change; `None` if all cases change alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<usize>,
    at: Instant,
    texts: Vec<String>,
}

/// Returns the changes of all cases, only once if they are the same in every case.
pub(crate) fn lines(comparison: &Comparison) -> Vec<Line> {
    let own = |case: &crate::Case| case.runs.first().map_or(vec![], lines_of);
    let all: Vec<Vec<Line>> = comparison.cases.iter().map(own).collect();
    if all.windows(2).all(|pair| pair[0] == pair[1]) {
        return all.into_iter().next().unwrap_or_default();
    }
    let told = |(case, lines): (usize, Vec<Line>)| {
        lines.into_iter().map(move |line| Line { case: Some(case), ..line })
    };
    all.into_iter().enumerate().flat_map(told).collect()
}

/// Returns a line for each time of change. A ramp has two lines, at its ends. Changes in quick
/// succession share a line.
fn lines_of(run: &Record) -> Vec<Line> {
    let mut lines: Vec<(Time, Vec<String>)> = Vec::new();
    for (change, of, until) in told(run) {
        let ramp = until.map_or(String::new(), |until| format!(", and on until {until}"));
        let text = format!("{}: {of}: {} {}{ramp}", change.at, change.what.name(), change.to);
        match lines.last_mut().filter(|(at, _)| change.at.since(*at) <= run.duration / 400) {
            Some((_, texts)) => texts.push(text),
            None => lines.push((change.at, vec![text])),
        }
    }
    let line = |(at, mut texts): (Time, Vec<String>)| {
        let more = texts.len().saturating_sub(MOST);
        texts.truncate(MOST);
        texts.extend((more > 0).then(|| format!("and {more} more")));
        Line { case: None, at: Instant(at.as_secs_f64()), texts }
    };
    lines.into_iter().map(line).collect()
}

/// Returns the changes to show, each with the names of all links or flows that change alike at that
/// time. The first change of a ramp has the ramp's end.
fn told(run: &Record) -> Vec<(&Change, String, Option<Time>)> {
    let mut alike: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (index, change) in run.changes.iter().enumerate() {
        alike.entry((&change.of, change.what.name())).or_default().push(index);
    }
    let at = |index: usize| run.changes[index].at;
    let mut ends: BTreeMap<usize, Option<Time>> = BTreeMap::new();
    for ramp in alike
        .values()
        .flat_map(|places| places.chunk_by(|a, b| at(*b).since(at(*a)) < run.duration / 100))
    {
        match ramp {
            [first, .., last] if ramp.len() > 2 => {
                ends.extend([(*first, Some(at(*last))), (*last, None)])
            }
            few => ends.extend(few.iter().map(|index| (*index, None))),
        }
    }
    let mut told: Vec<(&Change, String, Option<Time>)> = Vec::new();
    for (index, until) in ends {
        let change = &run.changes[index];
        let twin = told.iter_mut().rev().take_while(|(other, ..)| other.at == change.at);
        let twin = twin
            .filter(|(other, _, end)| {
                (other.what, &other.to, *end) == (change.what, &change.to, until)
            })
            .last();
        match twin {
            Some((_, of, _)) => *of += &format!(", {}", change.of),
            None => told.push((change, change.of.clone(), until)),
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_measure::Changed;
    use narrows_units::Span;

    fn texts(changes: &[(u64, &str, Changed, &str)]) -> Vec<(f64, Vec<String>)> {
        let change = |(ms, of, what, to): &(u64, &str, Changed, &str)| Change {
            at: Time::ZERO + Span::from_millis(*ms),
            of: (*of).to_owned(),
            what: *what,
            to: (*to).to_owned(),
        };
        let run = Record {
            duration: Span::from_secs(100),
            changes: changes.iter().map(change).collect(),
            ..crate::tables::no_rows()
        };
        lines_of(&run).into_iter().map(|line| (line.at.0, line.texts)).collect()
    }

    #[test]
    fn twins_and_neighbours_are_told_together() {
        let told = texts(&[
            (5_000, "a", Changed::Delay, "30 ms"),
            (5_000, "a.back", Changed::Delay, "30 ms"),
            (5_100, "a", Changed::Outage, "ends"),
            (9_000, "a", Changed::Rate, "8 Mbit/s"),
        ]);
        let first =
            vec!["5 s: a, a.back: delay 30 ms".to_owned(), "5.1 s: a: outage ends".to_owned()];
        assert_eq!(told, [(5.0, first), (9.0, vec!["9 s: a: rate 8 Mbit/s".to_owned()])]);
    }

    #[test]
    fn of_a_ramp_the_ends_are_told() {
        let ramp: Vec<_> = (0..=40)
            .map(|step| {
                (
                    20_000 + 100 * step,
                    "a",
                    Changed::Rate,
                    if step == 40 { "9 Mbit/s" } else { "1 Mbit/s" },
                )
            })
            .collect();
        let ends = [
            (20.0, vec!["20 s: a: rate 1 Mbit/s, and on until 24 s".to_owned()]),
            (24.0, vec!["24 s: a: rate 9 Mbit/s".to_owned()]),
        ];
        assert_eq!(texts(&ramp), ends);
    }
}
