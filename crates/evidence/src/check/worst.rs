//! The worst runs of a cell.

use super::checker::{Check, Look};
use super::run::{Run, Variant};
use super::verdict::CellVerdict;
use crate::rule::RuleKind;
use crate::suite::Who;
use narrows_measure::metrics::Better;

impl Check {
    /// Returns the name of the metric that is judged in a cell.
    pub fn measure(&self, cell: &CellVerdict) -> &'static str {
        let grid = &self.suite.grids[cell.grid];
        grid.asked[grid.rules[cell.rule].number].metric.name
    }

    /// Returns the run of a cell with the worst value of the judged number, and the runs with the
    /// same seed in which each baseline takes the subject's place. For twins, each takes both
    /// places.
    pub fn worst_runs(&self, cell: &CellVerdict) -> Vec<Run> {
        let (grid, finding) = (&self.suite.grids[cell.grid], cell.decided());
        let look = if cell.fresh.is_some() { Look::Fresh } else { Look::First };
        let metric = grid.asked[grid.rules[cell.rule].number].metric;
        let badness = |value: Option<f64>| match (value, metric.better) {
            (None, _) => f64::INFINITY,
            (Some(value), Better::Higher) => -value,
            (Some(value), Better::Lower | Better::Neither) => value,
        };
        let seeds = self.seeds_of(look).into_iter().zip(&finding.subject.1);
        let worst =
            seeds.max_by(|a, b| badness(*a.1).total_cmp(&badness(*b.1)).then(b.0.cmp(&a.0)));
        let Some((seed, _)) = worst else { return Vec::new() };
        let twins = grid.rules[cell.rule].kind == RuleKind::Twins;
        let beside = finding.beside_whom.map(|who| self.players.as_played(who));
        let of = |who: Who| {
            let beside = if twins { Some(who) } else { beside };
            let (part, pair) = self.grids[cell.grid].place(Some(who), beside)?;
            Some(Run {
                grid: cell.grid as u16,
                part,
                cell: cell.cell as u16,
                pair,
                variant: Variant::Plain,
                seed,
            })
        };
        self.players.all().into_iter().filter_map(of).collect()
    }
}
