//! Estimated cost of runs.

use narrows_scenario::{LinkId, Scenario};
use narrows_units::Span;

/// Estimated cost of a run, for the progress bar and the assignment of runs to shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Simulated time.
    pub length: Span,
    /// Cost per unit of simulated time, relative to other runs.
    pub weight: u64,
}

impl Work {
    /// Returns the cost of a run among runs of similar networks.
    pub fn of(scenario: &Scenario) -> Work {
        Work { length: scenario.duration, weight: 1 }
    }

    /// Returns the cost of a run among runs of different networks. Estimates the number of packets
    /// by the total rate of the flows' bottlenecks.
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

    /// Returns the total cost in steps of the progress bar.
    pub fn total(self) -> u64 {
        steps(self.length).saturating_mul(self.weight)
    }
}

/// Converts simulated time to steps of the progress bar.
pub fn steps(span: Span) -> u64 {
    span.as_micros()
}
