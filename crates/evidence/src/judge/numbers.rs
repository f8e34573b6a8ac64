//! The numbers of a cell, as rules ask for them.

use crate::rule::{Kind, Rule};
use crate::suite::{Cast, Grid, Players, Who};

/// The numbers of the runs of a cell with the same seeds.
pub struct Numbers<'a> {
    /// The grid that the cell belongs to.
    pub grid: &'a Grid,
    /// Who plays.
    pub players: &'a Players,
    /// How many seeds there are.
    pub seeds: usize,
    /// A number, one for each seed, of the run in which the first drives the flows of `self` and the second those of `other`.
    pub of: &'a dyn Fn(Option<Who>, Option<Who>, usize) -> Values,
    /// The same of the cell before on this axis; `None` of the first.
    pub before: &'a dyn Fn(&str, usize) -> Option<Values>,
}

/// A number, one for each seed; `None` where it is not defined.
pub type Values = Vec<Option<f64>>;

/// Numbers, one for each seed, and what they are called.
pub type Named = (String, Values);

impl Numbers<'_> {
    /// A number of the run in which `who` drives all flows.
    pub fn alone(&self, who: Who, number: usize) -> Values {
        (self.of)(Some(self.players.as_played(who)), None, number)
    }

    /// A number of the run of `who` beside a baseline.
    pub fn beside(&self, who: Who, other: Who, number: usize) -> Values {
        (self.of)(Some(self.players.as_played(who)), Some(self.players.as_played(other)), number)
    }

    /// The rule's number of the run in which `who` drives all flows, those of `other` as well if the rule is about twins.
    pub fn by_itself(&self, who: Who, rule: &Rule) -> Values {
        if rule.kind == Kind::Twins {
            self.beside(who, who, rule.number)
        } else {
            self.alone(who, rule.number)
        }
    }

    /// A number of the run in which nobody drives the flows of `self`.
    pub fn solo(&self, other: Who, number: usize) -> Values {
        (self.of)(None, Some(other), number)
    }

    /// The numbers that a finding of this rule is shown with: those that are judged, and those that they are compared with. `victim` is whose numbers are judged, if they
    /// are not the subject's own.
    pub fn shown(&self, rule: &Rule, victim: Option<Who>) -> (Named, Vec<Named>) {
        let name = |who: Who| self.players.text(who);
        if rule.kind == Kind::Shown && self.grid.cast == Cast::Pairs {
            let other = Who::Baseline(0);
            let own = |who: Who| {
                (
                    format!("{} beside {}", name(who), name(other)),
                    self.beside(who, other, rule.number),
                )
            };
            return (own(Who::Subject), self.players.standard().map(own).collect());
        }
        if !matches!(rule.kind, Kind::Harm | Kind::Starves) {
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
        let others =
            self.players.standard().map(beside).chain((rule.kind == Kind::Harm).then_some(alone));
        (beside(Who::Subject), others.collect())
    }
}
