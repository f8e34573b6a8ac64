//! The numbers of a cell for rules.

use crate::rule::{Rule, RuleKind};
use crate::suite::{Cast, Grid, Players, Who};

/// The numbers of a cell's runs, all with the same seeds.
pub struct Numbers<'a> {
    /// The grid of the cell.
    pub grid: &'a Grid,
    /// The controllers of the check.
    pub players: &'a Players,
    /// Number of seeds.
    pub seeds: usize,
    /// Returns a number, one value per seed, for the run in which the first player drives the flows
    /// of `self` and the second those of `other`.
    pub of: &'a dyn Fn(Option<Who>, Option<Who>, usize) -> Values,
    /// Returns a number of the subject in the previous cell on this axis; `None` for the first
    /// cell.
    pub before: &'a dyn Fn(&str, usize) -> Option<Values>,
}

/// The values of a number, one per seed; `None` if the number is undefined.
pub type Values = Vec<Option<f64>>;

/// The name of a series of values, and the values, one per seed.
pub type Named = (String, Values);

impl Numbers<'_> {
    /// Returns a number of the run in which `who` drives all flows.
    pub fn alone(&self, who: Who, number: usize) -> Values {
        (self.of)(Some(self.players.as_played(who)), None, number)
    }

    /// Returns a number of the run of `who` next to a baseline.
    pub fn beside(&self, who: Who, other: Who, number: usize) -> Values {
        (self.of)(Some(self.players.as_played(who)), Some(self.players.as_played(other)), number)
    }

    /// Returns the rule's number for the run in which `who` drives all flows; for a rule about
    /// twins, including the flows of `other`.
    pub fn by_itself(&self, who: Who, rule: &Rule) -> Values {
        if rule.kind == RuleKind::Twins {
            self.beside(who, who, rule.number)
        } else {
            self.alone(who, rule.number)
        }
    }

    /// Returns a number of the run without the flows of `self`.
    pub fn solo(&self, other: Who, number: usize) -> Values {
        (self.of)(None, Some(other), number)
    }

    /// Returns the numbers that are shown with a finding: the judged numbers, and those for
    /// comparison. `victim` is the controller of the judged flows, if it is not the subject.
    pub fn shown(&self, rule: &Rule, victim: Option<Who>) -> (Named, Vec<Named>) {
        let name = |who: Who| self.players.text(who);
        if rule.kind == RuleKind::Shown && self.grid.cast == Cast::Pairs {
            let other = Who::Baseline(0);
            let own = |who: Who| {
                (
                    format!("{} beside {}", name(who), name(other)),
                    self.beside(who, other, rule.number),
                )
            };
            return (own(Who::Subject), self.players.standard().map(own).collect());
        }
        if !matches!(rule.kind, RuleKind::Harm | RuleKind::Starves) {
            let own = |who: Who| (name(who).to_owned(), self.by_itself(who, rule));
            return (own(Who::Subject), self.players.standard().map(own).collect());
        }
        let victim = victim.unwrap_or(Who::Baseline(0));
        let beside = |this: Who| {
            (
                format!("{} beside {}", name(victim), name(this)),
                self.beside(this, victim, rule.number),
            )
        };
        let alone = (format!("{} alone", name(victim)), self.solo(victim, rule.number));
        let others = self
            .players
            .standard()
            .map(beside)
            .chain((rule.kind == RuleKind::Harm).then_some(alone));
        (beside(Who::Subject), others.collect())
    }
}
