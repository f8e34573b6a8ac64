//! Numbers over seeds as every table shows them: the median and its 95 % interval.

use narrows_figure::number::{or_dash, short};
use narrows_measure::bootstrap::{Interval, median_interval, median_intervals};
use narrows_measure::metrics::Summary;
use narrows_measure::statistics::median;

/// Number of seeds from which intervals have about the right width.
const ENOUGH: usize = 10;

/// A number over several seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    /// Median over the seeds that define the number.
    pub median: Option<f64>,
    /// Interval of the median; `None` with fewer than two values.
    pub interval: Option<Interval>,
    /// Number of seeds that define the number.
    pub defined: usize,
    /// Number of seeds.
    pub seeds: usize,
}

impl Spread {
    pub fn over(values: &[Option<f64>]) -> Spread {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        Spread {
            interval: median_interval(&defined),
            ..Spread::without_interval(&defined, values.len())
        }
    }

    /// Computes the spreads of many numbers at once, all over the same number of seeds.
    pub fn of_columns(
        columns: impl Iterator<Item = Vec<Option<f64>>>,
        seeds: usize,
    ) -> Vec<Spread> {
        let defined: Vec<Vec<f64>> =
            columns.map(|values| values.into_iter().flatten().collect()).collect();
        let intervals = median_intervals(&defined);
        defined
            .iter()
            .zip(intervals)
            .map(|(values, interval)| Spread {
                interval,
                ..Spread::without_interval(values, seeds)
            })
            .collect()
    }

    fn without_interval(defined: &[f64], seeds: usize) -> Spread {
        Spread { median: median(defined), interval: None, defined: defined.len(), seeds }
    }

    /// Formats the spread as two lines of a table: "12.9" and below it "11.2–13.4", or "12.9 (2 of
    /// 3 seeds)" if some seeds do not define the number.
    pub fn cell(&self) -> [String; 2] {
        [or_dash(self.median) + &self.lacking(), self.range()]
    }

    /// Formats the interval as "11.2–13.4". Empty without an interval, or if both ends look alike.
    pub fn range(&self) -> String {
        self.ends().map_or_else(String::new, |(low, high)| format!("{low}–{high}"))
    }

    /// Returns " (2 of 3 seeds)" if only some seeds define the number.
    fn lacking(&self) -> String {
        match self.defined {
            0 => String::new(),
            all if all == self.seeds => String::new(),
            some => format!(" ({some} of {} seeds)", self.seeds),
        }
    }

    fn ends(&self) -> Option<(String, String)> {
        self.interval
            .map(|interval| (short(interval.low), short(interval.high)))
            .filter(|(low, high)| low != high)
    }
}

impl From<&Summary> for Spread {
    fn from(summary: &Summary) -> Spread {
        let (interval, defined, seeds) =
            (summary.interval, summary.defined(), summary.values.len());
        Spread { median: Some(summary.median), interval, defined, seeds }
    }
}

/// Describes the statistic that a table over this many seeds shows.
pub(crate) fn statistic(seeds: usize) -> String {
    match seeds {
        1 => "One seed: the spread is unknown.".to_owned(),
        n => format!(
            "Medians over {n} seeds with their 95 % bootstrap intervals{}.",
            if n < ENOUGH { ", which are too narrow with so few seeds" } else { "" }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_show_median_and_interval() {
        let cell = |values: &[Option<f64>]| Spread::over(values).cell();
        assert_eq!(cell(&[Some(11.2), Some(13.4), Some(12.9)]), ["12.9", "11.2–13.4"]);
        assert_eq!(cell(&[Some(11.2), None, Some(13.4)]), ["12.3 (2 of 3 seeds)", "11.2–13.4"]);
        assert_eq!(cell(&[Some(12.9), None]), ["12.9 (1 of 2 seeds)", ""]);
        assert_eq!(cell(&[None, None]), ["–", ""]);
        assert_eq!(cell(&[Some(5.0), Some(5.0001)]), ["5.00", ""]);
    }

    #[test]
    fn many_at_once_are_as_each_alone() {
        let columns = [vec![Some(1.0), None, Some(3.0)], vec![None; 3], vec![Some(2.0); 3]];
        let all = Spread::of_columns(columns.iter().cloned(), 3);
        assert_eq!(all, columns.iter().map(|values| Spread::over(values)).collect::<Vec<_>>());
    }

    #[test]
    fn few_seeds_are_told() {
        assert_eq!(statistic(10), "Medians over 10 seeds with their 95 % bootstrap intervals.");
        assert!(statistic(9).contains("too narrow") && statistic(1).starts_with("One seed"));
    }
}
