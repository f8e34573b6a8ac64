//! How much work runs are.

use narrows_scenario::{LinkId, Scenario};
use narrows_units::Span;

/// How much a run is, for the progress bar and for who runs what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Virtual time.
    pub length: Span,
    /// How much a unit of it is, compared with other runs.
    pub weight: u64,
}

impl Work {
    /// A run among others like it.
    pub fn of(scenario: &Scenario) -> Work {
        Work { length: scenario.duration, weight: 1 }
    }

    /// A run among others unlike it: its packets are about those that the bottlenecks of its flows carry.
    pub fn estimated(scenario: &Scenario) -> Work {
        let rate = |link: &LinkId| {
            scenario.links[link.0].config.rate.mean().map_or(u64::MAX, |rate| rate.as_bps())
        };
        let mut bottlenecks: Vec<LinkId> = match &scenario.icn {
            Some(icn) => icn.slowest(|link| rate(&link)),
            None => scenario
                .flows
                .iter()
                .filter_map(|flow| flow.route.iter().min_by_key(|link| rate(link)).copied())
                .collect(),
        };
        bottlenecks.sort();
        bottlenecks.dedup();
        let carried: u64 = bottlenecks.iter().map(rate).filter(|rate| *rate < u64::MAX).sum();
        Work { length: scenario.duration, weight: (carried / 1_000_000).max(1) }
    }

    /// All of it, in steps of the progress bar.
    pub fn total(self) -> u64 {
        steps(self.length).saturating_mul(self.weight)
    }
}

/// Virtual time in the steps of the progress bar.
pub fn steps(span: Span) -> u64 {
    span.as_micros()
}
