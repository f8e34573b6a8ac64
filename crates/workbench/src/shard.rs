//! Distribution of the runs of a sweep over several machines.

use narrows_units::Random;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A subset of the runs of a sweep, in the order of the deal: `2/3` or `8..16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Shard {
    /// One of `all` shards with about the same cost. The first has number 1.
    Of { number: u32, all: u32 },
    /// The places `from` (inclusive) to `to` (exclusive).
    Places { from: u64, to: u64 },
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let of = |(number, all): (&str, &str)| {
            Some(Shard::Of { number: number.parse().ok()?, all: all.parse().ok()? })
        };
        let places = |(from, to): (&str, &str)| {
            Some(Shard::Places { from: from.parse().ok()?, to: to.parse().ok()? })
        };
        match text.split_once('/').and_then(of).or_else(|| text.split_once("..").and_then(places)) {
            Some(shard @ Shard::Of { number, all }) if (1..=all).contains(&number) => Ok(shard),
            Some(shard @ Shard::Places { from, to }) if from < to => Ok(shard),
            Some(Shard::Of { all: 1.., .. }) => {
                Err(format!("\"{text}\" is no shard: the first of three is 1/3, the last is 3/3"))
            }
            _ => Err(format!(
                "\"{text}\" is no shard; write for example 1/3, the first of three, or 8..16, the runs dealt at these places"
            )),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shard::Of { number, all } => write!(f, "{number}/{all}"),
            Shard::Places { from, to } => write!(f, "{from}..{to}"),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

/// The runs of a sweep in a random order. The order depends only on the number of runs, so it is
/// the same on all machines. Each part of it has a mix of the values of every axis.
pub struct ShardOrder {
    order: Vec<u64>,
    /// Cumulative cost of the runs, up to and including each place.
    until: Vec<u128>,
}

impl ShardOrder {
    /// Creates the order for a number of runs. `cost` returns the cost of a run.
    pub fn new(runs: u64, cost: impl Fn(u64) -> u64) -> ShardOrder {
        let mut order: Vec<u64> = (0..runs).collect();
        let mut random = Random::stream(0, "deal");
        // Shuffle by Fisher and Yates.
        for place in (1..order.len()).rev() {
            order.swap(place, random.below(place as u64 + 1) as usize);
        }
        let mut sum = 0;
        let until = order.iter().map(|run| {
            sum += u128::from(cost(*run).max(1));
            sum
        });
        let until = until.collect();
        ShardOrder { order, until }
    }

    /// Returns the cost of the run at each place.
    pub fn costs(&self) -> Vec<u64> {
        let before = std::iter::once(&0).chain(&self.until);
        self.until.iter().zip(before).map(|(until, before)| (until - before) as u64).collect()
    }

    /// Returns the numbers of the runs of a shard, in ascending order.
    ///
    /// # Errors
    /// If the shard has places beyond the last run.
    pub fn runs(&self, shard: Shard) -> Result<Vec<u64>, String> {
        let mut runs =
            self.order.get(self.places(shard)).map(<[u64]>::to_vec).ok_or_else(|| {
                format!(
                    "the shard {shard} is beyond the sweep's {} runs; take places up to {}",
                    self.order.len(),
                    self.order.len()
                )
            })?;
        runs.sort_unstable();
        Ok(runs)
    }

    /// Returns the places of a shard. A run belongs to the shard that contains the middle of its
    /// cost interval.
    fn places(&self, shard: Shard) -> Range<usize> {
        let (number, all) = match shard {
            Shard::Of { number, all } => (u128::from(number), u128::from(all)),
            Shard::Places { from, to } => return from as usize..to as usize,
        };
        let total = self.until.last().copied().unwrap_or_default();
        let costs = self.costs();
        let first = |number: u128| {
            let is_before = |place: usize| {
                (2 * self.until[place] - u128::from(costs[place])) * all < 2 * total * number
            };
            (0..self.order.len()).take_while(|place| is_before(*place)).count()
        };
        first(number - 1)..first(number)
    }

    /// Returns the places of the missing runs.
    pub fn missing(&self, is_there: impl Fn(u64) -> bool) -> Vec<Shard> {
        let mut missing: Vec<Range<u64>> = Vec::new();
        for (place, _) in self.order.iter().enumerate().filter(|(_, run)| !is_there(**run)) {
            let place = place as u64;
            match missing.last_mut() {
                Some(last) if last.end == place => last.end = place + 1,
                _ => missing.push(place..place + 1),
            }
        }
        missing
            .into_iter()
            .map(|places| Shard::Places { from: places.start, to: places.end })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_written() {
        for text in ["1/1", "2/3", "0..1", "8..16"] {
            assert_eq!(text.parse::<Shard>().map(|shard| shard.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "2", "0/3", "4/3", "1/0", "a/b", "3..3", "4..3", "-1/3", "1/3/5"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_run_is_in_one_shard() {
        for (runs, all) in [(0, 3), (1, 3), (24, 1), (24, 5), (100, 7), (3, 8)] {
            let deal = ShardOrder::new(runs, |run| 1 + run % 4 * 10);
            let mut dealt: Vec<u64> = (1..=all)
                .flat_map(|number| deal.runs(Shard::Of { number, all }).expect("a shard"))
                .collect();
            dealt.sort_unstable();
            assert_eq!(dealt, (0..runs).collect::<Vec<u64>>(), "{runs} in {all}");
        }
    }

    #[test]
    fn no_shard_costs_more_than_its_share_and_one_run() {
        let cost = |run: u64| [1, 10, 100][run as usize % 3];
        let deal = ShardOrder::new(300, cost);
        let total: u64 = (0..300).map(cost).sum();
        for number in 1..=4 {
            let own: u64 = deal
                .runs(Shard::Of { number, all: 4 })
                .expect("a shard")
                .into_iter()
                .map(cost)
                .sum();
            assert!(own.abs_diff(total / 4) <= 100, "{number}: {own} of {total}");
        }
    }

    #[test]
    fn axes_do_not_line_up_with_shards() {
        // With two values of the last axis and two shards, a shard of every second run would have
        // only one of the values.
        let deal = ShardOrder::new(64, |_| 1);
        let odd = deal
            .runs(Shard::Of { number: 1, all: 2 })
            .expect("a shard")
            .iter()
            .filter(|run| *run % 2 == 1)
            .count();
        assert!((8..=24).contains(&odd), "{odd} of 32");
    }

    #[test]
    fn what_is_missing_is_named_by_place() {
        let deal = ShardOrder::new(24, |_| 1);
        let places = [Shard::Places { from: 3, to: 5 }, Shard::Places { from: 8, to: 16 }];
        let absent: Vec<u64> =
            places.into_iter().flat_map(|places| deal.runs(places).expect("places")).collect();
        assert_eq!(deal.missing(|run| !absent.contains(&run)), places);
        assert_eq!(deal.missing(|_| true), []);
        assert!(
            deal.runs(Shard::Places { from: 20, to: 25 })
                .is_err_and(|error| error.contains("24 runs"))
        );
    }
}
