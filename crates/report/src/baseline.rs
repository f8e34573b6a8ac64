//! Compares controllers with a baseline: better, worse, or undecided in each column.

use crate::columns::Results;
use crate::estimate::Estimate;
use crate::model::Comparison;
use narrows_measure::metrics::Better;
use serde::{Deserialize, Serialize};

/// The standing of a number against the baseline's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Better, beyond the intervals of both.
    Better,
    /// Worse, beyond the intervals of both.
    Worse,
    /// The intervals overlap, or the numbers hardly differ.
    Undecided,
}

/// The columns in which a controller is better or worse than the baseline, or undecided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standings {
    /// Columns in which the controller is worse.
    pub worse: Vec<String>,
    /// Columns in which the controller is better.
    pub better: Vec<String>,
    /// Columns without a visible difference.
    pub undecided: Vec<String>,
}

impl Standing {
    /// Returns the sign after a number in tables: "+", "-" or nothing.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Standing::Better => "+",
            Standing::Worse => "-",
            Standing::Undecided => "",
        }
    }

    /// Returns the CSS class of a cell in the page.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Standing::Better => "better",
            Standing::Worse => "worse",
            Standing::Undecided => "undecided",
        }
    }
}

impl Estimate {
    /// Returns the standing of this number against the baseline's; `None` if either is undefined,
    /// or if neither direction is better. The resolution is relative to the larger of the numbers
    /// and `least`.
    pub(crate) fn standing(
        &self,
        baseline: &Estimate,
        better: Better,
        least: f64,
    ) -> Option<Standing> {
        self.median.zip(baseline.median)?;
        let (below, above) = (self.below(baseline, least), baseline.below(self, least));
        let (is_better, is_worse) = match better {
            Better::Lower => (below, above),
            Better::Higher => (above, below),
            Better::Neither => return None,
        };
        Some(match (is_better, is_worse) {
            (true, _) => Standing::Better,
            (_, true) => Standing::Worse,
            _ => Standing::Undecided,
        })
    }
}

impl Standings {
    /// Adds a column.
    pub(crate) fn add(&mut self, column: &str, standing: Standing) {
        let columns = match standing {
            Standing::Better => &mut self.better,
            Standing::Worse => &mut self.worse,
            Standing::Undecided => &mut self.undecided,
        };
        columns.push(column.to_owned());
    }

    /// Returns the standings that have columns, with these columns: worse, better, undecided.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Standing, String)> {
        let all = [
            (Standing::Worse, &self.worse),
            (Standing::Better, &self.better),
            (Standing::Undecided, &self.undecided),
        ];
        all.into_iter()
            .filter(|(_, columns)| !columns.is_empty())
            .map(|(standing, columns)| (standing, columns.join(", ")))
    }

    /// Formats the standings: "worse: Loss; better: Goodput; undecided: RTT p95".
    pub(crate) fn words(&self) -> String {
        let part =
            |(standing, columns): (Standing, String)| format!("{}: {columns}", standing.class());
        self.parts().map(part).collect::<Vec<_>>().join("; ")
    }
}

/// Returns the standings of the cases of a comparison against its baseline, each with the label of
/// the case. Empty without a baseline, or with fewer than two seeds.
pub(crate) fn against<'a>(
    comparison: &'a Comparison,
    shown: &Results,
) -> Vec<(&'a str, Standings)> {
    let place = comparison
        .baseline
        .as_ref()
        .and_then(|name| comparison.cases.iter().position(|case| case.label == *name));
    let (Some(place), Some(_)) = (place, comparison.seeds()) else { return Vec::new() };
    let estimate = |case: usize, column: usize| {
        let summary = shown.cases[case][column].as_ref();
        Estimate::over(summary.map_or_else(Vec::new, |summary| summary.values.clone()))
    };
    let others = comparison.cases.iter().enumerate().filter(|(case, _)| *case != place);
    let standings = |case: usize| {
        let mut standings = Standings::default();
        for (index, column) in shown.columns.iter().enumerate() {
            let (own, baseline) = (estimate(case, index), estimate(place, index));
            if let Some(standing) = own.standing(&baseline, column.metric.better, 0.0) {
                standings.add(column.head, standing);
            }
        }
        standings
    };
    others.map(|(case, own)| (own.label.as_str(), standings(case))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: [f64; 3]) -> Estimate {
        Estimate::over(values.map(Some).to_vec())
    }

    #[test]
    fn numbers_are_better_or_worse_where_intervals_lie_apart() {
        let (low, middle, high) = (of([1.0, 2.0, 3.0]), of([2.5, 2.9, 4.0]), of([7.0, 8.0, 9.0]));
        let standing = |own: &Estimate, better| own.standing(&low, better, 0.0);
        assert_eq!(standing(&high, Better::Lower), Some(Standing::Worse));
        assert_eq!(standing(&high, Better::Higher), Some(Standing::Better));
        assert_eq!(standing(&middle, Better::Higher), Some(Standing::Undecided));
        assert_eq!(standing(&high, Better::Neither), None);
        assert_eq!(standing(&of([1.0; 3]), Better::Lower), Some(Standing::Undecided));
        assert_eq!(standing(&Estimate::over(vec![None; 3]), Better::Lower), None);
    }

    #[test]
    fn what_is_worse_comes_first() {
        let mut standings = Standings::default();
        standings.add("RTT p95", Standing::Undecided);
        standings.add("Goodput", Standing::Better);
        standings.add("Loss", Standing::Worse);
        assert_eq!(standings.words(), "worse: Loss; better: Goodput; undecided: RTT p95");
    }
}
